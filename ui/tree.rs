//! Nested values on a page, within bounds.
#![expect(unused_qualifications, reason = "the derive of a template writes some for an enum")]

use askama::Template;
use serde_json::Value;

use crate::cell::{class, cut, scalar};

/// Deepest level that is shown; below it one cannot read any more.
const DEEPEST: usize = 10;
/// Most entries of one list or object.
const MOST_ENTRIES: usize = 200;
/// Most values of one page.
const MOST_VALUES: usize = 3000;
/// Longest text, in characters.
const LONGEST_TEXT: usize = 4000;
/// Longest name of an entry, in characters.
const LONGEST_NAME: usize = 200;

/// A value as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "tree.html")]
pub enum Tree {
    /// A value without parts.
    Scalar {
        /// The name of a class of the style sheet.
        class: &'static str,
        /// The text, perhaps only its beginning.
        text: String,
        /// Characters that are not shown.
        more: usize,
    },
    /// A list.
    List {
        /// The first items.
        items: Vec<Tree>,
        /// Items that are not shown.
        more: usize,
    },
    /// An object.
    Object {
        /// The first entries.
        entries: Vec<(String, Tree)>,
        /// Entries that are not shown.
        more: usize,
    },
    /// Something that is not shown, since there is too much around it.
    Hidden,
}

// It is a template that escapes what is put into it.
impl askama::filters::HtmlSafe for Tree {}

/// How many more values a page can show.
#[derive(Debug)]
pub struct Room(usize);

impl Default for Room {
    fn default() -> Self {
        Self(MOST_VALUES)
    }
}

impl Tree {
    /// A value, as far as there is room.
    pub fn new(value: &Value, room: &mut Room) -> Self {
        Self::at(value, 1, room)
    }

    fn at(value: &Value, depth: usize, room: &mut Room) -> Self {
        room.0 = room.0.saturating_sub(1);
        let is_deep = depth > DEEPEST;
        match value {
            Value::Array(items) if !items.is_empty() => {
                if is_deep || room.0 == 0 {
                    return Self::Hidden;
                }
                let items_shown: Vec<Self> = items
                    .iter()
                    .take(MOST_ENTRIES)
                    .map_while(|item| (room.0 > 0).then(|| Self::at(item, depth + 1, room)))
                    .collect();
                Self::List {
                    more: items.len() - items_shown.len(),
                    items: items_shown,
                }
            }
            Value::Object(members) if !members.is_empty() => {
                if is_deep || room.0 == 0 {
                    return Self::Hidden;
                }
                let entries: Vec<(String, Self)> = members
                    .iter()
                    .take(MOST_ENTRIES)
                    .map_while(|(name, value)| {
                        (room.0 > 0).then(|| (cut(name, LONGEST_NAME), Self::at(value, depth + 1, room)))
                    })
                    .collect();
                Self::Object {
                    more: members.len() - entries.len(),
                    entries,
                }
            }
            _ => Self::simple(value),
        }
    }

    fn simple(value: &Value) -> Self {
        let text = match value {
            Value::Array(_) => "no items".to_owned(),
            Value::Object(_) => "no entries".to_owned(),
            Value::String(text) if text.is_empty() => "empty text".to_owned(),
            other => scalar(other).unwrap_or_default(),
        };
        let shown: String = text.chars().take(LONGEST_TEXT).collect();
        let more = text.chars().count() - shown.chars().count();
        let class = match value {
            Value::Array(_) | Value::Object(_) => "empty",
            Value::String(text) if text.contains('\n') => "lines",
            other => class(other),
        };
        Self::Scalar {
            class,
            text: shown,
            more,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tree(value: &Value) -> Tree {
        Tree::new(value, &mut Room::default())
    }

    #[test]
    fn long_texts_and_lists_say_how_much_is_missing() {
        let Tree::Scalar { text, more, .. } = tree(&json!("é".repeat(10_000))) else {
            unreachable!("a text is a scalar")
        };
        assert_eq!((text.chars().count(), more), (4000, 6000));
        let Tree::List { items, more } = tree(&json!(vec![1; 1000])) else {
            unreachable!("a list is a list")
        };
        assert_eq!((items.len(), more), (200, 800));
    }

    #[test]
    fn what_is_too_deep_is_hidden_and_rendering_ends() {
        let deep = (0..100).fold(json!("bottom"), |value, _| json!({ "a": [value] }));
        let html = tree(&deep).render().unwrap();
        assert!(html.contains("not shown") && !html.contains("bottom"), "{html}");
    }

    #[test]
    fn a_page_shows_no_more_values_than_there_is_room_for() {
        let wide = json!(vec![vec![vec![1; 200]; 200]; 200]);
        let html = tree(&wide).render().unwrap();
        assert!(html.matches("<li>").count() <= MOST_VALUES, "{}", html.len());
    }
}
