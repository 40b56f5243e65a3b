//! Places in an ordered list of rows.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::{Order, SortBy};
use crate::ids::RowKey;

/// The place after one row, in one order.
///
/// **Shape**: the row's sort values and key; as text it is opaque, short and safe in an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    order: Order,
    values: Vec<String>,
    key: RowKey,
}

/// The text is not a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the place in the list is not valid; begin again with the first page")]
pub struct InvalidCursor;

#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(rename = "o")]
    by: String,
    #[serde(rename = "d")]
    descending: bool,
    #[serde(rename = "v")]
    values: Vec<String>,
    #[serde(rename = "t")]
    target: String,
    #[serde(rename = "u")]
    uid: String,
}

impl Cursor {
    /// The place after a row with these sort values, in the order of [`SortBy`]'s description.
    pub fn new(order: Order, values: Vec<String>, key: RowKey) -> Self {
        Self { order, values, key }
    }

    /// The sort values, if the cursor was made for this order and has `count` of them.
    ///
    /// # Errors
    /// [`InvalidCursor`]
    pub fn values_for(&self, order: Order, count: usize) -> Result<&[String], InvalidCursor> {
        let fits = self.order == order && self.values.len() == count;
        fits.then_some(self.values.as_slice()).ok_or(InvalidCursor)
    }

    /// The row's key.
    pub fn key(&self) -> &RowKey {
        &self.key
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stored = Stored {
            by: self.order.by.id().to_owned(),
            descending: self.order.descending,
            values: self.values.clone(),
            target: self.key.target.to_string(),
            uid: self.key.uid.to_string(),
        };
        let json = serde_json::to_string(&stored).map_err(|_| fmt::Error)?;
        f.write_str(&URL_SAFE_NO_PAD.encode(json))
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidCursor)?;
        let stored: Stored = serde_json::from_slice(&json).map_err(|_| InvalidCursor)?;
        Ok(Self {
            order: Order {
                by: SortBy::from_id(&stored.by).ok_or(InvalidCursor)?,
                descending: stored.descending,
            },
            values: stored.values,
            key: RowKey {
                target: Arc::from(stored.target),
                uid: Arc::from(stored.uid),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cursor(values: Vec<String>, descending: bool) -> Cursor {
        let order = Order {
            by: SortBy::Name,
            descending,
        };
        let key = RowKey {
            target: "apps".into(),
            uid: "u-1".into(),
        };
        Cursor::new(order, values, key)
    }

    proptest! {
        #[test]
        fn a_cursor_survives_its_text(values in proptest::collection::vec(any::<String>(), 0..3), descending: bool) {
            let cursor = cursor(values, descending);
            let text = cursor.to_string();
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'));
            prop_assert_eq!(text.parse::<Cursor>(), Ok(cursor));
        }

        #[test]
        fn no_text_makes_parsing_panic(text: String) {
            let _ = text.parse::<Cursor>();
        }
    }

    #[test]
    fn a_cursor_of_another_order_is_refused() {
        let cursor = cursor(vec!["web".into(), "shop".into()], false);
        let ascending = Order {
            by: SortBy::Name,
            descending: false,
        };
        assert_eq!(cursor.values_for(ascending, 2).map(<[String]>::len), Ok(2));
        assert_eq!(cursor.values_for(ascending, 1), Err(InvalidCursor));
        let descending = Order {
            descending: true,
            ..ascending
        };
        assert_eq!(cursor.values_for(descending, 2), Err(InvalidCursor));
        assert_eq!(cursor.values_for(Order::default(), 2), Err(InvalidCursor));
    }
}
