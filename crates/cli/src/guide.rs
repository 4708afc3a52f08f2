//! The documents and prompts of a crib, as the built-in tools take them.

use std::sync::Arc;

use builtin::{
    Project,
    content::{Category, Collection, Guide, Library, Limits},
    prompts::{Book, Detail},
};
use workspace::{Content, Crib, Descriptions, Loaded};

/// What a crib's documents are, and how much of them one answer holds.
pub(crate) fn library(crib: &Crib, content: &Content) -> Library {
    let categories = content.categories.iter().cloned().map(|category| Category {
        name: category.name,
        folder: category.folder,
        patterns: category.patterns,
        description: category.description,
        instruct: category.instruct,
    });
    let collections = content.collections.iter().cloned().map(|collection| Collection {
        name: collection.name,
        items: collection.items,
        description: collection.description,
    });
    let usual = Limits::default();
    let config = crib.config.content.as_ref();
    let limits = Limits {
        documents: config.and_then(|config| config.max_documents).unwrap_or(usual.documents),
        bytes: config.and_then(|config| config.max_bytes).unwrap_or(usual.bytes),
    };
    Library::new(categories.collect(), collections.collect(), project(crib)).with_limits(limits)
}

/// The documents of a crib, for the tools that find them.
pub(crate) fn open(crib: &Crib, loaded: &Loaded) -> Guide {
    Guide::new(library(crib, &loaded.content))
}

/// The prompts of a crib, described in the size that it wants.
pub(crate) fn book(crib: &Crib, loaded: &Loaded) -> Book {
    let detail = match crib.config.crib.descriptions {
        Some(Descriptions::Concise) => Detail::Concise,
        Some(Descriptions::SchemaLess) => Detail::SchemaLess,
        Some(Descriptions::Full) | None => Detail::Full,
    };
    Book::new(loaded.prompts.clone(), project(crib), detail)
}

/// A crib as templates know it.
fn project(crib: &Crib) -> Project {
    Project { name: crib.name(), path: crib.folder.display().to_string(), flags: Arc::new(|_| None) }
}
