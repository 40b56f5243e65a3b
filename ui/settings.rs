//! How the pages are served.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use kollect_ports::query::Visibility;

use crate::hosts::Hosts;

/// Settings of the pages.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the site, in the head of every page.
    pub title: String,
    /// Version of the program, in the foot of every page.
    pub version: String,
    /// Where the pages are, below the root of the host.
    pub base_path: BasePath,
    /// The host names that the server answers to.
    pub hosts: Hosts,
    /// Rows of a page when the address does not say.
    pub page_rows: NonZeroU32,
    /// Most rows of a page, whatever the address says.
    pub max_page_rows: NonZeroU32,
    /// How long one question to the database may take.
    pub deadline: Duration,
    /// What the pages show.
    pub visibility: Visibility,
}

impl Default for Settings {
    /// Everything, at the root of a loopback address, fifty rows a page.
    fn default() -> Self {
        Self {
            title: "Kollect".to_owned(),
            version: String::new(),
            base_path: BasePath::default(),
            hosts: Hosts::default(),
            page_rows: NonZeroU32::MIN.saturating_add(49),
            max_page_rows: NonZeroU32::MIN.saturating_add(499),
            deadline: Duration::from_secs(15),
            visibility: Visibility::all(),
        }
    }
}

/// The path below which the pages are.
///
/// **Shape**: empty for the root, else `/` and a name, perhaps several times: `/kollect`, `/tools/kollect`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BasePath(String);

/// The text is not a base path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a base path is `/` and a name of letters, digits, `-`, `_` and `.`, perhaps several times, like /kollect")]
pub struct InvalidBasePath;

impl FromStr for BasePath {
    type Err = InvalidBasePath;

    /// A slash at the end is left out.
    fn from_str(text: &str) -> Result<Self, InvalidBasePath> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let is_name = |name: &str| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !matches!(name, "" | "." | "..") && name.chars().all(is_plain)
        };
        let is_valid = match path.strip_prefix('/') {
            Some(names) => names.split('/').all(is_name),
            None => path.is_empty(),
        };
        is_valid.then(|| Self(path.to_owned())).ok_or(InvalidBasePath)
    }
}

impl fmt::Display for BasePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_taken_with_and_without_its_last_slash() {
        for (text, path) in [("", ""), ("/", ""), ("/kollect", "/kollect"), ("/a/b-1/", "/a/b-1")] {
            assert_eq!(
                text.parse::<BasePath>().map(|path| path.to_string()),
                Ok(path.to_owned())
            );
        }
    }

    #[test]
    fn what_could_mean_something_to_a_router_or_a_page_is_no_base_path() {
        for text in [
            "kollect", "//", "/a//b", "/..", "/{x}", "/*x", "/a\"b", "/a b", "/a?b", "/é",
        ] {
            assert_eq!(text.parse::<BasePath>(), Err(InvalidBasePath), "{text}");
        }
    }
}
