//! YAML: any number of documents, each an object or a list of objects.
//!
//! Documents are told apart by the lines that separate them and each is parsed on its own, so a broken one costs no
//! other. Values are read as `kubectl` reads them: YAML 1.1 booleans and octal numbers, merge keys, no repeated keys.
//!
//! **Source**: YAML 1.2.2, section 9.1.2: a line that begins with `---` or `...` ends a document wherever it stands.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::item::{Found, Interest, ItemSeed, Items, ListHead};
use super::read::Listener;
use super::report::Place;

/// Deepest nesting, as for JSON.
const DEPTH_LIMIT: usize = 128;
/// Values that aliases may stand for in one document, together.
const ALIAS_LIMIT: usize = 100_000;
/// Length of what ends a document.
const MARKER: usize = 3;
/// Longest line: the largest object that is read, written on one line.
const LINE_LIMIT_BYTES: u64 = 16 << 20;

/// Reads all documents.
///
/// # Errors
/// The text cannot be read.
pub(super) fn read(
    name: &Arc<str>,
    source: &mut dyn BufRead,
    interests: &[Interest],
    listener: &mut dyn Listener,
) -> io::Result<()> {
    let mut lines = Lines::new(source);
    while listener.flow().is_continue() && lines.next_document()? {
        let first_line = lines.number;
        let place = Place {
            input: name.clone(),
            line: first_line,
        };
        let outcome = serde_saphyr::with_deserializer_from_reader_with_options(&mut lines, options(), |deserializer| {
            let items = StreamItems {
                interests,
                place: &place,
                listener,
            };
            items.read(deserializer)
        });
        lines.skip_document()?;
        if let Err(error) = outcome {
            let line = error.location().map_or(0, |location| location.line().saturating_sub(1));
            let place = Place {
                line: first_line + line,
                ..place
            };
            let message = without_position(&error.without_snippet().to_string());
            listener.problem(place, format!("is not read: {message}"));
        }
    }
    Ok(())
}

/// The message without the line and column, which count from the document.
fn without_position(message: &str) -> String {
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message.get(..end).unwrap_or(message).to_owned()
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        // The size of a document is no danger: it is streamed. What multiplies is bounded.
        budget: serde_saphyr::budget! {
            max_reader_input_bytes: None,
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_total_scalar_bytes: usize::MAX,
            max_depth: DEPTH_LIMIT,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: ALIAS_LIMIT,
        },
        legacy_octal_numbers: true,
        // A snippet might quote a Secret.
        with_snippet: false,
    }
}

/// The lines of one document at a time.
struct Lines<'a> {
    source: &'a mut dyn BufRead,
    line: Vec<u8>,
    /// What was handed out of the present line.
    used: usize,
    /// Number of the present line, from 1.
    number: u64,
    /// True while the present line belongs to a document.
    inside: bool,
    /// True when the present line ended a document and was not looked at otherwise.
    unread: bool,
}

impl<'a> Lines<'a> {
    fn new(source: &'a mut dyn BufRead) -> Self {
        Self {
            source,
            line: Vec::new(),
            used: 0,
            number: 0,
            inside: false,
            unread: false,
        }
    }

    /// Goes to the first line of the next document that says anything; false at the end.
    fn next_document(&mut self) -> io::Result<bool> {
        while std::mem::take(&mut self.unread) || self.next_line()? {
            if is_marker(&self.line) {
                // Something may stand behind it.
                self.line[..MARKER].fill(b' ');
            }
            if !says_nothing(&self.line) {
                self.inside = true;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes to the end of the document.
    fn skip_document(&mut self) -> io::Result<()> {
        while self.inside {
            self.go_on()?;
        }
        Ok(())
    }

    /// Goes to the next line of the document, or to its end.
    fn go_on(&mut self) -> io::Result<()> {
        self.inside = self.next_line()?;
        if is_marker(&self.line) {
            self.inside = false;
            self.unread = true;
        }
        Ok(())
    }

    /// False when there is no further line.
    fn next_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        self.used = 0;
        let bytes = (&mut *self.source)
            .take(LINE_LIMIT_BYTES)
            .read_until(b'\n', &mut self.line)?;
        self.number += 1;
        if bytes as u64 == LINE_LIMIT_BYTES && self.line.last() != Some(&b'\n') {
            return Err(io::Error::other(format!(
                "line {} is longer than {} MiB",
                self.number,
                LINE_LIMIT_BYTES >> 20
            )));
        }
        Ok(bytes > 0)
    }
}

impl Read for Lines<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.inside && self.used == self.line.len() {
            self.go_on()?;
        }
        if !self.inside {
            return Ok(0);
        }
        let rest = &self.line[self.used..];
        let bytes = rest.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&rest[..bytes]);
        self.used += bytes;
        Ok(bytes)
    }
}

fn is_marker(line: &[u8]) -> bool {
    let marker = line.starts_with(b"---") || line.starts_with(b"...");
    marker && line.get(MARKER).is_none_or(u8::is_ascii_whitespace)
}

/// Blank lines, comments, and directives such as `%YAML 1.2`.
fn says_nothing(line: &[u8]) -> bool {
    match line.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None | Some(b'#') => true,
        Some(_) => line.starts_with(b"%"),
    }
}

/// Hands the items of a list on as they are parsed.
struct StreamItems<'a> {
    interests: &'a [Interest],
    place: &'a Place,
    listener: &'a mut dyn Listener,
}

impl StreamItems<'_> {
    /// Reads one document.
    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let StreamItems {
            interests,
            place,
            listener,
        } = self;
        let seed = ItemSeed {
            interests,
            items: StreamItems {
                interests,
                place,
                listener: &mut *listener,
            },
            inherited: None,
        };
        let found = seed.deserialize(deserializer)?;
        hand_on(found, place, listener).map_err(D::Error::custom)
    }
}

fn hand_on(found: Found, place: &Place, listener: &mut dyn Listener) -> Result<(), String> {
    match found {
        Found::Object(item) => listener.object(place.clone(), item),
        Found::List | Found::Other("nothing") => {}
        Found::Other(what) => return Err(format!("expected an object, found {what}")),
    }
    Ok(())
}

impl<'de> Items<'de> for StreamItems<'_> {
    fn take<A: MapAccess<'de>>(&mut self, list: &ListHead, members: &mut A) -> Result<(), A::Error> {
        let Self {
            interests,
            place,
            listener,
        } = self;
        members.next_value_seed(Elements {
            inherited: list.item_kind(),
            items: StreamItems {
                interests,
                place,
                listener: &mut **listener,
            },
        })
    }
}

struct Elements<'a> {
    inherited: Option<(String, String)>,
    items: StreamItems<'a>,
}

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the items of a list")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let StreamItems {
            interests,
            place,
            listener,
        } = self.items;
        loop {
            let seed = ItemSeed {
                interests,
                items: NoItems,
                inherited: self.inherited.as_ref(),
            };
            let Some(found) = elements.next_element_seed(seed)? else {
                return Ok(());
            };
            hand_on(found, place, listener).map_err(A::Error::custom)?;
        }
    }
}

struct NoItems;

impl<'de> Items<'de> for NoItems {
    fn take<A: MapAccess<'de>>(&mut self, _: &ListHead, _: &mut A) -> Result<(), A::Error> {
        Err(A::Error::custom("a list inside of a list is not read"))
    }
}
