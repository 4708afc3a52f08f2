//! The documented objects of a package, and which documentation applies to which function.
//!
//! roxygen2 merges blocks to pages: `@rdname` and `@describeIn` put several functions on one page,
//! which then share title, parameters, return value and examples, and `@inheritParams` copies
//! parameters from other pages.

use std::collections::{HashMap, HashSet};

use catalog::SourceId;

use super::{
    block::{Block, Tag},
    keywords,
    param::names,
    source::{self, DocumentedObject, Object, Source},
    template::{self, ReadFile},
};

/// Maximum length of a chain of `@inheritParams` that is followed.
const MAX_INHERITANCE: usize = 8;

/// Tags that refer to documentation elsewhere in the package.
const REFERENCES: [&str; 4] = ["inheritParams", "rdname", "describeIn", "inherit"];

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
    by_page: HashMap<String, Vec<BlockId>>,
    /// A block of the page that documents each name.
    by_name: HashMap<String, BlockId>,
}

/// The position of a block: the index of its file, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BlockId {
    pub(crate) file: usize,
    index: usize,
}

impl<'a> Package<'a> {
    /// Parses the files that have tools, and those they refer to. The others, often most of a
    /// package, are only searched for names.
    pub(crate) fn read(
        name: &'a str,
        files: &'a [(SourceId, String)],
        read_file: ReadFile<'_>,
    ) -> Self {
        // The keyword may be in a template.
        let may_have_tools =
            |text: &str| keywords::may_have_keywords(text) || text.contains("@template ");
        let (own, mut unread): (Vec<_>, Vec<_>) =
            files.iter().partition(|(_, text)| may_have_tools(text));
        let mut package = Self {
            name,
            files: read_all(&own, read_file),
            by_page: HashMap::new(),
            by_name: HashMap::new(),
        };
        let mut wanted = package.references();
        // A file that is read may refer to further ones, so this is repeated until nothing new is
        // wanted.
        while !wanted.is_empty() {
            let (needed, rest): (Vec<_>, Vec<_>) =
                unread.into_iter().partition(|(_, text)| mentions_any(text, &wanted));
            let known = package.references();
            package.files.extend(read_all(&needed, read_file));
            // Only new names are wanted, because files were already searched for the old ones.
            wanted = package.references().difference(&known).cloned().collect();
            unread = rest;
        }
        package.build_index();
        package
    }

    pub(crate) fn documented(&self, id: BlockId) -> &DocumentedObject<'a> {
        &self.files[id.file].content.documented[id.index]
    }

    /// The blocks that mark tools, in source order.
    pub(crate) fn tools(&self) -> Vec<BlockId> {
        let mut ids = self.block_ids();
        ids.retain(|id| keywords::marks_tool(&self.documented(*id).block));
        ids
    }

    /// A block and the other blocks of its page. The block itself comes first, because its own tags
    /// take precedence.
    pub(crate) fn blocks_on_page(&self, id: BlockId) -> Vec<BlockId> {
        let page = self.find_page(id).and_then(|page| self.by_page.get(&page));
        let others = page.into_iter().flatten().copied().filter(|other| *other != id);
        std::iter::once(id).chain(others).collect()
    }

    /// The `@param` for a parameter of the function at `id`: from its own block, else from its
    /// page, else inherited.
    pub(crate) fn find_param(&self, id: BlockId, name: &str) -> Option<(BlockId, &Tag<'a>)> {
        self.find_param_within(id, name, MAX_INHERITANCE, &mut HashSet::new())
    }

    fn find_param_within(
        &self,
        id: BlockId,
        name: &str,
        depth: usize,
        visited: &mut HashSet<BlockId>,
    ) -> Option<(BlockId, &Tag<'a>)> {
        // Pages may inherit from each other in a circle.
        if depth == 0 || !visited.insert(id) {
            return None;
        }
        let page = self.blocks_on_page(id);
        let own = page.iter().find_map(|block| {
            // The last of several `@param` for a name counts.
            let tags: Vec<_> = self.documented(*block).block.tags_named("param").collect();
            let tag = tags.into_iter().rfind(|tag| names(tag).iter().any(|known| known == name))?;
            Some((*block, tag))
        });
        own.or_else(|| {
            page.iter()
                .flat_map(|block| self.inherited_blocks(*block))
                .find_map(|from| self.find_param_within(from, name, depth - 1, visited))
        })
    }

    /// Whether a function on the page of a block may have a formal of this name. The formals of
    /// objects that are not function definitions are unknown.
    pub(crate) fn may_have_formal(&self, id: BlockId, name: &str) -> bool {
        self.blocks_on_page(id).into_iter().any(|block| match &self.documented(block).object {
            Object::Function(function) => function.formals.iter().any(|formal| formal.name == name),
            Object::Value(_) => true,
            Object::Unnamed => false,
        })
    }

    fn inherited_blocks(&self, id: BlockId) -> Vec<BlockId> {
        let tags = self.documented(id).block.tags.iter();
        let inheriting = tags.filter(|tag| matches!(tag.name, "inheritParams" | "inherit"));
        inheriting.filter_map(|tag| self.resolve_topic(tag)).collect()
    }

    /// A block of the page that a tag refers to: by an object on it, by `@name` or `@aliases`, or
    /// by the name of the page.
    pub(crate) fn resolve_topic(&self, tag: &Tag<'_>) -> Option<BlockId> {
        let name = self.local_name(tag.words().next()?)?;
        self.by_name.get(name).or_else(|| self.by_page.get(name)?.first()).copied()
    }

    /// A topic without the prefix of this package; `None` if it belongs to another one.
    fn local_name<'n>(&self, topic: &'n str) -> Option<&'n str> {
        match topic.split_once("::") {
            Some((package, name)) => (package == self.name).then(|| name.trim_start_matches(':')),
            None => Some(topic),
        }
    }

    fn find_page(&self, id: BlockId) -> Option<String> {
        let block = &self.documented(id).block;
        // `@describeIn` may name any function on the page, not only the one the page is named
        // after.
        match first_word(block, "describeIn").filter(|_| block.tag("rdname").is_none()) {
            Some(name) => {
                let target = self.by_name.get(&name).and_then(|target| self.find_own_page(*target));
                Some(target.unwrap_or(name))
            }
            None => self.find_own_page(id),
        }
    }

    /// The page that a block creates or names.
    fn find_own_page(&self, id: BlockId) -> Option<String> {
        let documented = self.documented(id);
        let named =
            ["rdname", "name"].into_iter().find_map(|tag| first_word(&documented.block, tag));
        named.or_else(|| documented.name().map(str::to_owned))
    }

    fn block_ids(&self) -> Vec<BlockId> {
        let files = self.files.iter().enumerate();
        let ids = files.flat_map(|(file, content)| {
            (0..content.content.documented.len()).map(move |index| BlockId { file, index })
        });
        ids.collect()
    }

    /// Fills the indexes. Names come before aliases, so that an alias never hides an object, and
    /// pages come last, because `find_page` looks up names.
    fn build_index(&mut self) {
        let ids = self.block_ids();
        for id in &ids {
            for name in names_of(self.documented(*id)) {
                // The first block that documents a name counts.
                self.by_name.entry(name).or_insert(*id);
            }
        }
        for id in &ids {
            let aliases = self.documented(*id).block.tags_named("aliases").flat_map(Tag::words);
            let aliases: Vec<_> = aliases.map(str::to_owned).collect();
            for name in aliases {
                self.by_name.entry(name).or_insert(*id);
            }
        }
        for id in ids {
            if let Some(page) = self.find_page(id) {
                self.by_page.entry(page).or_default().push(id);
            }
        }
    }

    /// Text by which other files may be related: the names that blocks refer to, and the tags that
    /// would refer to a tool.
    fn references(&self) -> HashSet<String> {
        let mut found = HashSet::new();
        for documented in self.files.iter().flat_map(|file| &file.content.documented) {
            let tags = documented.block.tags.iter().filter(|tag| REFERENCES.contains(&tag.name));
            found.extend(
                tags.filter_map(|tag| self.local_name(tag.words().next()?).map(str::to_owned)),
            );
        }
        for name in self.tools().into_iter().flat_map(|id| names_of(self.documented(id))) {
            found.extend(["rdname", "describeIn"].map(|tag| format!("@{tag} {name}")));
        }
        found
    }
}

fn read_all<'a>(files: &[&'a (SourceId, String)], read_file: ReadFile<'_>) -> Vec<File<'a>> {
    let read = |(source, text): &&'a (SourceId, String)| {
        let mut content = source::read(text);
        for documented in &mut content.documented {
            template::expand_templates(&mut documented.block, read_file);
        }
        File { source, text, content }
    };
    files.iter().map(read).collect()
}

fn mentions_any(text: &str, names: &HashSet<String>) -> bool {
    // Too generous, but a file that is parsed without need costs little; one that is missed loses
    // documentation.
    text.contains("#'") && names.iter().any(|name| text.contains(name.as_str()))
}

/// The names that a block documents: that of its object, and its `@name`.
fn names_of(documented: &DocumentedObject<'_>) -> Vec<String> {
    let object = documented.name().map(str::to_owned);
    object.into_iter().chain(first_word(&documented.block, "name")).collect()
}

fn first_word(block: &Block<'_>, tag: &str) -> Option<String> {
    block.tag(tag).and_then(|tag| tag.words().next().map(str::to_owned))
}
