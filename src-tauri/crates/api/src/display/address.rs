//! An address that is to be fetched, taken apart: where it goes, and what it carries along.

use countersign_core::parse::Tree;
use url::Url;

use super::text::{one_line, safe, words};
use super::tree::Rows;
use crate::wire::payload::{Fact, Tone};
use crate::wire::text::Shown;
use crate::words::{AddressPart, say};

/// The length of a host in a fact; a name of a host can't be longer.
const HOST_WIDTH: usize = 255;

/// An address, if the arguments hold one that can be fetched.
pub(crate) struct Address {
    url: Url,
    host: String,
}

impl Address {
    /// Reads it as the tool does.
    pub(crate) fn of(arguments: &Tree) -> Option<Self> {
        let mut url = Url::parse(arguments.get("url")?.as_text()?.trim()).ok()?;
        let host = url.host_str()?.to_owned();
        if !matches!(url.scheme(), "http" | "https") || host.is_empty() {
            return None;
        }
        // It isn't sent.
        url.set_fragment(None);
        Some(Self { url, host })
    }

    /// The host with its port, where that isn't the usual one.
    fn place(&self) -> String {
        match self.url.port() {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.clone(),
        }
    }

    /// The host in the letters of other languages, where its name has such.
    fn letters(&self) -> Option<String> {
        let is_foreign = self.host.split('.').any(|part| part.starts_with("xn--"));
        is_foreign.then(|| idna::domain_to_unicode(&self.host).0)
    }

    /// The words of a row: host and path.
    pub(crate) fn target(&self, width: usize) -> Shown {
        one_line(&format!("{}{}", self.place(), self.url.path()), width)
    }

    /// Everything that is sent, piece by piece, with the arguments that say something else: where it goes, and the rows.
    pub(crate) fn payload(&self, arguments: &Tree) -> (Shown, Rows) {
        let key = |part| say().address_part(part);
        let mut rows = Rows::default();
        rows.add_text(key(AddressPart::Host), self.place());
        if let Some(letters) = self.letters() {
            rows.add_text(key(AddressPart::Letters), letters);
        }
        rows.add_text(key(AddressPart::Path), self.url.path().to_owned());
        let query: Vec<(String, String)> =
            self.url.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned())).collect();
        if !query.is_empty() {
            rows.add_texts(key(AddressPart::Query), query);
        }
        rows.add_text(key(AddressPart::AsSent), self.url.as_str().to_owned());
        if let Tree::Object(pairs) = arguments {
            rows.add(Tree::Object(pairs.iter().filter(|(key, _)| key != "url").cloned().collect()));
        }
        (safe(&self.place()), rows)
    }

    /// What is so about it.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        let place = one_line(&self.place(), HOST_WIDTH);
        let to = match self.letters() {
            None => Fact { text: say().sends_to(place), tone: Tone::Plain },
            Some(letters) => {
                let text = say().sends_to_letters(place, one_line(&letters, HOST_WIDTH));
                Fact { text, tone: Tone::Danger }
            }
        };
        let mut facts = vec![to];
        let carried = self.url.path().len() + self.url.query().map_or(0, |query| query.len() + 1);
        let plain = |text: String| Fact { text: words(text), tone: Tone::Plain };
        facts.push(plain(say().carries(carried as u64)));
        if self.url.scheme() == "http" {
            facts.push(plain(say().in_the_open()));
        }
        if !self.url.username().is_empty() || self.url.password().is_some() {
            facts.push(plain(say().holds_password()));
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::long::Cut as _;
    use crate::display::text::plain;
    use crate::wire::payload::{Node, NodeValue};

    fn address(url: &str) -> Option<(Vec<String>, Vec<String>)> {
        let arguments = serde_json::json!({ "url": url, "max_bytes": 10 }).to_string();
        let tree = countersign_core::parse::arguments(&arguments).unwrap();
        let address = Address::of(&tree)?;
        let (_, rows) = address.payload(&tree);
        let nodes = rows.draw(0..rows.len());
        let line = |node: &Node| match &node.value {
            NodeValue::Text { text } => format!("{} = {}", plain(&node.key), plain(text)),
            NodeValue::Object { items } => format!("{} of {items}", plain(&node.key)),
            NodeValue::Literal { text } => format!("{} = {text}", plain(&node.key)),
            NodeValue::List { .. } | NodeValue::More { .. } => panic!("an address has no list and nothing long"),
        };
        let facts = address.facts().into_iter().map(|fact| {
            let mark = if fact.tone == Tone::Danger { "! " } else { "" };
            format!("{mark}{}", plain(&fact.text))
        });
        Some((nodes.iter().filter(|node| node.depth == 0).map(line).collect(), facts.collect()))
    }

    #[test]
    fn where_it_goes_and_what_it_carries_is_said() {
        let (nodes, facts) = address("https://a.test/x%20y?q=one%20two&secret=%E2%80%AE#top").unwrap();
        assert_eq!(
            nodes,
            [
                "host = a.test",
                "path = /x%20y",
                "query of 2",
                "as it is sent = https://a.test/x%20y?q=one%20two&secret=%E2%80%AE",
                "max_bytes = 10",
            ]
        );
        assert_eq!(facts, ["sends to a.test", "sends 35 characters of path and query, and nothing else of yours"]);
        let (_, open) = address("http://a.test:81/").unwrap();
        assert_eq!(open[0], "sends to a.test:81");
        assert!(open[2].starts_with("in the open"));
    }

    /// A name that looks like another is shown in both ways, and counts as high risk.
    #[test]
    fn field_l_139_a_name_in_other_letters_is_shown_both_ways() {
        for url in ["https://аpple.test/", "https://xn--pple-43d.test/"] {
            let (nodes, facts) = address(url).unwrap();
            assert_eq!(nodes[..2], ["host = xn--pple-43d.test", "host, in its letters = аpple.test"]);
            assert_eq!(facts[0], "! sends to xn--pple-43d.test, also written аpple.test");
        }
        assert!(address("https://\u{202e}a.test/").is_none(), "no host has such letters");
    }

    #[test]
    fn what_is_no_address_is_not_drawn_as_one() {
        for url in ["", "a.test", "ftp://a.test/", "file:///etc/passwd", "http://"] {
            assert!(address(url).is_none(), "{url}");
        }
    }
}
