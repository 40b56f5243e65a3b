//! The canonical JSON encoding: one value, one text.
//!
//! Checksums and row digests are taken over this text, so it must not move between releases. It is compact, sorts
//! object members by the bytes of their names, escapes like an HTML-safe encoder, and prints numbers in the
//! shortest form that reads back as the same number.
//!
//! The text holds only what a Postgres `jsonb` column can hold, so a value that was written and read back encodes
//! to the same bytes: negative zero becomes `0`, whole doubles print as integers, and NUL characters, which `jsonb`
//! refuses, become U+FFFD and are counted.
//!
//! **Source**: RFC 8259 (JSON), ECMA-262 `Number::toString` (exponent thresholds), Postgres manual "JSON Types".

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// What a NUL character becomes.
const REPLACEMENT: char = '\u{fffd}';

/// The canonical text of a value, and how many of its characters had to be replaced.
///
/// **Shape**: the text reads back as an equal value, except for replaced characters.
pub fn encode(value: &Value) -> (String, u32) {
    let mut encoder = Encoder::with_capacity(64);
    encoder.value(value);
    encoder.finish()
}

/// Builds canonical text piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    text: String,
    replaced: u32,
}

impl Encoder {
    /// An encoder with room for `capacity` bytes.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            text: String::with_capacity(capacity),
            replaced: 0,
        }
    }

    /// The text so far and the number of replaced characters.
    pub(crate) fn finish(self) -> (String, u32) {
        (self.text, self.replaced)
    }

    /// Bytes written so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Punctuation and other text that needs no escape.
    pub(crate) fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Any value.
    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.raw("null"),
            Value::Bool(true) => self.raw("true"),
            Value::Bool(false) => self.raw("false"),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.string(text),
            Value::Array(items) => self.array(items),
            Value::Object(members) => self.object(members),
        }
    }

    fn array(&mut self, items: &[Value]) {
        self.raw("[");
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.raw(",");
            }
            self.value(item);
        }
        self.raw("]");
    }

    fn object(&mut self, members: &Map<String, Value>) {
        self.members(members.iter().map(|(name, value)| (name.as_str(), value)));
    }

    /// An object of the given members, sorted by name; of equal names the last wins.
    pub(crate) fn members<'a>(&mut self, members: impl Iterator<Item = (&'a str, &'a Value)> + Clone) {
        self.raw("{");
        if is_strictly_sorted_and_clean(members.clone()) {
            self.members_in_order(members);
        } else {
            self.members_reordered(members);
        }
        self.raw("}");
    }

    fn members_in_order<'a>(&mut self, members: impl Iterator<Item = (&'a str, &'a Value)>) {
        for (index, (name, value)) in members.enumerate() {
            if index > 0 {
                self.raw(",");
            }
            self.string(name);
            self.raw(":");
            self.value(value);
        }
    }

    /// Replacing characters can change the order of names and make two names equal, so sort after replacing.
    fn members_reordered<'a>(&mut self, members: impl Iterator<Item = (&'a str, &'a Value)>) {
        let mut sorted: BTreeMap<Cow<'a, str>, &'a Value> = BTreeMap::new();
        for (name, value) in members {
            let clean = self.without_nul(name);
            sorted.insert(clean, value);
        }
        for (index, (name, value)) in sorted.iter().enumerate() {
            if index > 0 {
                self.raw(",");
            }
            self.string(name);
            self.raw(":");
            self.value(value);
        }
    }

    fn without_nul<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        if !text.contains('\0') {
            return Cow::Borrowed(text);
        }
        self.count_replaced(text.matches('\0').count());
        Cow::Owned(text.replace('\0', "\u{fffd}"))
    }

    fn count_replaced(&mut self, characters: usize) {
        let characters = u32::try_from(characters).unwrap_or(u32::MAX);
        self.replaced = self.replaced.saturating_add(characters);
    }

    fn number(&mut self, number: &Number) {
        // Writing to a `String` cannot fail.
        let _ = if let Some(unsigned) = number.as_u64() {
            write!(self.text, "{unsigned}")
        } else if let Some(signed) = number.as_i64() {
            write!(self.text, "{signed}")
        } else {
            self.double(number.as_f64().unwrap_or(0.0))
        };
    }

    fn double(&mut self, number: f64) -> std::fmt::Result {
        let magnitude = number.abs();
        if magnitude == 0.0 {
            self.raw("0");
            return Ok(());
        }
        if (1e-6..1e21).contains(&magnitude) {
            return write!(self.text, "{number}");
        }
        let start = self.text.len();
        write!(self.text, "{number:e}")?;
        if magnitude >= 1e21 {
            // Rust writes `1e21`, the canonical form is `1e+21`.
            if let Some(exponent) = self.text[start..].find('e') {
                self.text.insert(start + exponent + 1, '+');
            }
        }
        Ok(())
    }

    /// A quoted string.
    pub(crate) fn string(&mut self, text: &str) {
        self.text.push('"');
        let bytes = text.as_bytes();
        let mut clean_from = 0;
        for (index, &byte) in bytes.iter().enumerate() {
            if !may_need_escape(byte) {
                continue;
            }
            let Some(width) = escaped_width(&bytes[index..]) else {
                continue;
            };
            self.text.push_str(&text[clean_from..index]);
            self.escape(&text[index..index + width]);
            clean_from = index + width;
        }
        self.text.push_str(&text[clean_from..]);
        self.text.push('"');
    }

    fn escape(&mut self, character: &str) {
        let escape = match character {
            "\"" => "\\\"",
            "\\" => "\\\\",
            "\u{8}" => "\\b",
            "\u{c}" => "\\f",
            "\n" => "\\n",
            "\r" => "\\r",
            "\t" => "\\t",
            "<" => "\\u003c",
            ">" => "\\u003e",
            "&" => "\\u0026",
            "\u{2028}" => "\\u2028",
            "\u{2029}" => "\\u2029",
            "\0" => {
                self.count_replaced(1);
                self.text.push(REPLACEMENT);
                return;
            }
            control => {
                let code = control.as_bytes().first().copied().unwrap_or_default();
                let _ = write!(self.text, "\\u{code:04x}");
                return;
            }
        };
        self.text.push_str(escape);
    }
}

fn is_strictly_sorted_and_clean<'a>(members: impl Iterator<Item = (&'a str, &'a Value)>) -> bool {
    let mut previous: Option<&str> = None;
    for (name, _) in members {
        if previous.is_some_and(|previous| previous >= name) || name.contains('\0') {
            return false;
        }
        previous = Some(name);
    }
    true
}

/// Bytes that start a character with an escape; `0xe2` starts U+2028 and U+2029 among others.
fn may_need_escape(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&' | 0xe2)
}

/// Length in bytes of the character at the start, if it has an escape.
fn escaped_width(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [0xe2, 0x80, 0xa8 | 0xa9, ..] => Some(3),
        [0xe2, ..] | [] => None,
        _ => Some(1),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn text(value: &Value) -> String {
        encode(value).0
    }

    #[rstest]
    #[case("0", "0")]
    #[case("-0", "0")]
    #[case("-0.0", "0")]
    #[case("3", "3")]
    #[case("3.0", "3")]
    #[case("-7", "-7")]
    #[case("0.5", "0.5")]
    #[case("1e-6", "0.000001")]
    #[case("1e-7", "1e-7")]
    #[case("1.5e-7", "1.5e-7")]
    #[case("1e20", "100000000000000000000")]
    #[case("1e21", "1e+21")]
    #[case("-2.5e300", "-2.5e+300")]
    #[case("18446744073709551615", "18446744073709551615")]
    #[case("-9223372036854775808", "-9223372036854775808")]
    fn numbers_print_in_their_shortest_form(#[case] source: &str, #[case] canonical: &str) {
        let value: Value = serde_json::from_str(source).unwrap();
        assert_eq!(text(&value), canonical);
    }

    #[test]
    fn strings_escape_controls_and_html() {
        let value = json!("a\"\\\u{8}\u{c}\n\r\t\u{1}\u{1f}/\u{7f}<>&\u{2028}\u{2029}é€\u{2030}");
        assert_eq!(
            text(&value),
            "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f/\u{7f}\\u003c\\u003e\\u0026\\u2028\\u2029é€\u{2030}\""
        );
    }

    #[test]
    fn members_are_sorted_by_bytes_at_every_depth() {
        let value: Value = serde_json::from_str(r#"{"b":[],"a":{"z":1,"Z":{}},"é":null}"#).unwrap();
        assert_eq!(text(&value), r#"{"a":{"Z":{},"z":1},"b":[],"é":null}"#);
    }

    #[test]
    fn nul_characters_are_replaced_and_counted_also_in_names() {
        let value = json!({"a\0b": "x\0\0y", "c": 1});
        let (text, replaced) = encode(&value);
        assert_eq!(text, "{\"a\u{fffd}b\":\"x\u{fffd}\u{fffd}y\",\"c\":1}");
        assert_eq!(replaced, 3);
    }

    #[test]
    fn names_that_become_equal_leave_one_member() {
        let value = json!({"k\0": 1, "k\u{fffd}": 2});
        assert_eq!(text(&value), "{\"k\u{fffd}\":2}");
    }
}
