//! Opens an input, tells what is in it, and reads its objects.

use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread;

use flate2::bufread::MultiGzDecoder;
use kollect_domain::extract::mask::Mask;
use serde_json::Value;

use super::input::Input;
use super::item::{Identified, Interest, Item};
use super::report::{Place, Report};
use super::{json, yaml};

/// Text that is looked at to tell formats apart, and that is read at a time.
pub(super) const BLOCK_BYTES: usize = 256 << 10;

/// Stack for reading YAML. A level of nesting takes up to 20 KiB in an unoptimised build.
const STACK_BYTES: usize = 8 << 20;

/// Takes what a pass finds.
pub(super) trait Listener: Send {
    /// Takes an object.
    fn object(&mut self, place: Place, item: Item);

    /// Takes an object that is well-formed and cannot be decoded.
    fn undecodable(&mut self, place: Place, object: Identified, message: String);

    /// Takes what else could not be read.
    fn problem(&mut self, place: Place, message: String);

    /// Whether anybody still wants more.
    fn flow(&self) -> ControlFlow<()>;
}

/// Reads all objects of the inputs, in order, unless the listener wants no more; objects of the kinds of `interests`
/// are decoded.
pub(super) fn read_all(
    inputs: &[Input],
    interests: &[Interest],
    progress: &Arc<AtomicU64>,
    listener: &mut dyn Listener,
) {
    for input in inputs {
        if listener.flow().is_break() {
            return;
        }
        if let Err(error) = read(input, interests, progress, listener) {
            let place = Place {
                input: input.name().clone(),
                line: 0,
            };
            listener.problem(place, format!("cannot be read to its end: {error}"));
        }
    }
}

fn read(
    input: &Input,
    interests: &[Interest],
    progress: &Arc<AtomicU64>,
    listener: &mut dyn Listener,
) -> io::Result<()> {
    let text = open(input, progress)?;
    read_text(input.name(), text, interests, listener)
}

/// The text of an input, without compression.
pub(super) fn open(input: &Input, progress: &Arc<AtomicU64>) -> io::Result<Box<dyn BufRead + Send>> {
    let mut raw = BufReader::with_capacity(BLOCK_BYTES, input.open(progress.clone())?);
    // RFC 1952, section 2.3.1: the two bytes that every member begins with.
    if raw.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        let plain = MultiGzDecoder::new(raw);
        return Ok(Box::new(BufReader::with_capacity(BLOCK_BYTES, plain)));
    }
    Ok(Box::new(raw))
}

fn read_text(
    name: &Arc<str>,
    mut text: Box<dyn BufRead + Send>,
    interests: &[Interest],
    listener: &mut dyn Listener,
) -> io::Result<()> {
    const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
    let place = Place {
        input: name.clone(),
        line: 1,
    };
    let start = text.fill_buf()?;
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        listener.problem(place, "is UTF-16; save it as UTF-8".to_owned());
        return Ok(());
    }
    if start.iter().take(8 << 10).any(|byte| *byte == 0) {
        listener.problem(place, "is a binary file, not a manifest".to_owned());
        return Ok(());
    }
    if start.starts_with(BYTE_ORDER_MARK) {
        text.consume(BYTE_ORDER_MARK.len());
    }
    let start = text.fill_buf()?;
    match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => Ok(()),
        Some(b'{' | b'[') => json::read(name, &mut text, interests, listener),
        Some(_) => with_room(|| yaml::read(name, &mut text, interests, listener)),
    }
}

/// Runs on a stack on which the deepest document that is accepted can be read: the parser recurses with it.
fn with_room(read: impl FnOnce() -> io::Result<()> + Send) -> io::Result<()> {
    thread::scope(|scope| {
        let reader = thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, read)?;
        let gave_up = |_| Err(io::Error::other("the parser of YAML gave up"));
        reader.join().unwrap_or_else(gave_up)
    })
}

/// All objects of some kinds, whole: for the few that are configuration.
///
/// **Shape**: kinds are (`apiVersion`, `kind`); objects come in the order of the inputs.
pub fn documents(inputs: &[Input], kinds: &[(&str, &str)]) -> (Vec<(Place, Value)>, Report) {
    let mask = Arc::new(Mask::all());
    let interests: Vec<Interest> = kinds
        .iter()
        .map(|(api_version, kind)| Interest {
            api_version: (*api_version).to_owned(),
            kind: (*kind).to_owned(),
            mask: mask.clone(),
        })
        .collect();
    let mut gathering = Gathering {
        objects: Vec::new(),
        report: Report::default(),
    };
    read_all(inputs, &interests, &Arc::default(), &mut gathering);
    (gathering.objects, gathering.report)
}

struct Gathering {
    objects: Vec<(Place, Value)>,
    report: Report,
}

impl Listener for Gathering {
    fn object(&mut self, place: Place, item: Item) {
        self.report.objects += 1;
        if let Some((_, value)) = item.found {
            self.report.read += 1;
            self.objects.push((place, value));
        } else {
            let message = format!("{} {} is not read here", item.api_version, item.kind);
            self.report.remark(place, message);
        }
    }

    fn undecodable(&mut self, place: Place, object: Identified, message: String) {
        let message = format!("{} {} cannot be decoded: {message}", object.kind, object.metadata.name);
        self.report.problem(place, message);
    }

    fn problem(&mut self, place: Place, message: String) {
        self.report.problem(place, message);
    }

    fn flow(&self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
