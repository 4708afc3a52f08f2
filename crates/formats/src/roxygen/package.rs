//! A package: its documented functions, and where their documentation comes from.

use std::collections::{HashMap, HashSet};

use catalog::SourceId;

use super::{
    block::{Block, Tag},
    keywords,
    source::{self, Documented, Function, Source, Subject},
    template,
};

/// How far `@inheritParams` is followed.
const HOPS: usize = 8;

/// Tags whose text may name functions that are documented elsewhere.
const REFERRING: [&str; 4] = ["inheritParams", "rdname", "describeIn", "inherit"];

/// A file, and what it documents.
pub(crate) struct File<'a> {
    pub(crate) source: &'a SourceId,
    pub(crate) text: &'a str,
    pub(crate) content: Source<'a>,
}

/// The files of a package that matter for its tools.
pub(crate) struct Package<'a> {
    pub(crate) name: &'a str,
    pub(crate) files: Vec<File<'a>>,
    by_topic: HashMap<String, Vec<Spot>>,
    by_name: HashMap<String, Spot>,
}

/// The other files of a package, by their path in it.
pub(crate) type Others<'o> = &'o dyn Fn(&str) -> Option<String>;

/// The place of a block: its file, and which of the file's it is.
pub(crate) type Spot = (usize, usize);

impl<'a> Package<'a> {
    /// Reads the files that have tools, and those that these refer to.
    pub(crate) fn read(name: &'a str, files: &'a [(SourceId, String)], others: Others<'_>) -> Self {
        // A template may have the keyword.
        let may_have_tools = |text: &str| keywords::are_in(text) || text.contains("@template ");
        let (own, mut unread): (Vec<_>, Vec<_>) = files.iter().partition(|(_, text)| may_have_tools(text));
        let mut package = Self { name, files: read_all(&own, others), by_topic: HashMap::new(), by_name: HashMap::new() };
        let mut wanted = package.references();
        while !wanted.is_empty() {
            let (needed, rest): (Vec<_>, Vec<_>) = unread.into_iter().partition(|(_, text)| mentions(text, &wanted));
            let known = package.references();
            package.files.extend(read_all(&needed, others));
            wanted = package.references().difference(&known).cloned().collect();
            unread = rest;
        }
        package.index();
        package
    }

    /// The block at a spot.
    pub(crate) fn at(&self, (file, index): Spot) -> &Documented<'a> {
        &self.files[file].content.documented[index]
    }

    /// The blocks that mark tools, in order.
    pub(crate) fn tools(&self) -> Vec<Spot> {
        let spots = self.spots();
        spots.into_iter().filter(|spot| keywords::marks_tool(&self.at(*spot).block)).collect()
    }

    /// The block at a spot, then the others of its topic.
    pub(crate) fn peers(&self, spot: Spot) -> Vec<Spot> {
        let others = topic(self.at(spot)).and_then(|topic| self.by_topic.get(&topic));
        std::iter::once(spot).chain(others.into_iter().flatten().copied().filter(|other| *other != spot)).collect()
    }

    /// What documents a parameter of the function at a spot: its own block, its topic, what it inherits from.
    pub(crate) fn documentation(&self, spot: Spot, name: &str) -> Option<(Spot, &Tag<'a>)> {
        let mut seen = HashSet::new();
        self.find(spot, name, HOPS, &mut seen)
    }

    fn find(&self, spot: Spot, name: &str, hops: usize, seen: &mut HashSet<Spot>) -> Option<(Spot, &Tag<'a>)> {
        if hops == 0 || !seen.insert(spot) {
            return None;
        }
        let peers = self.peers(spot);
        let own = peers.iter().find_map(|peer| {
            let tags = self.at(*peer).block.all("param").collect::<Vec<_>>();
            tags.into_iter().rfind(|tag| names(tag).iter().any(|known| known == name)).map(|tag| (*peer, tag))
        });
        own.or_else(|| peers.iter().flat_map(|peer| self.models(*peer)).find_map(|from| self.find(from, name, hops - 1, seen)))
    }

    /// The functions of this package whose parameters a block takes over.
    fn models(&self, spot: Spot) -> Vec<Spot> {
        let targets = self.at(spot).block.tags.iter().filter(|tag| matches!(tag.name, "inheritParams" | "inherit"));
        targets.filter_map(|tag| self.by_name.get(self.local(tag.words().next()?)?).copied()).collect()
    }

    /// The name of a function of this package, by which it is inherited from.
    pub(crate) fn local<'n>(&self, target: &'n str) -> Option<&'n str> {
        match target.split_once("::") {
            Some((package, name)) => (package == self.name).then(|| name.trim_start_matches(':')),
            None => Some(target),
        }
    }

    /// Whether a function of this name is documented in the files that were read.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    fn spots(&self) -> Vec<Spot> {
        let files = self.files.iter().enumerate();
        files.flat_map(|(file, of)| (0..of.content.documented.len()).map(move |index| (file, index))).collect()
    }

    fn index(&mut self) {
        for spot in self.spots() {
            let documented = self.at(spot);
            let name = function(documented).map(|function| function.name.clone());
            if let Some(topic) = topic(documented) {
                self.by_topic.entry(topic).or_default().push(spot);
            }
            if let Some(name) = name {
                self.by_name.entry(name).or_insert(spot);
            }
        }
    }

    /// The names that blocks refer to, and those of tools, to which others may refer.
    fn references(&self) -> HashSet<String> {
        let mut found = HashSet::new();
        for documented in self.files.iter().flat_map(|file| &file.content.documented) {
            let tags = documented.block.tags.iter().filter(|tag| REFERRING.contains(&tag.name));
            found.extend(tags.filter_map(|tag| self.local(tag.words().next()?).map(str::to_owned)));
        }
        for spot in self.tools() {
            found.extend(function(self.at(spot)).map(|function| format!("@rdname {}", function.name)));
        }
        found
    }
}

fn read_all<'a>(files: &[&'a (SourceId, String)], others: Others<'_>) -> Vec<File<'a>> {
    let read = |(source, text): &&'a (SourceId, String)| {
        let mut content = source::read(text);
        content.documented.iter_mut().for_each(|documented| template::expand(&mut documented.block, others));
        File { source, text, content }
    };
    files.iter().map(read).collect()
}

fn mentions(text: &str, names: &HashSet<String>) -> bool {
    text.contains("#'") && names.iter().any(|name| text.contains(name.as_str()))
}

/// The function that a block is about.
pub(crate) fn function<'d>(documented: &'d Documented<'_>) -> Option<&'d Function> {
    match &documented.subject {
        Subject::Function(function) => Some(function),
        Subject::Other => None,
    }
}

/// The page of documentation that a block belongs to.
fn topic(documented: &Documented<'_>) -> Option<String> {
    let tag = |name| documented.block.get(name).and_then(|tag| tag.words().next().map(str::to_owned));
    let named = ["rdname", "describeIn", "name"].into_iter().find_map(tag);
    named.or_else(|| function(documented).map(|function| function.name.clone()))
}

/// The names that a `@param` is about.
pub(crate) fn names(tag: &Tag<'_>) -> Vec<String> {
    split(tag).0
}

/// The text of a `@param`.
pub(crate) fn param_text(tag: &Tag<'_>) -> String {
    split(tag).1
}

/// `a,b text` and `a, b text`.
fn split(tag: &Tag<'_>) -> (Vec<String>, String) {
    let text = tag.text();
    let mut end = 0;
    loop {
        let rest = &text[end..];
        let word = rest.trim_start().split(char::is_whitespace).next().unwrap_or_default();
        end += rest.len() - rest.trim_start().len() + word.len();
        if !word.ends_with(',') || word.is_empty() {
            break;
        }
    }
    let names = text[..end].split([',', ' ', '\n']).map(|name| name.trim().trim_matches('`')).filter(|name| !name.is_empty());
    (names.map(str::to_owned).collect(), text[end..].trim().to_owned())
}

/// Text that a block begins with, by its role: the title, and what follows it.
pub(crate) fn intro(block: &Block<'_>) -> (Option<String>, Option<String>) {
    let mut paragraphs = block.paragraphs().into_iter();
    (paragraphs.next(), paragraphs.next())
}
