//! Decoding a list's body while it arrives: object by object, without ever holding the whole page.
//!
//! The body is read as the JSON object it is, member by member; only `items` is entered. So the metadata may stand
//! before the items (built-in kinds) or after them (custom resources), and text inside strings can never be mistaken
//! for structure. Objects are decoded straight from the buffer; there is no separate pass that looks for their ends.

use std::marker::PhantomData;

use bytes::{Buf, BytesMut};
use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny};
use serde_json::{Deserializer, Value};

use super::decoder::{Fields, ObjectDecoder};
use super::object::{Meta, Metadata};
use crate::kube::client::{Refusal, Status, StatusDetails};

/// Text that is collected before the first attempt to decode it: large enough that few objects straddle two chunks.
const CHUNK_BYTES: usize = 128 << 10;
/// Largest single piece (one object, or one other member). etcd refuses objects above 1.5 MiB; this leaves room for
/// servers with their own storage and keeps a broken one from filling the memory.
pub(super) const PIECE_LIMIT_BYTES: usize = 16 << 20;

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
    buffer: BytesMut,
    place: Place,
    /// Text that is collected before an attempt.
    chunk_bytes: usize,
    /// With less text than this another attempt would fail again.
    worth_trying: usize,
    finished: bool,
    kind: String,
    meta: ListMeta,
    status: Status,
}

impl<D: ObjectDecoder> ListDecoder<D> {
    /// A decoder that reuses the memory of `buffer`.
    pub(super) fn new(decoder: D, mut buffer: BytesMut) -> Self {
        buffer.clear();
        Self {
            decoder,
            buffer,
            place: Place::Start,
            chunk_bytes: CHUNK_BYTES,
            worth_trying: CHUNK_BYTES,
            finished: false,
            kind: String::new(),
            meta: ListMeta::default(),
            status: Status::default(),
        }
    }

    /// Adds text that has arrived.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// Says that the body has ended.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }

    /// True while too little text has arrived for another attempt to be worth it.
    pub(super) fn is_hungry(&self) -> bool {
        self.buffer.len() < self.worth_trying && !self.finished
    }

    /// Gives the buffer back for the next page.
    pub(super) fn into_buffer(self) -> BytesMut {
        self.buffer
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
            let Some(first) = self.next_byte() else {
                return match self.place {
                    Place::End if self.finished => self.end(),
                    _ => self.wait(),
                };
            };
            match (self.place, first) {
                (Place::Start, b'{') | (Place::Items, b']') => self.enter(1, Place::Members),
                (Place::Members, b'}') => self.enter(1, Place::End),
                (Place::Members | Place::Items, b',') => self.buffer.advance(1),
                (Place::Members, _) => {
                    if !self.read_member()? {
                        return self.wait();
                    }
                }
                (Place::Items, _) => return self.read_item(),
                (Place::Start | Place::End, _) => return Err(not_an_object(&self.buffer)),
            }
        }
    }

    fn enter(&mut self, bytes: usize, place: Place) {
        self.buffer.advance(bytes);
        self.place = place;
    }

    /// Skips white space.
    fn next_byte(&mut self) -> Option<u8> {
        let blank = self.buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.buffer.advance(blank);
        self.buffer.first().copied()
    }

    fn wait(&mut self) -> Result<Step, ListError> {
        if self.finished {
            return Err(cut_short(&self.buffer));
        }
        if self.buffer.len() > PIECE_LIMIT_BYTES {
            return Err(ListError::TooLarge);
        }
        // Trying again only after a large piece has doubled keeps it linear.
        let doubled = self.buffer.len() + self.buffer.len().max(self.chunk_bytes);
        self.worth_trying = doubled.min(PIECE_LIMIT_BYTES + 1);
        Ok(Step::NeedMore)
    }

    fn read_item(&mut self) -> Result<Step, ListError> {
        let step = match self.front(0, Fields(&self.decoder)) {
            Ok(None) => return self.wait(),
            Ok(Some((value, bytes))) => Step::Object { value, bytes },
            // One bad object must not cost the others. Reading only its metadata needs no recursion and checks no
            // other values.
            Err(error) => match self.front(0, PhantomData::<Metadata>)? {
                None => return self.wait(),
                Some((Metadata { metadata: meta }, bytes)) => Step::Skipped { meta, error, bytes },
            },
        };
        let (Step::Object { bytes, .. } | Step::Skipped { bytes, .. }) = step else {
            return Ok(step);
        };
        self.buffer.advance(bytes);
        Ok(step)
    }

    /// Reads one member of the list itself; false when it has not arrived whole.
    fn read_member(&mut self) -> Result<bool, ListError> {
        let Some((key, mut used)) = self.text(0)? else {
            return Ok(false);
        };
        used += self.blanks(used);
        match self.buffer.get(used) {
            None => return Ok(false),
            Some(b':') => used += 1,
            Some(_) => return Err(not_an_object(&self.buffer)),
        }
        used += self.blanks(used);
        if key == "items" && self.buffer.get(used) == Some(&b'[') {
            self.enter(used + 1, Place::Items);
            return Ok(true);
        }
        let value = match key.as_str() {
            "kind" => self.member(used)?.map(|(value, end)| (self.kind = value, end)),
            "metadata" => self.member(used)?.map(|(value, end)| (self.meta = value, end)),
            "code" => self.member(used)?.map(|(value, end)| (self.status.code = value, end)),
            "reason" => self.member(used)?.map(|(value, end)| (self.status.reason = value, end)),
            "message" => self
                .member(used)?
                .map(|(value, end)| (self.status.message = value, end)),
            "details" => self
                .member::<Option<StatusDetails>>(used)?
                .map(|(value, end)| (self.status.details = value, end)),
            _ => self.member::<IgnoredAny>(used)?.map(|(_, end)| ((), end)),
        };
        let Some(((), end)) = value else {
            return Ok(false);
        };
        self.buffer.advance(end);
        Ok(true)
    }

    fn text(&self, from: usize) -> Result<Option<(String, usize)>, ListError> {
        self.member(from)
    }

    fn blanks(&self, from: usize) -> usize {
        let rest = self.buffer.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// The value at `from` and where it ends.
    fn member<'a, T: Deserialize<'a>>(&'a self, from: usize) -> Result<Option<(T, usize)>, ListError> {
        let found = self.front(from, PhantomData::<T>)?;
        Ok(found.map(|(value, bytes)| (value, from + bytes)))
    }

    /// Decodes one value at `from`; `None` when it has not arrived whole.
    fn front<'a, S: DeserializeSeed<'a>>(
        &'a self,
        from: usize,
        seed: S,
    ) -> Result<Option<(S::Value, usize)>, serde_json::Error> {
        let rest = self.buffer.get(from..).unwrap_or_default();
        let mut deserializer = Deserializer::from_slice(rest);
        match seed.deserialize(&mut deserializer) {
            Ok(value) => {
                let used = deserializer.into_iter::<IgnoredAny>().byte_offset();
                // A number or word at the very end of the text may go on in the next chunk.
                let closed = used < rest.len() || matches!(rest.last(), Some(b'}' | b']' | b'"'));
                Ok((closed || self.finished).then_some((value, used)))
            }
            Err(error) if error.is_eof() && !self.finished => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn end(&mut self) -> Result<Step, ListError> {
        if self.kind == "Status" {
            return Err(ListError::Status(Refusal::from(std::mem::take(&mut self.status))));
        }
        Ok(Step::End(std::mem::take(&mut self.meta)))
    }
}

fn not_an_object(text: &[u8]) -> ListError {
    <serde_json::Error as serde::de::Error>::custom(format!(
        "expected the members of a list, found {:?}",
        text.first().map(|byte| char::from(*byte))
    ))
    .into()
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
