//! A mask as text.

use super::{Mask, Node};

impl Mask {
    /// What the mask keeps, for people.
    ///
    /// **Shape**: paths from the object's root, ascending, each once: `.name` is a member, `.*` any member, `[]` the
    /// elements of a list, `[*]` members or elements. A path that ends with `?` keeps that there is something and of which type it is, any other
    /// keeps everything at its end. The path of the whole object is `.`.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.root.add_paths("", &mut paths);
        paths.sort_unstable();
        paths
    }
}

impl Node {
    fn add_paths(&self, path: &str, paths: &mut Vec<String>) {
        let Self {
            all,
            members,
            any_member,
            items,
        } = self;
        if *all {
            let whole_object = if path.is_empty() { "." } else { path };
            paths.push(whole_object.to_owned());
            return;
        }
        if members.is_empty() && any_member.is_none() && items.is_none() && !path.is_empty() {
            paths.push(format!("{path}?"));
        }
        for (name, member) in members {
            member.add_paths(&format!("{path}{}", written(name)), paths);
        }
        match (any_member, items) {
            (Some(any), Some(items)) if any == items => any.add_paths(&format!("{path}[*]"), paths),
            (any, items) => {
                if let Some(any) = any {
                    any.add_paths(&format!("{path}.*"), paths);
                }
                if let Some(items) = items {
                    items.add_paths(&format!("{path}[]"), paths);
                }
            }
        }
    }
}

/// A name that would be mistaken for a path is set in brackets and quotes.
fn written(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    if !name.is_empty() && name.chars().all(is_plain) {
        format!(".{name}")
    } else {
        format!("[{name:?}]")
    }
}
