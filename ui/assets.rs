//! Files that pages refer to. Their names contain a digest of what is in them, so browsers may keep them for ever.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::settings::BasePath;

const STYLE: &[u8] = include_bytes!("static/kollect.css");
const SCRIPT: &[u8] = include_bytes!("static/kollect.js");
const ICON: &[u8] = include_bytes!("static/kollect.svg");

/// A file.
#[derive(Debug)]
pub struct Asset {
    /// Its name: digest and extension.
    pub name: String,
    /// Its content type.
    pub content_type: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

/// All files.
#[derive(Debug)]
pub struct Assets {
    style: Asset,
    script: Asset,
    icon: Asset,
}

/// The addresses of the files, for pages.
#[derive(Debug, Clone)]
pub struct AssetAddresses {
    /// The style sheet.
    pub style: String,
    /// The script.
    pub script: String,
    /// The icon.
    pub icon: String,
}

impl Assets {
    /// Names the files.
    pub fn new() -> Self {
        Self {
            style: Asset::new(STYLE, "css", "text/css; charset=utf-8"),
            script: Asset::new(SCRIPT, "js", "text/javascript; charset=utf-8"),
            icon: Asset::new(ICON, "svg", "image/svg+xml"),
        }
    }

    /// The file of a name.
    pub fn get(&self, name: &str) -> Option<&Asset> {
        [&self.style, &self.script, &self.icon]
            .into_iter()
            .find(|asset| asset.name == name)
    }

    /// Where the files are.
    pub fn addresses(&self, base: &BasePath) -> AssetAddresses {
        let address = |asset: &Asset| format!("{base}/assets/{}", asset.name);
        AssetAddresses {
            style: address(&self.style),
            script: address(&self.script),
            icon: address(&self.icon),
        }
    }
}

impl Asset {
    fn new(bytes: &'static [u8], extension: &str, content_type: &'static str) -> Self {
        Self {
            name: format!("{}.{extension}", digest(bytes)),
            content_type,
            bytes,
        }
    }
}

/// The first half of the SHA-256, as 32 hex digits.
pub fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().take(16).fold(String::new(), |mut text, byte| {
        // Writing to a text does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
