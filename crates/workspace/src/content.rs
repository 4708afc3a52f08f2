//! `[content]`: categories and collections, read and held against what there is.

mod rules;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use catalog::{Diagnostic, Origin, Rule, SourceId, closest};
use formats::{Category, Collection, Expression, Pattern, check_name};
use globset::Glob;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

pub(crate) use rules::{
    AMBIGUOUS_NAME, BAD_NAME, BROKEN_COLLECTION, BROKEN_PATTERN, MISSING_FOLDER,
};

use crate::Crib;

/// What a category gives if its configuration does not say.
const USUAL: &str = "**/*.md";

/// Documents, and what they are found by.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContentConfig {
    /// Folders of documents, by name.
    #[schemars(with = "BTreeMap<String, CategoryConfig>")]
    pub categories: BTreeMap<Spanned<String>, CategoryConfig>,
    /// Documents of several categories, by name.
    #[schemars(with = "BTreeMap<String, CollectionConfig>")]
    pub collections: BTreeMap<Spanned<String>, CollectionConfig>,
    /// How many documents one answer may hold; 500 if not given. What is left out is said.
    pub max_documents: Option<usize>,
    /// How many bytes of text one answer may hold; 1 MiB if not given. What is left out is said.
    pub max_bytes: Option<usize>,
}

/// A folder of documents.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CategoryConfig {
    /// The folder, relative to the crib. Nothing outside of it is read.
    #[schemars(with = "PathBuf")]
    pub dir: Spanned<PathBuf>,
    /// Globs over paths in the folder: what the category gives when nothing of it is asked for in particular. A glob with
    /// `!` before it leaves out. All Markdown files if not given.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub patterns: Vec<Spanned<String>>,
    /// What the documents are about.
    #[serde(default)]
    pub description: Option<String>,
    /// Whether documents that say `type: agent/instruction` are answered as instructions. All others inform.
    #[serde(default)]
    pub instruct: bool,
}

/// Documents of several categories.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectionConfig {
    /// Expressions, in the order in which their documents are given.
    #[schemars(with = "Vec<String>")]
    pub items: Spanned<Vec<String>>,
    /// What the documents are about.
    #[serde(default)]
    pub description: Option<String>,
}

/// The categories and collections of a crib that can be used.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// The categories, by name.
    pub categories: Vec<Category>,
    /// The collections, by name.
    pub collections: Vec<Collection>,
}

/// Reads `[content]`: what can be used, and what is wrong with the rest.
pub(crate) fn read(source: &SourceId, crib: &Crib) -> (Content, Vec<Diagnostic>) {
    let Some(config) = &crib.config.content else {
        return Default::default();
    };
    let mut reader = Reader { source, crib, found: Vec::new() };
    let mut content = Content::default();
    for (name, category) in &config.categories {
        content.categories.extend(reader.category(name, category));
    }
    for (name, collection) in &config.collections {
        if let Some(clash) = config.categories.get_key_value(name.get_ref().as_str()) {
            let message = format!(
                "`{}` is a category as well, which is what it means in an expression",
                clash.0.get_ref()
            );
            reader.report(&AMBIGUOUS_NAME, name, message, "give one of them another name");
        }
        content.collections.extend(reader.collection(name, collection, config));
    }
    reader.circles(&content.collections, config);
    (content, reader.found)
}

struct Reader<'a> {
    source: &'a SourceId,
    crib: &'a Crib,
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report<T>(
        &mut self,
        rule: &Rule,
        at: &Spanned<T>,
        message: String,
        hint: impl Into<String>,
    ) {
        let origin = Origin::offset(self.source, at.span().start);
        self.found.push(Diagnostic::new(rule, origin, message).hint(hint));
    }

    fn name(&mut self, name: &Spanned<String>) -> Option<String> {
        match check_name(name.get_ref()) {
            Ok(()) => Some(name.get_ref().clone()),
            Err(why) => {
                let message = format!(
                    "`{}` cannot be written in an expression: {why}",
                    name.get_ref().escape_debug()
                );
                self.report(&BAD_NAME, name, message, "use letters, digits, `_`, `-` and `.`");
                None
            }
        }
    }

    fn category(&mut self, name: &Spanned<String>, config: &CategoryConfig) -> Option<Category> {
        let name = self.name(name);
        let folder = self.crib.resolve(config.dir.get_ref());
        if !folder.is_dir() {
            let message = format!("there is no folder `{}`", config.dir.get_ref().display());
            self.report(
                &MISSING_FOLDER,
                &config.dir,
                message,
                "make the folder, or name one relative to the crib",
            );
        }
        let mut patterns: Vec<_> =
            config.patterns.iter().filter_map(|pattern| self.pattern(pattern)).collect();
        if patterns.is_empty() {
            patterns.push(Pattern::alone(USUAL));
        }
        let description = config.description.clone();
        Some(Category { name: name?, folder, patterns, description, instruct: config.instruct })
    }

    fn pattern(&mut self, text: &Spanned<String>) -> Option<Pattern> {
        let pattern = Pattern::alone(text.get_ref());
        let problem = match Glob::new(&pattern.glob) {
            Err(error) => Some(error.kind().to_string()),
            Ok(_) if pattern.glob.starts_with('/') => Some("it begins with `/`".to_owned()),
            Ok(_) if pattern.glob.split('/').any(|part| part == "..") => {
                Some("it leads out of the folder".to_owned())
            }
            Ok(_) => None,
        };
        match problem {
            None => Some(pattern),
            Some(why) => {
                let message = format!("`{}` is not a pattern: {why}", text.get_ref());
                self.report(
                    &BROKEN_PATTERN,
                    text,
                    message,
                    "write a glob over paths in the folder, such as `**/*.md`",
                );
                None
            }
        }
    }

    fn collection(
        &mut self,
        name: &Spanned<String>,
        config: &CollectionConfig,
        all: &ContentConfig,
    ) -> Option<Collection> {
        let name = self.name(name);
        let items = match Expression::parse(&config.items.get_ref().join(",")) {
            Ok(items) => items,
            Err(error) => {
                self.report(&BROKEN_COLLECTION, &config.items, error.message, error.hint);
                return None;
            }
        };
        for term in &items.terms {
            let known = || {
                all.categories
                    .keys()
                    .chain(all.collections.keys())
                    .map(|name| name.get_ref().as_str())
            };
            if known().all(|known| known != term.name) {
                let near =
                    closest(&term.name, known()).map(|near| format!("did you mean `{near}`?"));
                let hint =
                    near.unwrap_or_else(|| "name a category of `[content.categories]`".to_owned());
                let message = format!("`{term}` names no category or collection");
                self.report(&BROKEN_COLLECTION, &config.items, message, hint);
            }
        }
        Some(Collection { name: name?, items, description: config.description.clone() })
    }

    /// Tells of collections that contain themselves, directly or by others.
    fn circles(&mut self, collections: &[Collection], config: &ContentConfig) {
        for (name, written) in &config.collections {
            let mut inside = BTreeSet::new();
            let mut next = vec![name.get_ref().as_str()];
            while let Some(collection) =
                next.pop().and_then(|name| collections.iter().find(|other| other.name == name))
            {
                // A name that is a category's means that, whatever else is called so.
                let names = collection.items.terms.iter().map(|term| term.name.as_str());
                let names = names.filter(|name| !config.categories.contains_key(*name));
                next.extend(names.filter(|name| inside.insert(*name)));
            }
            if inside.contains(name.get_ref().as_str()) {
                let message = format!("the collection `{}` contains itself", name.get_ref());
                self.report(
                    &BROKEN_COLLECTION,
                    &written.items,
                    message,
                    "take it out of what it contains",
                );
            }
        }
    }
}
