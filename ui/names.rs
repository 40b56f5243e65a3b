//! Inventories and kinds as one word in an address.
//!
//! An inventory is `namespace/name`, with its cluster label and a slash in front if it has one; a kind is `Kind` or
//! `Kind.group`, as kubectl takes it. Separators inside a part, which Kubernetes does not allow but a database may
//! hold, are escaped, so that different things never have the same word.

use std::fmt::Write as _;

use kollect_ports::query::{GroupKind, InventoryId};

/// The word of an inventory.
pub fn inventory_word(id: &InventoryId) -> String {
    let own = format!(
        "{}/{}",
        escape(&id.inventory.namespace, '/'),
        escape(&id.inventory.name, '/')
    );
    match &*id.cluster {
        "" => own,
        cluster => format!("{}/{own}", escape(cluster, '/')),
    }
}

/// The inventory of a word.
pub fn inventory_of(word: &str) -> Option<InventoryId> {
    let parts: Vec<&str> = word.split('/').collect();
    let (cluster, namespace, name) = match parts[..] {
        [namespace, name] => ("", namespace, name),
        [cluster, namespace, name] if !cluster.is_empty() => (cluster, namespace, name),
        _ => return None,
    };
    if name.is_empty() {
        return None;
    }
    Some(InventoryId {
        cluster: unescape(cluster)?.into(),
        inventory: kollect_domain::ids::NamespacedName::new(&unescape(namespace)?, &unescape(name)?),
    })
}

/// The word of a kind.
pub fn kind_word(kind: &GroupKind) -> String {
    let mut word = escape(&kind.kind, '.');
    // A kind without a name still has a word, so that rows of other programs can be chosen.
    if !kind.group.is_empty() || word.is_empty() {
        word.push('.');
        word.push_str(&kind.group);
    }
    word
}

/// The kind of a word.
pub fn kind_of(word: &str) -> Option<GroupKind> {
    let (kind, group) = word.split_once('.').unwrap_or((word, ""));
    Some(GroupKind {
        group: group.into(),
        kind: unescape(kind)?.into(),
    })
}

fn escape(part: &str, separator: char) -> String {
    let mut escaped = String::with_capacity(part.len());
    for c in part.chars() {
        if c == separator || c == '%' {
            // Writing to a text does not fail.
            let _ = write!(escaped, "%{:02X}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn unescape(part: &str) -> Option<String> {
    let mut pieces = part.split('%');
    let mut plain = pieces.next()?.to_owned();
    for piece in pieces {
        let (code, rest) = piece.split_at_checked(2)?;
        plain.push(char::from(u8::from_str_radix(code, 16).ok().filter(u8::is_ascii)?));
        plain.push_str(rest);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use kollect_domain::ids::NamespacedName;
    use proptest::prelude::*;

    use super::*;

    fn inventory(cluster: &str, namespace: &str, name: &str) -> InventoryId {
        InventoryId {
            cluster: cluster.into(),
            inventory: NamespacedName::new(namespace, name),
        }
    }

    #[test]
    fn words_read_as_people_write_them() {
        assert_eq!(inventory_word(&inventory("", "shop", "all")), "shop/all");
        assert_eq!(inventory_word(&inventory("north-1", "shop", "all")), "north-1/shop/all");
        let kind = |group: &str, kind: &str| GroupKind {
            group: group.into(),
            kind: kind.into(),
        };
        assert_eq!(kind_word(&kind("", "Pod")), "Pod");
        assert_eq!(
            kind_word(&kind("networking.k8s.io", "Ingress")),
            "Ingress.networking.k8s.io"
        );
    }

    #[test]
    fn what_is_no_word_is_refused() {
        for word in [
            "",
            "shop",
            "/shop/all",
            "shop/",
            "a/b/c/d",
            "shop/%",
            "shop/%zz",
            "shop/%é1",
        ] {
            assert_eq!(inventory_of(word), None, "{word}");
        }
    }

    proptest! {
        #[test]
        fn a_word_leads_back_to_what_it_was_made_of(cluster: String, namespace: String, name in ".+") {
            let id = inventory(&cluster, &namespace, &name);
            prop_assert_eq!(inventory_of(&inventory_word(&id)), Some(id));
        }

        #[test]
        fn the_word_of_a_kind_leads_back_to_it(group: String, kind: String) {
            let kind = GroupKind { group: group.into(), kind: kind.into() };
            prop_assert_eq!(kind_of(&kind_word(&kind)), Some(kind));
        }
    }
}
