//! JSON: any number of documents one after the other, each an object, a list of objects, or an array of them.
//!
//! A list is read member by member and only its items are entered, so that a dump of any size is streamed. A document
//! that is not JSON is given up where it breaks; reading goes on with the next line that begins like a document.

use std::cell::Cell;
use std::io::{self, Read};
use std::sync::Arc;

use serde::de::{Error as _, IgnoredAny, MapAccess};

use super::item::{Found, Identified, Interest, ItemSeed, Items, ListHead};
use super::read::{BLOCK_BYTES, Listener};
use super::report::Place;
use crate::json_text::{JsonText, TooLarge, VALUE_LIMIT_BYTES, unexpected};

/// Reads all documents.
///
/// # Errors
/// The text cannot be read.
pub(super) fn read(
    name: &Arc<str>,
    source: &mut dyn Read,
    interests: &[Interest],
    listener: &mut dyn Listener,
) -> io::Result<()> {
    let mut documents = Documents {
        name,
        interests,
        text: JsonText::new(Vec::new(), BLOCK_BYTES),
        stage: Stage::Between,
        head: ListHead::default(),
        inherited: None,
        listener,
    };
    while documents.listener.flow().is_continue() {
        if documents.text.is_hungry() {
            documents.text.receive(&mut *source)?;
            continue;
        }
        match documents.step() {
            Ok(Step::Go) => {}
            Ok(Step::End) => return Ok(()),
            Ok(Step::NeedMore) => documents.want_more(),
            Err(error) => documents.give_up(&error),
        }
    }
    Ok(())
}

/// Which part of the text comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// A document, or the end.
    Between,
    /// A member of a list.
    Members,
    /// An item of a list.
    Items,
    /// An element of an array.
    Elements,
    /// The rest of a broken document.
    Broken,
}

enum Step {
    Go,
    NeedMore,
    End,
}

struct Documents<'a> {
    name: &'a Arc<str>,
    interests: &'a [Interest],
    text: JsonText,
    stage: Stage,
    head: ListHead,
    inherited: Option<(String, String)>,
    listener: &'a mut dyn Listener,
}

impl Documents<'_> {
    fn step(&mut self) -> Result<Step, serde_json::Error> {
        if self.stage == Stage::Broken {
            return Ok(self.find_document());
        }
        let Some(first) = self.text.next_byte() else {
            return match self.stage {
                Stage::Between if self.text.is_finished() => Ok(Step::End),
                _ => Ok(Step::NeedMore),
            };
        };
        match (self.stage, first) {
            (Stage::Between, b'{') | (Stage::Items | Stage::Elements, _) if !matches!(first, b',' | b']') => {
                return self.read_object();
            }
            (Stage::Between, b'[') => self.enter(Stage::Elements),
            (Stage::Members, b'}') | (Stage::Elements, b']') => self.enter(Stage::Between),
            (Stage::Items, b']') => self.enter(Stage::Members),
            (Stage::Members | Stage::Items | Stage::Elements, b',') => self.text.advance(1),
            (Stage::Members, _) => return self.read_member(),
            _ => return Err(unexpected("an object", Some(&first))),
        }
        Ok(Step::Go)
    }

    /// Goes on behind one character of structure.
    fn enter(&mut self, stage: Stage) {
        self.text.advance(1);
        self.stage = stage;
    }

    fn read_object(&mut self) -> Result<Step, serde_json::Error> {
        let is_list = Cell::new(false);
        let seed = ItemSeed {
            interests: self.interests,
            items: StopAtItems(&is_list),
            inherited: self.inherited.as_ref(),
        };
        let error = match self.text.seeded(0, seed) {
            Ok(Some((found, end))) => {
                self.take(found, end);
                return Ok(Step::Go);
            }
            Ok(None) => return Ok(Step::NeedMore),
            Err(error) => error,
        };
        if is_list.get() && self.stage == Stage::Between {
            self.head = ListHead::default();
            self.enter(Stage::Members);
            return Ok(Step::Go);
        }
        // Reading only the identity needs no recursion and checks no other values.
        let Some((object, end)) = self.text.value::<Identified>(0)? else {
            return Ok(Step::NeedMore);
        };
        let place = self.place(0);
        let message = without_position(&error);
        if object.kind.is_empty() || object.api_version.is_empty() {
            self.listener.problem(place, message);
        } else {
            self.listener.undecodable(place, object, message);
        }
        self.text.advance(end);
        Ok(Step::Go)
    }

    fn take(&mut self, found: Found, end: usize) {
        let place = self.place(0);
        match found {
            Found::Object(item) => self.listener.object(place, item),
            // The seed hands no items on, so it finds no lists.
            Found::List => {}
            Found::Other(what) => {
                let message = format!("expected an object, found {what}");
                self.listener.problem(place, message);
            }
        }
        self.text.advance(end);
    }

    /// Reads one member of the list itself.
    fn read_member(&mut self) -> Result<Step, serde_json::Error> {
        let Some((name, value)) = self.text.member()? else {
            return Ok(Step::NeedMore);
        };
        if name == "items" && self.text.rest().get(value) == Some(&b'[') {
            self.inherited = self.head.item_kind();
            self.text.advance(value);
            self.enter(Stage::Items);
            return Ok(Step::Go);
        }
        let end = match name.as_str() {
            "apiVersion" => self.text.value::<String>(value)?.map(|(text, end)| {
                self.head.api_version = Some(text);
                end
            }),
            "kind" => self.text.value::<String>(value)?.map(|(text, end)| {
                self.head.kind = Some(text);
                end
            }),
            _ => self.text.value::<IgnoredAny>(value)?.map(|(_, end)| end),
        };
        let Some(end) = end else {
            return Ok(Step::NeedMore);
        };
        self.text.advance(end);
        Ok(Step::Go)
    }

    /// More text is needed; there may be none, or too much already.
    fn want_more(&mut self) {
        if self.text.is_finished() {
            self.break_off(0, "the text ends in the middle of a document");
        } else if let Err(TooLarge) = self.text.want_more() {
            let message = format!("one object is larger than {} MiB", VALUE_LIMIT_BYTES >> 20);
            self.break_off(0, &message);
        }
    }

    fn give_up(&mut self, error: &serde_json::Error) {
        let lines_before = error.line().saturating_sub(1) as u64;
        let message = format!("is not valid JSON: {}", without_position(error));
        self.break_off(lines_before, &message);
    }

    fn break_off(&mut self, lines_before: u64, message: &str) {
        let mut place = self.place(0);
        place.line += lines_before;
        self.listener.problem(
            place,
            format!("{message}; what follows in the same document is not read"),
        );
        self.stage = Stage::Broken;
    }

    /// Looks for a line that begins like a document.
    fn find_document(&mut self) -> Step {
        self.inherited = None;
        let rest = self.text.rest();
        let next = memchr::memchr_iter(b'\n', rest).find(|at| matches!(rest.get(at + 1), Some(b'{' | b'[')));
        match next {
            Some(at) => {
                self.text.advance(at + 1);
                self.stage = Stage::Between;
                Step::Go
            }
            None if self.text.is_finished() => Step::End,
            None => {
                // The last character may be the line break in question.
                self.text.advance(rest.len().saturating_sub(1));
                Step::Go
            }
        }
    }

    fn place(&self, offset: usize) -> Place {
        Place {
            input: self.name.clone(),
            line: self.text.line_at(offset),
        }
    }
}

/// Says that something is a list, and does not read it.
struct StopAtItems<'a>(&'a Cell<bool>);

impl<'de> Items<'de> for StopAtItems<'_> {
    fn take<A: MapAccess<'de>>(&mut self, _: &ListHead, _: &mut A) -> Result<(), A::Error> {
        self.0.set(true);
        Err(A::Error::custom("a list inside of a list is not read"))
    }
}

/// The message without the line and column, which count from the object.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ")
        .map_or(text.clone(), |(message, _)| message.to_owned())
}
