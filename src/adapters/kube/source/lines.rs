//! Cutting a watch's body into lines.

use bytes::BytesMut;

/// Longest line that is accepted: one event holds one object, which etcd limits to 1.5 MiB; the rest is room for
/// servers with their own storage.
pub(super) const LINE_LIMIT_BYTES: usize = 16 << 20;

/// Text that arrives in pieces and is taken out in lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: BytesMut,
    /// Text before this position holds no line end.
    searched: usize,
}

impl Lines {
    /// Adds text that has arrived.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// The next whole line, without its end; `None` when it has not arrived whole.
    pub(super) fn next_line(&mut self) -> Option<BytesMut> {
        let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
        let Some(found) = memchr::memchr(b'\n', unsearched) else {
            self.searched = self.buffer.len();
            return None;
        };
        let mut line = self.buffer.split_to(self.searched + found + 1);
        line.truncate(self.searched + found);
        self.searched = 0;
        Some(line)
    }

    /// Bytes of a line whose end has not arrived.
    pub(super) fn pending_bytes(&self) -> usize {
        self.buffer.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_the_text_arrives(
            lines in prop::collection::vec("[a-z]{0,20}", 0..20),
            unfinished in "[a-z]{0,5}",
            cuts in prop::collection::vec(1_usize..40, 1..40),
        ) {
            let mut text: Vec<u8> = lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
            text.extend_from_slice(unfinished.as_bytes());
            let mut rest = &text[..];
            let mut cutter = Lines::default();
            let mut found = Vec::new();
            for cut in cuts.iter().cycle() {
                let (chunk, later) = rest.split_at((*cut).min(rest.len()));
                cutter.push(chunk);
                while let Some(line) = cutter.next_line() {
                    found.push(String::from_utf8(line.to_vec()).unwrap());
                }
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(found, lines);
            prop_assert_eq!(cutter.pending_bytes(), unfinished.len());
        }
    }
}
