//! A package: its documented functions, and where their documentation comes from.

use std::collections::{HashMap, HashSet};

use catalog::SourceId;

use super::{
    block::{Block, Tag},
    keywords,
    source::{self, Documented, Source, Subject},
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
    /// The blocks of each page.
    by_page: HashMap<String, Vec<Spot>>,
    /// A block of the page that documents a name.
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
        let (own, mut unread): (Vec<_>, Vec<_>) =
            files.iter().partition(|(_, text)| may_have_tools(text));
        let mut package = Self {
            name,
            files: read_all(&own, others),
            by_page: HashMap::new(),
            by_name: HashMap::new(),
        };
        let mut wanted = package.references();
        while !wanted.is_empty() {
            let (needed, rest): (Vec<_>, Vec<_>) =
                unread.into_iter().partition(|(_, text)| mentions(text, &wanted));
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

    /// The block at a spot, then the others of its page.
    pub(crate) fn peers(&self, spot: Spot) -> Vec<Spot> {
        let others = self.page(spot).and_then(|page| self.by_page.get(&page));
        std::iter::once(spot)
            .chain(others.into_iter().flatten().copied().filter(|other| *other != spot))
            .collect()
    }

    /// What documents a parameter of the function at a spot: its own block, its page, what it inherits from.
    pub(crate) fn documentation(&self, spot: Spot, name: &str) -> Option<(Spot, &Tag<'a>)> {
        let mut seen = HashSet::new();
        self.find(spot, name, HOPS, &mut seen)
    }

    fn find(
        &self,
        spot: Spot,
        name: &str,
        hops: usize,
        seen: &mut HashSet<Spot>,
    ) -> Option<(Spot, &Tag<'a>)> {
        if hops == 0 || !seen.insert(spot) {
            return None;
        }
        let peers = self.peers(spot);
        let own = peers.iter().find_map(|peer| {
            let tags = self.at(*peer).block.all("param").collect::<Vec<_>>();
            tags.into_iter()
                .rfind(|tag| names(tag).iter().any(|known| known == name))
                .map(|tag| (*peer, tag))
        });
        own.or_else(|| {
            peers
                .iter()
                .flat_map(|peer| self.models(*peer))
                .find_map(|from| self.find(from, name, hops - 1, seen))
        })
    }

    /// Whether a function on the page of a block may have a formal of this name. Those of other objects only R knows.
    pub(crate) fn may_have_formal(&self, spot: Spot, name: &str) -> bool {
        self.peers(spot).into_iter().any(|peer| match &self.at(peer).subject {
            Subject::Function(function) => {
                function.formals.iter().any(|formal| formal.name == name)
            }
            Subject::Object(_) => true,
            Subject::Other => false,
        })
    }

    /// The pages of this package whose parameters a block takes over.
    fn models(&self, spot: Spot) -> Vec<Spot> {
        let targets = self
            .at(spot)
            .block
            .tags
            .iter()
            .filter(|tag| matches!(tag.name, "inheritParams" | "inherit"));
        targets.filter_map(|tag| self.model(tag)).collect()
    }

    /// A block of the page that a tag names: by a function or another object on it, by `@name` or `@aliases`, or as a whole.
    pub(crate) fn model(&self, tag: &Tag<'_>) -> Option<Spot> {
        let name = self.local(tag.words().next()?)?;
        self.by_name.get(name).or_else(|| self.by_page.get(name)?.first()).copied()
    }

    /// The name of a topic of this package, by which it is inherited from.
    fn local<'n>(&self, target: &'n str) -> Option<&'n str> {
        match target.split_once("::") {
            Some((package, name)) => (package == self.name).then(|| name.trim_start_matches(':')),
            None => Some(target),
        }
    }

    /// The page of documentation that a block belongs to.
    fn page(&self, spot: Spot) -> Option<String> {
        let block = &self.at(spot).block;
        // A function that is described in the page of another one may name any function there.
        match first_word(block, "describeIn").filter(|_| block.get("rdname").is_none()) {
            Some(name) => {
                Some(self.by_name.get(&name).and_then(|of| self.own_page(*of)).unwrap_or(name))
            }
            None => self.own_page(spot),
        }
    }

    /// The page that a block makes or is put on by name.
    fn own_page(&self, spot: Spot) -> Option<String> {
        let documented = self.at(spot);
        let named =
            ["rdname", "name"].into_iter().find_map(|tag| first_word(&documented.block, tag));
        named.or_else(|| documented.name().map(str::to_owned))
    }

    fn spots(&self) -> Vec<Spot> {
        let files = self.files.iter().enumerate();
        files
            .flat_map(|(file, of)| (0..of.content.documented.len()).map(move |index| (file, index)))
            .collect()
    }

    fn index(&mut self) {
        let spots = self.spots();
        for spot in &spots {
            let names = names_of(self.at(*spot));
            names.into_iter().for_each(|name| _ = self.by_name.entry(name).or_insert(*spot));
        }
        for spot in &spots {
            let aliases: Vec<_> = self
                .at(*spot)
                .block
                .all("aliases")
                .flat_map(Tag::words)
                .map(str::to_owned)
                .collect();
            aliases.into_iter().for_each(|name| _ = self.by_name.entry(name).or_insert(*spot));
        }
        for spot in spots {
            if let Some(page) = self.page(spot) {
                self.by_page.entry(page).or_default().push(spot);
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
        for name in self.tools().into_iter().flat_map(|spot| names_of(self.at(spot))) {
            found.extend(["rdname", "describeIn"].map(|tag| format!("@{tag} {name}")));
        }
        found
    }
}

fn read_all<'a>(files: &[&'a (SourceId, String)], others: Others<'_>) -> Vec<File<'a>> {
    let read = |(source, text): &&'a (SourceId, String)| {
        let mut content = source::read(text);
        content
            .documented
            .iter_mut()
            .for_each(|documented| template::expand(&mut documented.block, others));
        File { source, text, content }
    };
    files.iter().map(read).collect()
}

fn mentions(text: &str, names: &HashSet<String>) -> bool {
    text.contains("#'") && names.iter().any(|name| text.contains(name.as_str()))
}

/// The names of a block: that of what it is about, and its own.
fn names_of(documented: &Documented<'_>) -> Vec<String> {
    documented
        .name()
        .map(str::to_owned)
        .into_iter()
        .chain(first_word(&documented.block, "name"))
        .collect()
}

fn first_word(block: &Block<'_>, tag: &str) -> Option<String> {
    block.get(tag).and_then(|tag| tag.words().next().map(str::to_owned))
}

/// The names that a `@param` is about.
pub(crate) fn names(tag: &Tag<'_>) -> Vec<String> {
    split(tag).0
}

/// The text of a `@param`, without a dash that only sets it off from the name.
pub(crate) fn param_text(tag: &Tag<'_>) -> String {
    let text = split(tag).1;
    let is_list = text.lines().skip(1).any(|line| line.trim_start().starts_with("- "));
    match text.strip_prefix("- ").or_else(|| text.strip_prefix("\u{2013} ")).filter(|_| !is_list) {
        Some(rest) => rest.trim_start().to_owned(),
        None => text,
    }
}

/// `a,b text`, `a, b text` and `` `a b` text``.
fn split(tag: &Tag<'_>) -> (Vec<String>, String) {
    let text = tag.text();
    let (mut names, mut rest) = (Vec::new(), text.as_str());
    loop {
        let (name, behind) = first_name(rest.trim_start());
        names.extend((!name.is_empty()).then(|| name.to_owned()));
        match behind.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (names, behind.trim().to_owned()),
        }
    }
}

/// The name that a text begins with, without its backticks, and what stands behind it.
fn first_name(text: &str) -> (&str, &str) {
    let quoted = text.strip_prefix('`').and_then(|inside| inside.split_once('`'));
    quoted.unwrap_or_else(|| {
        text.split_at(text.find(|c: char| c == ',' || c.is_whitespace()).unwrap_or(text.len()))
    })
}

/// Text that a block begins with, by its role: the title, and what follows it.
pub(crate) fn intro(block: &Block<'_>) -> (Option<String>, Option<String>) {
    let mut paragraphs = block.paragraphs().into_iter();
    (paragraphs.next(), paragraphs.next())
}
