//! What an address asks for.

use std::num::NonZeroU32;

use axum::http::Uri;
use kollect_domain::ids::RowKey;
use kollect_ports::query::{Cursor, GroupKind, InventoryId, Order, SortBy};

use crate::names;
use crate::parameters::{InvalidParameter, Parameter, Parameters};
use crate::settings::Settings;

const INVENTORY: Parameter = Parameter {
    name: "inventory",
    longest: 800,
};
const LIST: &[Parameter] = &[
    INVENTORY,
    Parameter {
        name: "kind",
        longest: 400,
    },
    Parameter {
        name: "q",
        longest: 200,
    },
    Parameter {
        name: "sort",
        longest: 16,
    },
    Parameter {
        name: "order",
        longest: 4,
    },
    Parameter {
        name: "limit",
        longest: 10,
    },
    Parameter {
        name: "after",
        longest: 4096,
    },
];
const ROW: &[Parameter] = &[
    INVENTORY,
    Parameter {
        name: "target",
        longest: 512,
    },
    Parameter {
        name: "uid",
        longest: 512,
    },
];

/// What the list page is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListQuery {
    /// The inventory, if one was chosen.
    pub inventory: Option<InventoryId>,
    /// The kind, if one was chosen.
    pub kind: Option<GroupKind>,
    /// The text to be found, without the space around it; empty = all.
    pub text: String,
    /// The order.
    pub order: Order,
    /// Where the page begins.
    pub after: Option<Cursor>,
    /// Rows of the page; `None` = the setting.
    pub limit: Option<NonZeroU32>,
}

/// What the row page is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowQuery {
    /// The inventory.
    pub inventory: InventoryId,
    /// The row.
    pub key: RowKey,
}

impl ListQuery {
    /// The question of an address.
    pub fn read(uri: &Uri, settings: &Settings) -> Result<Self, InvalidParameter> {
        let parameters = Parameters::read(uri, LIST)?;
        let inventory = parameters.get("inventory").map(inventory).transpose()?;
        let kind = parameters.get("kind").map(kind).transpose()?;
        let by = parameters.get("sort").map(sort).transpose()?.unwrap_or_default();
        let descending = parameters.get("order").map(descending).transpose()?;
        let limit = parameters
            .get("limit")
            .map(|text| limit(text, settings.max_page_rows))
            .transpose()?;
        let after = parameters.get("after").map(after).transpose()?;
        Ok(Self {
            inventory,
            kind,
            text: parameters.get("q").unwrap_or_default().trim().to_owned(),
            order: Order {
                by,
                descending: descending.unwrap_or_default(),
            },
            after,
            limit,
        })
    }

    /// Whether rows are left out by choice.
    pub fn is_narrowed(&self) -> bool {
        self.kind.is_some() || !self.text.is_empty()
    }
}

impl RowQuery {
    /// The question of an address.
    pub fn read(uri: &Uri) -> Result<Self, InvalidParameter> {
        let parameters = Parameters::read(uri, ROW)?;
        Ok(Self {
            inventory: inventory(parameters.required("inventory")?)?,
            key: RowKey {
                target: parameters.required("target")?.into(),
                uid: parameters.required("uid")?.into(),
            },
        })
    }
}

/// Refuses all parameters.
pub fn nothing(uri: &Uri) -> Result<(), InvalidParameter> {
    Parameters::read(uri, &[]).map(drop)
}

fn value(name: &'static str, wanted: impl Into<String>) -> InvalidParameter {
    InvalidParameter::Value {
        name,
        wanted: wanted.into(),
    }
}

fn inventory(text: &str) -> Result<InventoryId, InvalidParameter> {
    names::inventory_of(text).ok_or_else(|| value("inventory", "`namespace/name` or `cluster/namespace/name`"))
}

fn kind(text: &str) -> Result<GroupKind, InvalidParameter> {
    names::kind_of(text).ok_or_else(|| value("kind", "`Kind` or `Kind.group`"))
}

fn sort(text: &str) -> Result<SortBy, InvalidParameter> {
    SortBy::from_id(text).ok_or_else(|| value("sort", "`namespace`, `name`, `kind` or `exported`"))
}

fn descending(text: &str) -> Result<bool, InvalidParameter> {
    match text {
        "asc" => Ok(false),
        "desc" => Ok(true),
        _ => Err(value("order", "`asc` or `desc`")),
    }
}

fn limit(text: &str, most: NonZeroU32) -> Result<NonZeroU32, InvalidParameter> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|limit| is_number && *limit <= most)
        .ok_or_else(|| value("limit", format!("a number from 1 to {most}")))
}

fn after(text: &str) -> Result<Cursor, InvalidParameter> {
    text.parse().map_err(|_| {
        value(
            "after",
            "the place of a page, as a list names it; begin again with the first page",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(query: &str) -> Result<ListQuery, InvalidParameter> {
        ListQuery::read(&format!("/?{query}").parse().unwrap(), &Settings::default())
    }

    #[test]
    fn an_address_without_parameters_asks_for_all_in_the_usual_order() {
        let query = list("inventory=&kind=&q=+&sort=&order=").unwrap();
        assert_eq!(query, list("").unwrap());
        assert_eq!(query.order, Order::default());
        assert!(!query.is_narrowed());
    }

    #[test]
    fn values_that_cannot_be_are_refused_by_name() {
        for (query, name) in [
            ("inventory=shop", "inventory"),
            ("kind=%25", "kind"),
            ("sort=uid", "sort"),
            ("order=up", "order"),
            ("limit=0", "limit"),
            ("limit=501", "limit"),
            ("limit=%2B5", "limit"),
            ("limit=-1", "limit"),
            ("after=x", "after"),
        ] {
            let refused = list(query).unwrap_err();
            assert!(
                matches!(&refused, InvalidParameter::Value { name: refused, .. } if *refused == name),
                "{query}: {refused}"
            );
        }
    }
}
