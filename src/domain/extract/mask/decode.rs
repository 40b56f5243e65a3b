//! Decoding under a mask, in one pass over the text.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{Mask, Node};

/// Deserialises one value and keeps what the mask keeps. Integers of 64 bits stay exact; of duplicate members the last
/// one wins, as in `serde_json`.
impl<'de> DeserializeSeed<'de> for &Mask {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Seed(&self.node).deserialize(deserializer)
    }
}

#[derive(Clone, Copy)]
struct Seed<'m>(&'m Node);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut kept = Vec::new();
        while let Some(element) = elements.next_element_seed(self)? {
            kept.push(element);
        }
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        match self.0 {
            Node::All => {
                while let Some(name) = members.next_key::<String>()? {
                    kept.insert(name, members.next_value_seed(self)?);
                }
            }
            Node::Members(wanted) => {
                while let Some(Kept(found)) = members.next_key_seed(Names(wanted))? {
                    match found {
                        Some((name, node)) => {
                            kept.insert(name.to_owned(), members.next_value_seed(Seed(node))?);
                        }
                        None => {
                            members.next_value::<IgnoredAny>()?;
                        }
                    }
                }
            }
        }
        Ok(Value::Object(kept))
    }
}

/// Looks a member's name up without building a string for names that are not kept.
struct Names<'m>(&'m std::collections::BTreeMap<Box<str>, Node>);

struct Kept<'m>(Option<(&'m str, &'m Node)>);

impl<'de, 'm> DeserializeSeed<'de> for Names<'m> {
    type Value = Kept<'m>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kept<'m>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'m> Visitor<'_> for Names<'m> {
    type Value = Kept<'m>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a member name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Kept<'m>, E> {
        Ok(Kept(self.0.get_key_value(name).map(|(name, node)| (&**name, node))))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn decode(mask: &Mask, text: &str) -> serde_json::Result<Value> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let value = mask.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(value)
    }

    fn mask(paths: &[&[&str]]) -> Mask {
        let mut mask = Mask::default();
        for path in paths {
            mask.keep(path.iter().copied());
        }
        mask
    }

    #[test]
    fn lists_are_transparent_and_everything_below_a_kept_path_stays() {
        let mask = mask(&[&["spec", "containers", "image"], &["metadata", "name"]]);
        let object = json!({
            "metadata": {"name": "cart", "managedFields": [{"a": 1}]},
            "spec": {"replicas": 3, "containers": [{"image": "a", "env": []}, {"image": "b"}]},
            "status": {"ready": true},
        });
        assert_eq!(
            decode(&mask, &object.to_string()).unwrap(),
            json!({"metadata": {"name": "cart"}, "spec": {"containers": [{"image": "a"}, {"image": "b"}]}})
        );
        assert_eq!(mask.paths(), ["metadata.name", "spec.containers.image"]);
    }

    #[test]
    fn a_mask_that_keeps_a_parent_keeps_its_children_in_either_order() {
        let parent_last = mask(&[&["a", "b"], &["a"]]);
        let parent_first = mask(&[&["a"], &["a", "b"]]);
        assert_eq!(parent_last, parent_first);
        assert_eq!(parent_last.paths(), ["a"]);
    }

    #[test]
    fn integers_stay_exact_and_the_last_duplicate_wins() {
        let mask = Mask::all();
        let value = decode(&mask, r#"{"a":9007199254740993,"b":18446744073709551615,"a":-9223372036854775808}"#).unwrap();
        assert_eq!(value, json!({"a": i64::MIN, "b": u64::MAX}));
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(decode(&Mask::all(), &text).is_err());
        assert!(decode(&mask(&[&["a"]]), &format!("{{\"b\":{text}}}")).is_err());
    }

    fn object() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-c]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a-c]", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn decoding_under_a_mask_equals_decoding_whole_and_pruning(
            object in object(),
            paths in proptest::collection::vec(proptest::collection::vec("[a-c]", 0..4), 0..4),
        ) {
            let mut mask = Mask::default();
            for path in &paths {
                mask.keep(path.iter().map(String::as_str));
            }
            let mut pruned = object.clone();
            mask.prune(&mut pruned);
            prop_assert_eq!(decode(&mask, &object.to_string()).unwrap(), pruned);
        }

        #[test]
        fn merging_keeps_what_either_keeps(
            object in object(),
            a in proptest::collection::vec("[a-c]", 0..4),
            b in proptest::collection::vec("[a-c]", 0..4),
        ) {
            let one = |path: &Vec<String>| {
                let mut mask = Mask::default();
                mask.keep(path.iter().map(String::as_str));
                mask
            };
            let union = Mask::union([&one(&a), &one(&b)]);
            let mut pruned = object.clone();
            union.prune(&mut pruned);
            for mask in [one(&a), one(&b)] {
                let (mut from_whole, mut from_union) = (object.clone(), pruned.clone());
                mask.prune(&mut from_whole);
                mask.prune(&mut from_union);
                prop_assert_eq!(from_whole, from_union);
            }
        }
    }
}
