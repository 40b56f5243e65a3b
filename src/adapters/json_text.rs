//! JSON text that arrives in pieces, decoded value by value straight from the buffer.
//!
//! There is no separate pass that looks for the ends of values: a value is decoded, and when its text has not arrived
//! whole, it is decoded again once enough more has. Asking again only after a large piece has doubled keeps that linear.

use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny};
use serde_json::Deserializer;

/// Largest single value. etcd refuses objects above 1.5 MiB; this leaves room for servers with their own storage and
/// keeps a broken text from filling the memory.
pub(crate) const VALUE_LIMIT_BYTES: usize = 16 << 20;

/// A value is larger than [`VALUE_LIMIT_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// The text that has arrived and was not used yet.
#[derive(Debug)]
pub(crate) struct JsonText {
    /// The text is `start..end`; the rest is room that was used before.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Text that is collected before an attempt.
    chunk_bytes: usize,
    /// With less text than this another attempt would fail again.
    worth_trying: usize,
    finished: bool,
    /// Line breaks in the text that was used.
    lines: u64,
}

impl JsonText {
    /// An empty text that reuses the memory of `buffer` and is decoded from `chunk_bytes` on.
    pub(crate) fn new(buffer: Vec<u8>, chunk_bytes: usize) -> Self {
        Self {
            buffer,
            start: 0,
            end: 0,
            chunk_bytes,
            worth_trying: chunk_bytes,
            finished: false,
            lines: 0,
        }
    }

    /// Adds text that has arrived.
    #[cfg(feature = "kube")]
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.room(chunk.len()).copy_from_slice(chunk);
        self.end += chunk.len();
    }

    /// Reads some text, straight into the buffer; the end of the source says that no more will arrive.
    ///
    /// # Errors
    /// The source's.
    #[cfg(feature = "files")]
    pub(crate) fn receive(&mut self, source: &mut dyn std::io::Read) -> std::io::Result<()> {
        let bytes = self.chunk_bytes;
        let arrived = source.read(self.room(bytes))?;
        self.end += arrived;
        self.finished |= arrived == 0;
        Ok(())
    }

    /// Room behind the text. What was used is overwritten before the buffer grows.
    fn room(&mut self, bytes: usize) -> &mut [u8] {
        if self.buffer.len() - self.end < bytes && self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.end < bytes {
            self.buffer.resize(self.end + bytes, 0);
        }
        &mut self.buffer[self.end..self.end + bytes]
    }

    /// Says that no more text will arrive.
    pub(crate) fn finish(&mut self) {
        self.finished = true;
    }

    /// Whether all text has arrived.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// True while too little text has arrived for another attempt to be worth it.
    pub(crate) fn is_hungry(&self) -> bool {
        self.rest().len() < self.worth_trying && !self.finished
    }

    /// Text that was not used yet.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Number of the line that the rest begins in, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.lines + 1
    }

    /// Number of the line of a byte of the rest, from 1.
    pub(crate) fn line_at(&self, offset: usize) -> u64 {
        self.line() + breaks(self.rest().get(..offset).unwrap_or(self.rest()))
    }

    /// Gives the buffer back for other text.
    #[cfg(feature = "kube")]
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Goes on behind the next bytes.
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.skip(bytes);
        self.worth_trying = self.chunk_bytes;
    }

    /// Skips white space and gives the byte behind it; `None` when nothing else has arrived.
    pub(crate) fn next_byte(&mut self) -> Option<u8> {
        self.skip(self.blanks(0));
        self.rest().first().copied()
    }

    fn skip(&mut self, bytes: usize) {
        self.lines += breaks(&self.rest()[..bytes]);
        self.start += bytes;
    }

    /// White space at `from`.
    pub(crate) fn blanks(&self, from: usize) -> usize {
        let rest = self.rest().get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// An attempt needs more text than there is.
    ///
    /// # Errors
    /// [`TooLarge`]
    pub(crate) fn want_more(&mut self) -> Result<(), TooLarge> {
        let length = self.rest().len();
        if length > VALUE_LIMIT_BYTES {
            return Err(TooLarge);
        }
        let doubled = length + length.max(self.chunk_bytes);
        self.worth_trying = doubled.min(VALUE_LIMIT_BYTES + 1);
        Ok(())
    }

    /// The value at `from` and where it ends; `None` when it has not arrived whole.
    ///
    /// # Errors
    /// What is there is not JSON or not such a value.
    pub(crate) fn value<'a, T: Deserialize<'a>>(
        &'a self,
        from: usize,
    ) -> Result<Option<(T, usize)>, serde_json::Error> {
        self.seeded(from, PhantomData::<T>)
    }

    /// As [`JsonText::value`], decoded by a seed.
    ///
    /// # Errors
    /// As [`JsonText::value`].
    pub(crate) fn seeded<'a, S: DeserializeSeed<'a>>(
        &'a self,
        from: usize,
        seed: S,
    ) -> Result<Option<(S::Value, usize)>, serde_json::Error> {
        let rest = self.rest().get(from..).unwrap_or_default();
        let mut deserializer = Deserializer::from_slice(rest);
        match seed.deserialize(&mut deserializer) {
            Ok(value) => {
                let used = deserializer.into_iter::<IgnoredAny>().byte_offset();
                // A number or word at the very end of the text may go on in the next piece.
                let closed = used < rest.len() || matches!(rest.last(), Some(b'}' | b']' | b'"'));
                Ok((closed || self.finished).then_some((value, from + used)))
            }
            Err(error) if error.is_eof() && !self.finished => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The name of a member at the front and where its value begins; `None` when they have not arrived.
    ///
    /// # Errors
    /// There is no member.
    pub(crate) fn member(&self) -> Result<Option<(String, usize)>, serde_json::Error> {
        let Some((name, mut used)) = self.value::<String>(0)? else {
            return Ok(None);
        };
        used += self.blanks(used);
        match self.rest().get(used) {
            None => return Ok(None),
            Some(b':') => used += 1,
            other => return Err(unexpected("a colon after the name of a member", other)),
        }
        used += self.blanks(used);
        Ok(Some((name, used)))
    }

    /// Decodes from however little text, as tests of pieces want it.
    #[cfg(test)]
    pub(crate) fn impatient(&mut self) {
        self.chunk_bytes = 1;
        self.worth_trying = 1;
    }
}

/// Something else stands where `what` should.
pub(crate) fn unexpected(what: &str, found: Option<&u8>) -> serde_json::Error {
    let found = found.map_or("the end".to_owned(), |byte| format!("{:?}", char::from(*byte)));
    serde::de::Error::custom(format!("expected {what}, found {found}"))
}

fn breaks(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}
