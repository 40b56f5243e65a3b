//! Names of tables in SQL.

/// Longest name, in bytes; the same as in PostgreSQL, so that an inventory can move between the two.
pub(super) const LONGEST_NAME_BYTES: usize = 63;
/// What `SQLite` keeps for itself.
const RESERVED_PREFIX: &str = "sqlite_";

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableName(String);

impl TableName {
    /// A table of this name; `None` when a table cannot have it.
    pub(super) fn new(name: &str) -> Option<Self> {
        let reserved = name
            .get(..RESERVED_PREFIX.len())
            .is_some_and(|prefix| prefix.eq_ignore_ascii_case(RESERVED_PREFIX));
        let usable = !name.trim().is_empty() && name.len() <= LONGEST_NAME_BYTES && !name.contains('\0') && !reserved;
        usable.then(|| Self(name.to_owned()))
    }

    /// The table beside this one whose name ends in `suffix`.
    pub(super) fn sibling(&self, suffix: &str) -> Self {
        Self(format!("{}{suffix}", self.0))
    }

    /// The name as the schema stores it.
    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// The quoted name.
    pub(super) fn sql(&self) -> String {
        quoted(&self.0)
    }
}

/// An identifier in double quotes, with embedded ones doubled.
pub(super) fn quoted(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::TableName;

    #[test]
    fn names_are_quoted_and_embedded_quotes_doubled() {
        let table = TableName::new("inv\"entory; DROP TABLE x").unwrap();
        assert_eq!(table.sql(), r#""inv""entory; DROP TABLE x""#);
        assert_eq!(table.sibling("_sync").sql(), r#""inv""entory; DROP TABLE x_sync""#);
    }

    #[rstest]
    #[case::blank(" ")]
    #[case::nul("a\0b")]
    #[case::reserved("SQLite_master")]
    #[case::too_long("1234567890123456789012345678901234567890123456789012345678901234")]
    fn names_that_no_table_can_have_are_none(#[case] name: &str) {
        assert_eq!(TableName::new(name), None);
    }

    #[test]
    fn names_with_other_letters_are_names() {
        assert!(TableName::new("bestände").is_some());
        assert!(TableName::new("sqlité").is_some());
    }
}
