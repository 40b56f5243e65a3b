//! Addresses of our own pages.

use std::fmt::Write as _;

use kollect_domain::ids::RowKey;
use kollect_ports::query::{Cursor, InventoryId, Order};

use crate::names;
use crate::query::ListQuery;
use crate::settings::BasePath;

/// A page or its JSON twin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Html,
    /// For programs.
    Json,
}

/// The address of a list.
pub fn list(base: &BasePath, format: Format, query: &ListQuery) -> String {
    let file = match format {
        Format::Html => "",
        Format::Json => "index.json",
    };
    let mut address = Address::new(base, file);
    if let Some(inventory) = &query.inventory {
        address.add("inventory", &names::inventory_word(inventory));
    }
    if let Some(kind) = &query.kind {
        address.add("kind", &names::kind_word(kind));
    }
    if !query.text.is_empty() {
        address.add("q", &query.text);
    }
    if query.order != Order::default() {
        address.add("sort", query.order.by.id());
        address.add("order", if query.order.descending { "desc" } else { "asc" });
    }
    if let Some(limit) = query.limit {
        address.add("limit", &limit.to_string());
    }
    if let Some(after) = &query.after {
        address.add("after", &Cursor::to_string(after));
    }
    address.0
}

/// The address of a row.
pub fn row(base: &BasePath, format: Format, inventory: &InventoryId, key: &RowKey) -> String {
    let file = match format {
        Format::Html => "row",
        Format::Json => "row.json",
    };
    let mut address = Address::new(base, file);
    address.add("inventory", &names::inventory_word(inventory));
    address.add("target", &key.target);
    address.add("uid", &key.uid);
    address.0
}

struct Address(String);

impl Address {
    fn new(base: &BasePath, file: &str) -> Self {
        Self(format!("{base}/{file}"))
    }

    fn add(&mut self, name: &str, value: &str) {
        self.0.push(if self.0.contains('?') { '&' } else { '?' });
        self.0.push_str(name);
        self.0.push('=');
        for byte in value.bytes() {
            // Unreserved characters, and two that mean nothing in a query and are read more easily as they are.
            if byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte) {
                self.0.push(char::from(byte));
            } else {
                // Writing to a text does not fail.
                let _ = write!(self.0, "%{byte:02X}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kollect_domain::ids::NamespacedName;
    use kollect_ports::query::{GroupKind, SortBy};
    use proptest::prelude::*;

    use super::*;
    use crate::query::RowQuery;
    use crate::settings::Settings;

    fn inventory(name: &str) -> InventoryId {
        InventoryId {
            cluster: "north 1".into(),
            inventory: NamespacedName::new("shop", name),
        }
    }

    #[test]
    fn what_is_usual_is_left_out() {
        let query = ListQuery::read(&"/?inventory=shop/all".parse().unwrap(), &Settings::default()).unwrap();
        let base = "/tools".parse().unwrap();
        assert_eq!(list(&base, Format::Html, &query), "/tools/?inventory=shop/all");
        assert_eq!(
            list(&base, Format::Json, &query),
            "/tools/index.json?inventory=shop/all"
        );
    }

    proptest! {
        #[test]
        fn a_list_is_found_again_by_its_address(text in "[a-zé&=#%+?/ ]{0,20}", group in "[a-z.]{0,9}", descending: bool) {
            let query = ListQuery {
                inventory: Some(inventory("a&b=c#d")),
                kind: Some(GroupKind { group: group.as_str().into(), kind: "Pod".into() }),
                text: text.trim().to_owned(),
                order: Order { by: SortBy::ExportedAt, descending },
                after: Some(Cursor::new(Order::default(), vec![text], RowKey { target: "t".into(), uid: "u".into() })),
                limit: std::num::NonZeroU32::new(7),
            };
            let uri = list(&BasePath::default(), Format::Html, &query).parse().unwrap();
            prop_assert_eq!(ListQuery::read(&uri, &Settings::default()), Ok(query));
        }

        #[test]
        fn a_row_is_found_again_by_its_address(target in "[a-zé&=#%+?/ ]{1,20}", uid in "[!-~]{1,20}") {
            let key = RowKey { target: target.into(), uid: uid.into() };
            let uri = row(&BasePath::default(), Format::Html, &inventory("é/%"), &key).parse().unwrap();
            prop_assert_eq!(RowQuery::read(&uri), Ok(RowQuery { inventory: inventory("é/%"), key }));
        }
    }
}
