//! Objects as YAML, laid out as `kubectl get -o yaml` does.
//!
//! A writer of its own, because it needs so little: what it writes is read back by a test. Every text on one line is
//! written as in JSON, which is YAML as well, so that none turns into a number or a date.

use serde_json::{Map, Value};

/// Appends a document, with the line that parts it from the one before.
pub(super) fn write(object: &Value, text: &mut String) {
    text.push_str("---\n");
    match object {
        Value::Object(members) if !members.is_empty() => write_members(members, 0, text),
        other => {
            write_scalar(other, text);
            text.push('\n');
        }
    }
}

/// One member a line; the first goes where the text ends.
fn write_members(members: &Map<String, Value>, indent: usize, text: &mut String) {
    for (number, (key, value)) in members.iter().enumerate() {
        if number > 0 {
            write_indent(indent, text);
        }
        write_key(key, text);
        text.push(':');
        write_value(value, indent, text);
    }
}

/// What follows a colon, to the end of its last line.
fn write_value(value: &Value, indent: usize, text: &mut String) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            text.push('\n');
            write_indent(indent + 2, text);
            write_members(members, indent + 2, text);
        }
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            for item in items {
                write_indent(indent, text);
                text.push('-');
                write_item(item, indent + 2, text);
            }
        }
        Value::String(lines) if is_block(lines) => {
            text.push_str(" |\n");
            for line in lines.lines() {
                write_indent(indent + 2, text);
                text.push_str(line);
                text.push('\n');
            }
        }
        scalar => {
            text.push(' ');
            write_scalar(scalar, text);
            text.push('\n');
        }
    }
}

/// What follows a dash. A list in a list has its own line.
fn write_item(item: &Value, indent: usize, text: &mut String) {
    match item {
        Value::Object(members) if !members.is_empty() => {
            text.push(' ');
            write_members(members, indent, text);
        }
        other => write_value(other, indent, text),
    }
}

/// Empty objects and lists look as in JSON, too.
fn write_scalar(scalar: &Value, text: &mut String) {
    text.push_str(&scalar.to_string());
}

/// Words that YAML 1.1 takes for something else than texts.
const NOT_TEXTS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// Keys that are words stand without quotes.
fn write_key(key: &str, text: &mut String) {
    let is_word = key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || "-./".contains(c))
        && !NOT_TEXTS.contains(&key);
    if is_word {
        text.push_str(key);
    } else {
        write_scalar(&Value::from(key), text);
    }
}

/// Whether a text is lines that a block shows as they are.
fn is_block(text: &str) -> bool {
    let is_plain = |c: char| c == '\n' || (!c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'));
    text.ends_with('\n') && !text.ends_with("\n\n") && !text.starts_with([' ', '\n']) && text.chars().all(is_plain)
}

fn write_indent(indent: usize, text: &mut String) {
    text.extend(std::iter::repeat_n(' ', indent));
}
