//! Guide content in a temporary folder.

use std::{fs, path::PathBuf, sync::Arc};

use builtin::{
    Project,
    guide::{Category, Collection, ContentReply, Guide, GuideContent},
};
use catalog::{Catalog, Policy};
use formats::{Expression, Pattern};
use runtime::{Runtime, Settings};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolkit::{Context, Prefix, Toolset, ToolsetOptions};

/// Guide content in a temporary folder: each folder in it is a category.
pub(crate) struct GuideFixture {
    folder: TempDir,
    patterns: Vec<Pattern>,
    instructs: bool,
    collections: Vec<Collection>,
    flags: Value,
}

impl GuideFixture {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::with_prefix("guide-").expect("a temporary folder"),
            patterns: vec![Pattern::parse("*.md")],
            instructs: false,
            collections: Vec::new(),
            flags: json!({}),
        }
    }

    /// Three categories, one with documents on languages.
    pub(crate) fn languages() -> Self {
        let languages = ["java", "python", "rust"].into_iter();
        let fixture = languages.fold(Self::new(), |fixture, name| {
            fixture.file(&format!("lang/{name}.md"), format!("about {name}\n"))
        });
        fixture.file("docs/api.md", "the interface\n").file("guidelines/style.md", "be plain\n")
    }

    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn patterns(mut self, patterns: &[&str]) -> Self {
        self.patterns = patterns.iter().map(|pattern| Pattern::parse(pattern)).collect();
        self
    }

    pub(crate) fn with_instructions(mut self) -> Self {
        self.instructs = true;
        self
    }

    pub(crate) fn collection(mut self, name: &str, items: &str) -> Self {
        let items = Expression::parse(items).expect("an expression");
        self.collections.push(Collection { name: name.into(), items, description: None });
        self
    }

    pub(crate) fn flags(mut self, flags: Value) -> Self {
        self.flags = flags;
        self
    }

    pub(crate) fn project(&self) -> Project {
        let flags = self.flags.clone();
        Project {
            name: "shop".into(),
            path: "/the/shop".into(),
            flags: Arc::new(move || serde_json::from_value(flags.clone()).expect("flags by name")),
        }
    }

    pub(crate) fn content(&self) -> GuideContent {
        let mut names: Vec<_> = fs::read_dir(self.folder.path())
            .expect("the folder")
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().expect("a name"))
            .collect();
        names.sort();
        let category = |name: String| Category {
            folder: self.path(&name),
            description: Some(format!("All about {name}")),
            name,
            patterns: self.patterns.clone(),
            instruct: self.instructs,
        };
        GuideContent::new(
            names.into_iter().map(category).collect(),
            self.collections.clone(),
            self.project(),
        )
    }

    pub(crate) fn guide(&self) -> Guide {
        Guide::new(self.content())
    }

    /// The context of a call in a server with `get_content` under the prefix `served`.
    pub(crate) fn context(&self) -> Context {
        let presentation = ToolsetOptions {
            prefix: Prefix::parse("served").expect("a prefix"),
            ..ToolsetOptions::default()
        };
        let natives =
            Toolset::default().with(self.guide().native()).build(&presentation).expect("tools");
        let (catalog, _) = Catalog::merge(natives.into_iter().map(|native| Arc::new(native.tool)));
        let runtime = Arc::new(Runtime::new(Settings::new(self.folder.path().to_owned())));
        runtime.host(
            Context::detached(CancellationToken::new()),
            &Arc::new(catalog),
            &Policy::default(),
        )
    }

    pub(crate) fn get(&self, expression: &str) -> ContentReply {
        self.content().find(expression, None, &self.context()).expect("an expression")
    }

    /// The URIs that an expression finds, without scheme. Fails on failures.
    pub(crate) fn found(&self, expression: &str) -> Vec<String> {
        let reply = self.get(expression);
        assert_eq!(reply.failures, [], "{expression}");
        uris(&reply)
    }
}

/// The URIs of the documents of a reply, without scheme.
pub(crate) fn uris(reply: &ContentReply) -> Vec<String> {
    reply.parts.iter().map(|part| part.uri.trim_start_matches("guide://").to_owned()).collect()
}
