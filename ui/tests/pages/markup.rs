//! Reads our own pages: enough of HTML for what our templates write, and strict about it.

/// An element: its name, attributes and what is inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub content: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Element(Element),
    Text(String),
}

/// Elements that have no end.
const VOID: [&str; 6] = ["meta", "link", "img", "input", "wbr", "br"];

/// A whole page. Fails if tags are not nested well, attributes are not quoted, or a `<` or `&` stands alone.
pub fn parse(page: &str) -> Element {
    let mut rest = page
        .trim()
        .strip_prefix("<!doctype html>")
        .expect("a document type")
        .trim();
    let root = match node(&mut rest) {
        Node::Element(root) => root,
        Node::Text(text) => panic!("no element at {text}"),
    };
    assert_eq!(rest, "", "nothing follows the page");
    root
}

fn node(rest: &mut &str) -> Node {
    let Some(tag) = rest.strip_prefix('<') else {
        let end = rest.find('<').unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        *rest = after;
        return Node::Text(unescaped(text));
    };
    let end = tag.find('>').expect("the end of a tag");
    let (tag, after) = tag.split_at(end);
    *rest = &after[1..];
    let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    assert!(
        name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()),
        "{tag}"
    );
    let mut element = Element {
        name: name.to_owned(),
        attributes: attributes_of(attributes),
        content: Vec::new(),
    };
    if !VOID.contains(&name) {
        let end = format!("</{name}>");
        while !rest.starts_with("</") {
            assert!(!rest.is_empty(), "<{name}> does not end");
            element.content.push(node(rest));
        }
        *rest = rest
            .strip_prefix(end.as_str())
            .unwrap_or_else(|| panic!("{end} at {rest:.60}"));
    }
    Node::Element(element)
}

fn attributes_of(text: &str) -> Vec<(String, String)> {
    let mut attributes = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        assert!(!name.is_empty(), "a value without quotes in {text}");
        assert!(
            name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
            "attribute {name} in {text}"
        );
        let (value, after) = match after.strip_prefix("=\"") {
            Some(value) => value.split_once('"').expect("the end of a value"),
            None => ("", after),
        };
        attributes.push((name.to_owned(), unescaped(value)));
        rest = after.trim_start();
    }
    attributes
}

fn unescaped(text: &str) -> String {
    let mut pieces = text.split('&');
    let mut plain = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (code, after) = piece.split_once(';').unwrap_or_else(|| panic!("a lone & in {text}"));
        let digits = code.strip_prefix('#').unwrap_or_else(|| panic!("&{code};"));
        plain.push(char::from_u32(digits.parse().unwrap()).unwrap());
        plain.push_str(after);
    }
    plain
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        attributes.find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub fn has_class(&self, class: &str) -> bool {
        self.attribute("class")
            .is_some_and(|classes| classes.split(' ').any(|own| own == class))
    }

    /// All text inside, with single spaces.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.collect(&mut text);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn collect(&self, text: &mut String) {
        for node in &self.content {
            match node {
                Node::Text(own) => text.push_str(own),
                Node::Element(element) => element.collect(text),
            }
        }
    }

    /// It and everything inside, in the order of the page.
    pub fn all(&self) -> Vec<&Self> {
        let mut all = vec![self];
        for node in &self.content {
            if let Node::Element(element) = node {
                all.extend(element.all());
            }
        }
        all
    }

    /// The elements of a name inside.
    pub fn named(&self, name: &str) -> Vec<&Self> {
        self.all().into_iter().filter(|element| element.name == name).collect()
    }

    /// The only element of a name inside.
    pub fn only(&self, name: &str) -> &Self {
        match self.named(name)[..] {
            [only] => only,
            ref found => panic!("{} of <{name}>", found.len()),
        }
    }

    /// The link whose text is this.
    pub fn link(&self, text: &str) -> Option<String> {
        let links = self.named("a");
        let found = links.into_iter().find(|link| link.text() == text)?;
        found.attribute("href").map(str::to_owned)
    }

    /// The texts of a table's cells, row by row, without its head.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let row = |row: &Self| {
            let cells = row
                .all()
                .into_iter()
                .filter(|cell| matches!(cell.name.as_str(), "td" | "th"));
            cells.map(Self::text).collect()
        };
        self.only("tbody").named("tr").into_iter().map(row).collect()
    }
}

#[test]
fn pages_that_are_not_well_formed_are_refused() {
    let page = parse("<!doctype html><p class=\"a b\">x &#60; <b>y</b><img alt=\"\"></p>");
    assert_eq!(page.text(), "x < y");
    assert!(page.has_class("b"));
    for bad in [
        "<p>",
        "<p></b></p>",
        "<p>a & b</p>",
        "<p onclick=x()></p>",
        "<p>x</p>y",
        "<p>a < b</p>",
    ] {
        let page = format!("<!doctype html>{bad}");
        assert!(std::panic::catch_unwind(|| parse(&page)).is_err(), "{bad}");
    }
}
