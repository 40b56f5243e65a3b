//! Decoding a list's body while it arrives: object by object, without ever holding the whole page.
//!
//! The body is read as the JSON object it is, member by member; only `items` is entered. So the metadata may stand
//! before the items (built-in kinds) or after them (custom resources), and text inside strings can never be mistaken
//! for structure. Objects are decoded straight from the buffer; there is no separate pass that looks for their ends.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::decoder::{Fields, ObjectDecoder};
use super::object::{Meta, Metadata};
use crate::json_text::{JsonText, TooLarge, unexpected};
use crate::kube::client::{Refusal, Status, StatusDetails};

pub(super) use crate::json_text::VALUE_LIMIT_BYTES as PIECE_LIMIT_BYTES;

/// Text that is collected before the first attempt to decode it: large enough that few objects straddle two chunks.
const CHUNK_BYTES: usize = 128 << 10;

/// What [`ListDecoder::next`] found.
#[derive(Debug)]
pub(super) enum Step {
    /// One object.
    Object {
        /// The decoded object.
        value: Value,
        /// Length of its text.
        bytes: usize,
    },
    /// One object that is well-formed JSON and cannot be decoded, for example nested too deeply.
    Skipped {
        /// What is known of the object.
        meta: Meta,
        /// Why.
        error: serde_json::Error,
        /// Length of its text.
        bytes: usize,
    },
    /// More text is needed: [`ListDecoder::push`] or [`ListDecoder::finish`], then ask again.
    NeedMore,
    /// The list is complete.
    End(ListMeta),
}

/// `metadata` of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ListMeta {
    /// Version at which the list was read.
    pub(super) resource_version: String,
    /// Token of the next page; empty on the last one.
    pub(super) r#continue: String,
}

/// Why a body is not a list.
#[derive(Debug, thiserror::Error)]
pub(super) enum ListError {
    /// Not JSON, or cut short.
    #[error("the list is not valid JSON")]
    Json(#[from] serde_json::Error),
    /// An error of the server under a status of success.
    #[error("the answer is a status instead of a list")]
    Status(Refusal),
    /// One piece is larger than [`PIECE_LIMIT_BYTES`].
    #[error("one object of the list is too large")]
    TooLarge,
}

/// Which part of the body comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Members,
    Items,
    End,
}

/// An incremental decoder of one list body.
#[derive(Debug)]
pub(super) struct ListDecoder<D> {
    decoder: D,
    text: JsonText,
    place: Place,
    kind: String,
    meta: ListMeta,
    status: Status,
}

impl<D: ObjectDecoder> ListDecoder<D> {
    /// A decoder that reuses the memory of `buffer`.
    pub(super) fn new(decoder: D, buffer: Vec<u8>) -> Self {
        Self {
            decoder,
            text: JsonText::new(buffer, CHUNK_BYTES),
            place: Place::Start,
            kind: String::new(),
            meta: ListMeta::default(),
            status: Status::default(),
        }
    }

    /// Adds text that has arrived.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.text.push(chunk);
    }

    /// Says that the body has ended.
    pub(super) fn finish(&mut self) {
        self.text.finish();
    }

    /// True while too little text has arrived for another attempt to be worth it.
    pub(super) fn is_hungry(&self) -> bool {
        self.text.is_hungry()
    }

    /// Gives the buffer back for the next page.
    pub(super) fn into_buffer(self) -> Vec<u8> {
        self.text.into_buffer()
    }

    /// Decodes the next object.
    ///
    /// # Errors
    /// [`ListError`]: the body is broken, too large, or no list. Nothing after an error is meaningful.
    pub(super) fn next(&mut self) -> Result<Step, ListError> {
        if self.is_hungry() {
            return Ok(Step::NeedMore);
        }
        loop {
            let Some(first) = self.text.next_byte() else {
                return match self.place {
                    Place::End if self.text.is_finished() => self.end(),
                    _ => self.wait(),
                };
            };
            match (self.place, first) {
                (Place::Start, b'{') | (Place::Items, b']') => self.enter(1, Place::Members),
                (Place::Members, b'}') => self.enter(1, Place::End),
                (Place::Members | Place::Items, b',') => self.text.advance(1),
                (Place::Members, _) => {
                    if !self.read_member()? {
                        return self.wait();
                    }
                }
                (Place::Items, _) => return self.read_item(),
                (Place::Start | Place::End, other) => {
                    return Err(unexpected("the members of a list", Some(&other)).into());
                }
            }
        }
    }

    fn enter(&mut self, bytes: usize, place: Place) {
        self.text.advance(bytes);
        self.place = place;
    }

    fn wait(&mut self) -> Result<Step, ListError> {
        if self.text.is_finished() {
            return Err(cut_short(self.text.rest()));
        }
        self.text.want_more().map_err(|TooLarge| ListError::TooLarge)?;
        Ok(Step::NeedMore)
    }

    fn read_item(&mut self) -> Result<Step, ListError> {
        let step = match self.text.seeded(0, Fields(&self.decoder)) {
            Ok(None) => return self.wait(),
            Ok(Some((value, bytes))) => Step::Object { value, bytes },
            // One bad object must not cost the others. Reading only its metadata needs no recursion and checks no
            // other values.
            Err(error) => match self.text.value::<Metadata>(0)? {
                None => return self.wait(),
                Some((Metadata { metadata: meta }, bytes)) => Step::Skipped { meta, error, bytes },
            },
        };
        let (Step::Object { bytes, .. } | Step::Skipped { bytes, .. }) = step else {
            return Ok(step);
        };
        self.text.advance(bytes);
        Ok(step)
    }

    /// Reads one member of the list itself; false when it has not arrived whole.
    fn read_member(&mut self) -> Result<bool, ListError> {
        let Some((key, used)) = self.text.member()? else {
            return Ok(false);
        };
        if key == "items" && self.text.rest().get(used) == Some(&b'[') {
            self.enter(used + 1, Place::Items);
            return Ok(true);
        }
        let value = match key.as_str() {
            "kind" => self.text.value(used)?.map(|(value, end)| (self.kind = value, end)),
            "metadata" => self.text.value(used)?.map(|(value, end)| (self.meta = value, end)),
            "code" => self
                .text
                .value(used)?
                .map(|(value, end)| (self.status.code = value, end)),
            "reason" => self
                .text
                .value(used)?
                .map(|(value, end)| (self.status.reason = value, end)),
            "message" => self
                .text
                .value(used)?
                .map(|(value, end)| (self.status.message = value, end)),
            "details" => self
                .text
                .value::<Option<StatusDetails>>(used)?
                .map(|(value, end)| (self.status.details = value, end)),
            _ => self.text.value::<IgnoredAny>(used)?.map(|(_, end)| ((), end)),
        };
        let Some(((), end)) = value else {
            return Ok(false);
        };
        self.text.advance(end);
        Ok(true)
    }

    fn end(&mut self) -> Result<Step, ListError> {
        if self.kind == "Status" {
            return Err(ListError::Status(Refusal::from(std::mem::take(&mut self.status))));
        }
        Ok(Step::End(std::mem::take(&mut self.meta)))
    }
}

fn cut_short(text: &[u8]) -> ListError {
    <serde_json::Error as serde::de::Error>::custom(format!(
        "the body ends in the middle, {} bytes after the last whole object",
        text.len()
    ))
    .into()
}

#[cfg(test)]
mod tests;
