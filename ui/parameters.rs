//! The parameters of an address, read strictly.

use std::collections::BTreeMap;

use axum::extract::Query;
use axum::http::Uri;

/// Longest query string in bytes; a cursor of the longest names fits twice.
const LONGEST_QUERY: usize = 8 * 1024;
/// Longest part of a refused name that is repeated to the reader.
const LONGEST_NAME: usize = 40;

/// A parameter that a page knows.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Most bytes of its value.
    pub longest: usize,
}

/// Values by name; empty ones, which forms send for fields that nobody filled, are as good as none.
#[derive(Debug)]
pub struct Parameters(BTreeMap<&'static str, String>);

/// Why an address cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidParameter {
    /// The query string is too long or not encoded as forms encode theirs.
    #[error("the part after `?` cannot be read")]
    Unreadable,
    /// A name that the page does not know.
    #[error("there is no parameter `{name}` here; known are {known}")]
    Unknown {
        /// The name, shortened.
        name: String,
        /// The names that are known.
        known: String,
    },
    /// A name that is there twice.
    #[error("the parameter `{0}` is there twice; keep one")]
    Repeated(&'static str),
    /// A value that is too long.
    #[error("the parameter `{name}` is longer than {longest} bytes; shorten it")]
    TooLong {
        /// The parameter.
        name: &'static str,
        /// Most bytes.
        longest: usize,
    },
    /// A value with characters that no name or text has.
    #[error("the parameter `{0}` has control characters or is not UTF-8; remove them")]
    Characters(&'static str),
    /// A value that is missing.
    #[error("the parameter `{0}` is missing")]
    Missing(&'static str),
    /// A value that the parameter cannot have.
    #[error("the parameter `{name}` must be {wanted}")]
    Value {
        /// The parameter.
        name: &'static str,
        /// What it may be.
        wanted: String,
    },
}

impl Parameters {
    /// The parameters of an address.
    pub fn read(uri: &Uri, known: &[Parameter]) -> Result<Self, InvalidParameter> {
        if uri.query().is_some_and(|query| query.len() > LONGEST_QUERY) {
            return Err(InvalidParameter::Unreadable);
        }
        let Query(pairs) =
            Query::<Vec<(String, String)>>::try_from_uri(uri).map_err(|_| InvalidParameter::Unreadable)?;
        let mut values = BTreeMap::new();
        for (name, value) in pairs {
            let parameter = known
                .iter()
                .find(|parameter| parameter.name == name)
                .ok_or_else(|| unknown(&name, known))?;
            check(*parameter, &value)?;
            if values.insert(parameter.name, value).is_some() {
                return Err(InvalidParameter::Repeated(parameter.name));
            }
        }
        values.retain(|_, value| !value.is_empty());
        Ok(Self(values))
    }

    /// A value, if there is one.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A value that must be there.
    pub fn required(&self, name: &'static str) -> Result<&str, InvalidParameter> {
        self.get(name).ok_or(InvalidParameter::Missing(name))
    }
}

fn check(parameter: Parameter, value: &str) -> Result<(), InvalidParameter> {
    let Parameter { name, longest } = parameter;
    if value.len() > longest {
        return Err(InvalidParameter::TooLong { name, longest });
    }
    // Bytes that are not UTF-8 arrive as the replacement character.
    if value
        .chars()
        .any(|c| c.is_control() || c == char::REPLACEMENT_CHARACTER)
    {
        return Err(InvalidParameter::Characters(name));
    }
    Ok(())
}

fn unknown(name: &str, known: &[Parameter]) -> InvalidParameter {
    let known: Vec<&str> = known.iter().map(|parameter| parameter.name).collect();
    InvalidParameter::Unknown {
        name: name.chars().take(LONGEST_NAME).collect(),
        known: if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Parameter] = &[Parameter { name: "a", longest: 8 }, Parameter { name: "b", longest: 2 }];

    fn read(query: &str) -> Result<Parameters, InvalidParameter> {
        Parameters::read(&format!("/?{query}").parse().unwrap(), KNOWN)
    }

    #[test]
    fn values_are_decoded_and_empty_ones_left_out() {
        let parameters = read("a=x+y%2F%C3%A9&b=").unwrap();
        assert_eq!(parameters.get("a"), Some("x y/é"));
        assert_eq!(parameters.get("b"), None);
        assert_eq!(parameters.required("b"), Err(InvalidParameter::Missing("b")));
    }

    #[test]
    fn what_a_page_does_not_expect_is_refused() {
        assert_eq!(
            read("c=1").unwrap_err().to_string(),
            "there is no parameter `c` here; known are a, b"
        );
        assert_eq!(read("b=1&b=2").unwrap_err(), InvalidParameter::Repeated("b"));
        assert_eq!(
            read("b=123").unwrap_err(),
            InvalidParameter::TooLong { name: "b", longest: 2 }
        );
        for query in ["a=%00", "a=%FF", "a=x%0Ay"] {
            assert_eq!(read(query).unwrap_err(), InvalidParameter::Characters("a"), "{query}");
        }
        let long = "a=".repeat(LONGEST_QUERY);
        assert_eq!(read(&long).unwrap_err(), InvalidParameter::Unreadable);
    }
}
