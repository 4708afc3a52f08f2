//! `[content]`: parses and checks categories and collections of documents.

mod rules;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use catalog::{Diagnostic, Origin, Rule, SourceId, closest};
use formats::{Category, Collection, Expression, Pattern};
use globset::Glob;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

pub(crate) use rules::{
    AMBIGUOUS_NAME, BAD_NAME, BROKEN_COLLECTION, BROKEN_PATTERN, MISSING_FOLDER,
};

/// The default pattern of a category.
const DEFAULT_PATTERN: &str = "**/*.md";

/// Documents for agents, by category and collection.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContentConfig {
    /// Folders of documents, by name.
    #[schemars(with = "BTreeMap<String, CategoryConfig>")]
    pub categories: BTreeMap<Spanned<String>, CategoryConfig>,
    /// Documents of several categories, by name.
    #[schemars(with = "BTreeMap<String, CollectionConfig>")]
    pub collections: BTreeMap<Spanned<String>, CollectionConfig>,
    /// Maximum number of documents in one result. Default: 500. Omitted documents are reported.
    pub max_documents: Option<usize>,
    /// Maximum bytes of text in one result. Default: 1 MiB. Omitted text is reported.
    pub max_bytes: Option<usize>,
}

/// A folder of documents.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CategoryConfig {
    /// Folder, relative to the crib. Files outside of it are never read.
    #[schemars(with = "PathBuf")]
    pub dir: Spanned<PathBuf>,
    /// Globs for paths in the folder, which select the documents if a request names none. A leading
    /// `!` excludes. Default: all Markdown files.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub patterns: Vec<Spanned<String>>,
    /// Topic of the documents.
    #[serde(default)]
    pub description: Option<String>,
    /// Whether documents with `type: agent/instruction` are returned as instructions. All others are
    /// returned as information.
    #[serde(default)]
    pub instruct: bool,
}

/// Documents of several categories.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectionConfig {
    /// Expressions. Their documents are returned in this order.
    #[schemars(with = "Vec<String>")]
    pub items: Spanned<Vec<String>>,
    /// Topic of the documents.
    #[serde(default)]
    pub description: Option<String>,
}

/// The valid categories and collections of a crib.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// The categories, by name.
    pub categories: Vec<Category>,
    /// The collections, by name.
    pub collections: Vec<Collection>,
}

/// Compiles the valid parts of `[content]` and reports the problems of the others. `resolve` resolves
/// a configured folder.
pub(crate) fn compile(
    source: &SourceId,
    config: Option<&ContentConfig>,
    resolve: &dyn Fn(&Path) -> PathBuf,
) -> (Content, Vec<Diagnostic>) {
    let Some(config) = config else {
        return Default::default();
    };
    let mut compiler = Compiler { source, resolve, found: Vec::new() };
    let mut content = Content::default();
    for (name, category) in &config.categories {
        content.categories.extend(compiler.category(name, category));
    }
    for (name, collection) in &config.collections {
        if let Some(clash) = config.categories.get_key_value(name.get_ref().as_str()) {
            let message = format!(
                "`{}` is also the name of a category, which expressions refer to",
                clash.0.get_ref()
            );
            compiler.report(&AMBIGUOUS_NAME, name, message, "rename one of them");
        }
        content.collections.extend(compiler.collection(name, collection, config));
    }
    compiler.report_cycles(&content.collections, config);
    (content, compiler.found)
}

struct Compiler<'a> {
    source: &'a SourceId,
    resolve: &'a dyn Fn(&Path) -> PathBuf,
    found: Vec<Diagnostic>,
}

impl Compiler<'_> {
    fn report<T>(
        &mut self,
        rule: &Rule,
        spanned: &Spanned<T>,
        message: String,
        hint: impl Into<String>,
    ) {
        let origin = Origin::offset(self.source, spanned.span().start);
        self.found.push(Diagnostic::new(rule, origin, message).hint(hint));
    }

    fn check_name(&mut self, name: &Spanned<String>) -> Option<String> {
        match formats::check_name(name.get_ref()) {
            Ok(()) => Some(name.get_ref().clone()),
            Err(why) => {
                let message = format!(
                    "`{}` is not a valid name in an expression: {why}",
                    name.get_ref().escape_debug()
                );
                self.report(&BAD_NAME, name, message, "use letters, digits, `_`, `-` and `.`");
                None
            }
        }
    }

    fn category(&mut self, name: &Spanned<String>, config: &CategoryConfig) -> Option<Category> {
        // No early return, so that the other problems of the entry are reported as well.
        let name = self.check_name(name);
        let folder = (self.resolve)(config.dir.get_ref());
        if !folder.is_dir() {
            let message = format!("there is no folder `{}`", config.dir.get_ref().display());
            self.report(
                &MISSING_FOLDER,
                &config.dir,
                message,
                "create the folder, or name one relative to the crib",
            );
        }
        let mut patterns: Vec<_> =
            config.patterns.iter().filter_map(|pattern| self.pattern(pattern)).collect();
        if patterns.is_empty() {
            patterns.push(Pattern::parse(DEFAULT_PATTERN));
        }
        let description = config.description.clone();
        Some(Category { name: name?, folder, patterns, description, instruct: config.instruct })
    }

    fn pattern(&mut self, text: &Spanned<String>) -> Option<Pattern> {
        let pattern = Pattern::parse(text.get_ref());
        let problem = match Glob::new(&pattern.glob) {
            Err(error) => Some(error.kind().to_string()),
            Ok(_) if pattern.glob.starts_with('/') => Some("it begins with `/`".to_owned()),
            // The reader opens files through a handle that no path escapes; such a pattern could
            // never match.
            Ok(_) if pattern.glob.split('/').any(|part| part == "..") => {
                Some("it leaves the folder".to_owned())
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
        let name = self.check_name(name);
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
                    near.unwrap_or_else(|| "use a name from `[content.categories]`".to_owned());
                let message = format!("`{term}` refers to an unknown category or collection");
                self.report(&BROKEN_COLLECTION, &config.items, message, hint);
            }
        }
        Some(Collection { name: name?, items, description: config.description.clone() })
    }

    /// Reports collections that contain themselves, directly or through others.
    fn report_cycles(&mut self, collections: &[Collection], config: &ContentConfig) {
        for (name, written) in &config.collections {
            let mut reachable = BTreeSet::new();
            let mut pending = vec![name.get_ref().as_str()];
            while let Some(collection) =
                pending.pop().and_then(|name| collections.iter().find(|other| other.name == name))
            {
                // A name that is both a category and a collection refers to the category.
                let names = collection.items.terms.iter().map(|term| term.name.as_str());
                let names = names.filter(|name| !config.categories.contains_key(*name));
                // The start itself is not in the set: it is found there only if a path leads back
                // to it.
                pending.extend(names.filter(|name| reachable.insert(*name)));
            }
            if reachable.contains(name.get_ref().as_str()) {
                let message = format!("the collection `{}` contains itself", name.get_ref());
                self.report(
                    &BROKEN_COLLECTION,
                    &written.items,
                    message,
                    "remove it from its own items",
                );
            }
        }
    }
}
