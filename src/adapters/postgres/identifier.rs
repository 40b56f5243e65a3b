//! Names of tables in SQL.

use sha2::{Digest as _, Sha256};

/// The server cuts longer identifiers off, silently.
const LONGEST_IDENTIFIER_BYTES: usize = 63;
/// Hexadecimal digits that keep two shortened names apart.
const MARK_DIGITS: usize = 8;

/// A table, as the catalogue stores its name and as SQL writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableName {
    /// Schema.
    pub(super) schema: String,
    /// Name within the schema.
    pub(super) name: String,
}

impl TableName {
    /// The table of a definition; names keep their case and may hold any character.
    pub(super) fn new(schema: &str, table: &str) -> Self {
        Self {
            schema: cut(schema, LONGEST_IDENTIFIER_BYTES).to_owned(),
            name: cut(table, LONGEST_IDENTIFIER_BYTES).to_owned(),
        }
    }

    /// The table beside this one whose name ends in `suffix`.
    ///
    /// A name that would be too long is shortened with a mark of the whole, since cutting it off would name another
    /// table, in the worst case this one.
    pub(super) fn sibling(&self, suffix: &str) -> Self {
        let plain = format!("{}{suffix}", self.name);
        let name = if plain.len() <= LONGEST_IDENTIFIER_BYTES {
            plain
        } else {
            let digest = Sha256::digest(self.name.as_bytes());
            let mark: Vec<String> = digest
                .iter()
                .take(MARK_DIGITS / 2)
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let room = LONGEST_IDENTIFIER_BYTES - suffix.len() - MARK_DIGITS - 1;
            format!("{}_{}{suffix}", cut(&self.name, room), mark.concat())
        };
        Self {
            schema: self.schema.clone(),
            name,
        }
    }

    /// The qualified, quoted name.
    pub(super) fn sql(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }
}

/// An identifier in double quotes, with embedded ones doubled.
pub(super) fn quoted(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}

/// The longest prefix of at most `limit` bytes that ends between characters.
fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

#[cfg(test)]
mod tests {
    use super::TableName;

    #[test]
    fn names_are_quoted_and_embedded_quotes_doubled() {
        assert_eq!(
            TableName::new("public", "inv\"entory").sql(),
            r#""public"."inv""entory""#
        );
        assert_eq!(
            TableName::new("Fleet A", "analytics.items").sql(),
            r#""Fleet A"."analytics.items""#
        );
    }

    #[test]
    fn a_sibling_of_a_short_name_carries_the_suffix() {
        assert_eq!(
            TableName::new("public", "items").sibling("_sync").sql(),
            r#""public"."items_sync""#
        );
        let longest_plain = "a".repeat(58);
        assert_eq!(
            TableName::new("public", &longest_plain).sibling("_sync").name,
            format!("{longest_plain}_sync")
        );
    }

    #[test]
    fn siblings_of_names_that_are_too_long_fit_and_stay_apart() {
        let (a, b) = (format!("{}x", "n".repeat(62)), format!("{}y", "n".repeat(62)));
        let (a, b) = (TableName::new("public", &a), TableName::new("public", &b));
        let (a_sync, b_sync) = (a.sibling("_sync"), b.sibling("_sync"));
        assert!(a_sync.name.len() <= 63 && a_sync.name.ends_with("_sync"));
        assert_ne!(a_sync.name, b_sync.name);
        assert_ne!(a_sync.name, a.name);
    }

    #[test]
    fn a_name_is_cut_where_the_server_cuts_it() {
        // 31 two-byte characters are 62 bytes; the next one does not fit any more.
        let name = "ä".repeat(40);
        assert_eq!(TableName::new("public", &name).name, "ä".repeat(31));
    }
}
