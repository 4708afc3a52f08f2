//! Searches guide content: resolves an expression to documents, in order and without duplicates,
//! and reads as many as fit into a response.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use formats::{Expression, Pattern, Selection, Term};
use toolkit::{Context, ErrorType, closest};

use super::{
    Category,
    category_dir::{CategoryDir, MAX_FILES, SearchScope},
    category_index::{CategoryIndex, SearchBudget, SearchError},
    content::{GuideContent, Limits},
    document::{self, ReadContext, failure, is_visible},
    pattern::{Matcher, is_template, names, plain_name},
    reply::{ContentFailure, ContentReply, Omitted},
    uri,
};
use crate::template::RequestFlags;

/// Names in a message that lists some of many.
const MAX_LISTED: usize = 20;

/// Documents that do not fit before no further ones are read.
const MAX_OMITTED: usize = 100;

/// The largest front matter that is assumed, in bytes.
const FRONT_MATTER_BYTES: usize = 64 << 10;

/// A document: the name of its category and its path.
type DocumentPath<'a> = (&'a str, String);

/// Terms that one request may resolve, including those of collections.
const MAX_TERMS: usize = 1_000;

/// One search.
pub(super) struct Search<'a> {
    content: &'a GuideContent,
    context: &'a Context,
    flags: Arc<RequestFlags>,
    limits: Limits,
    indexes: HashMap<&'a str, Result<CategoryIndex, ContentFailure>>,
    budget: SearchBudget,
    terms: usize,
    failures: Vec<ContentFailure>,
    /// Whether a failure already lists the existing documents: once is enough.
    has_hinted: bool,
    /// The collections being resolved, outermost first, to detect cycles.
    open_collections: Vec<&'a str>,
}

impl<'a> Search<'a> {
    pub(super) fn new(content: &'a GuideContent, context: &'a Context) -> Self {
        Self {
            content,
            context,
            flags: content.project.request_flags(),
            limits: content.limits,
            indexes: HashMap::new(),
            budget: SearchBudget::new(),
            terms: 0,
            failures: Vec::new(),
            has_hinted: false,
            open_collections: Vec::new(),
        }
    }

    pub(super) fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    pub(super) fn run(mut self, expression: &Expression) -> ContentReply {
        let documents = self.resolve(expression);
        let mut reply = self.read(documents);
        // Terms that were not found come before documents that could not be read.
        self.failures.append(&mut reply.failures);
        reply.failures = self.failures;
        reply
    }

    /// Reads the document at an exact path. `None` if there is no such file.
    pub(super) fn read_exact(mut self, category: &'a Category, path: &str) -> Option<ContentReply> {
        let folder = self.folder(category).ok()?;
        (is_visible(path) && folder.size(path).is_some())
            .then(|| self.read(vec![(&category.name, path.to_owned())]))
    }

    /// Resolves an expression to documents, in order and without duplicates.
    fn resolve(&mut self, expression: &Expression) -> Vec<DocumentPath<'a>> {
        let (mut found, mut unwanted) = (Vec::new(), HashSet::new());
        for term in &expression.terms {
            let documents = self.resolve_term(term);
            match term.selection {
                Selection::Include => found.extend(documents),
                Selection::Exclude => unwanted.extend(documents),
            }
        }
        let mut seen = HashSet::new();
        found.retain(|document| !unwanted.contains(document) && seen.insert(document.clone()));
        found
    }

    /// Resolves a term and records its failures.
    fn resolve_term(&mut self, term: &Term) -> Vec<DocumentPath<'a>> {
        let before = self.failures.len();
        match self.try_resolve_term(term) {
            Ok(found) => {
                // An exclusion may match nothing, and failures inside a collection are recorded.
                if found.is_empty()
                    && term.selection == Selection::Include
                    && self.failures.len() == before
                {
                    self.record_no_match(term, None);
                }
                found
            }
            Err(failure) => {
                self.failures.push(failure);
                Vec::new()
            }
        }
    }

    fn try_resolve_term(&mut self, term: &Term) -> Result<Vec<DocumentPath<'a>>, ContentFailure> {
        self.terms += 1;
        if self.context.cancel_token().is_cancelled() {
            return Err(failure(
                &term.to_string(),
                ErrorType::Cancelled,
                "the request was cancelled".to_owned(),
            ));
        }
        if self.terms > MAX_TERMS {
            return Err(over_budget(&term.to_string()));
        }
        match (self.content.category(&term.name), self.content.collection(&term.name)) {
            // A category wins over a collection of the same name, which the configuration check
            // reports.
            (Some(category), _) => self.resolve_in_category(category, term),
            (None, Some(collection)) => {
                self.resolve_in_collection(&collection.name, &collection.items, term)
            }
            (None, None) => Err(self.unknown_name_error(term)),
        }
    }

    fn resolve_in_category(
        &mut self,
        category: &'a Category,
        term: &Term,
    ) -> Result<Vec<DocumentPath<'a>>, ContentFailure> {
        let has_wanted =
            term.patterns.iter().any(|pattern| pattern.selection == Selection::Include);
        let patterns: Vec<_> =
            // A term with only exclusions narrows the default documents of the category.
            category.patterns.iter().filter(|_| !has_wanted).chain(&term.patterns).collect();
        let (wanted, unwanted): (Vec<_>, Vec<_>) =
            patterns.into_iter().partition(|pattern| pattern.selection == Selection::Include);
        let unwanted = compile(unwanted, term)?;
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        for pattern in wanted {
            let (paths, is_truncated) = self.find_in_index(category, pattern, term)?;
            if is_truncated {
                let why = describe_truncation();
                self.failures.push(failure(&term.name, ErrorType::TooManyFiles, why));
            } else if paths.is_empty() && has_wanted && term.selection == Selection::Include {
                self.record_no_match(term, Some(pattern));
            }
            found.extend(
                paths
                    .into_iter()
                    .filter(|path| seen.insert(path.clone()) && !unwanted.matches_any(path)),
            );
        }
        // A file takes precedence over a template of the same name.
        let paths: HashSet<_> = found.iter().cloned().collect();
        found.retain(|path| plain_name(path).is_none_or(|plain| !paths.contains(&plain)));
        Ok(found.into_iter().map(|path| (category.name.as_str(), path)).collect())
    }

    fn find_in_index(
        &mut self,
        category: &'a Category,
        pattern: &Pattern,
        term: &Term,
    ) -> Result<(BTreeSet<String>, bool), ContentFailure> {
        let context = self.context;
        let (index, budget) = self.index(category)?;
        index.find(pattern, budget, &|| context.cancel_token().is_cancelled()).map_err(|error| {
            match error {
                SearchError::InvalidGlob(why) => glob_failure(term, &why),
                SearchError::OverBudget => over_budget(&term.to_string()),
            }
        })
    }

    /// The patterns of a term filter the documents of a collection.
    fn resolve_in_collection(
        &mut self,
        name: &'a str,
        items: &Expression,
        term: &Term,
    ) -> Result<Vec<DocumentPath<'a>>, ContentFailure> {
        if self.open_collections.contains(&name) {
            return Err(failure(
                name,
                ErrorType::CircularCollection,
                "the collection contains itself".to_owned(),
            ));
        }
        self.open_collections.push(name);
        let mut found = self.resolve(items);
        self.open_collections.pop();
        if !term.patterns.is_empty() {
            let all = Pattern { selection: Selection::Include, glob: "**".to_owned() };
            let has_wanted =
                term.patterns.iter().any(|pattern| pattern.selection == Selection::Include);
            let matcher = compile(
                Some(&all).filter(|_| !has_wanted).into_iter().chain(&term.patterns),
                term,
            )?;
            found.retain(|(_, path)| matcher.is_match(path));
        }
        Ok(found)
    }

    fn index(
        &mut self,
        category: &'a Category,
    ) -> Result<(&mut CategoryIndex, &mut SearchBudget), ContentFailure> {
        let content = self.content;
        let open = || {
            let opened =
                content.open_folder(category).map(|folder| CategoryIndex::new(Arc::new(folder)));
            opened.map_err(|_| {
                failure(
                    &category.name,
                    ErrorType::FileReadError,
                    "could not open its folder".to_owned(),
                )
            })
        };
        let index = self.indexes.entry(&category.name).or_insert_with(open);
        index.as_mut().map(|index| (index, &mut self.budget)).map_err(|failure| failure.clone())
    }

    fn folder(&mut self, category: &'a Category) -> Result<Arc<CategoryDir>, ContentFailure> {
        self.index(category).map(|(index, _)| Arc::clone(&index.folder))
    }

    fn unknown_name_error(&self, term: &Term) -> ContentFailure {
        let hint = match closest(&term.name, self.content.names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", list_names(self.content.names())),
        };
        failure(
            &term.to_string(),
            ErrorType::NotFound,
            format!("there is no category or collection `{}`; {hint}", term.name),
        )
    }

    /// Records that a term, or one of its patterns, matches nothing.
    fn record_no_match(&mut self, term: &Term, pattern: Option<&Pattern>) {
        let of =
            pattern.map_or_else(|| term.to_string(), |pattern| format!("{}/{pattern}", term.name));
        // Listing the folder again for each of many misses would be slow and noisy.
        let hint = if self.has_hinted { None } else { self.suggest(term, pattern) };
        self.has_hinted = true;
        let error = hint.map_or_else(
            || "nothing matches".to_owned(),
            |hint| format!("nothing matches; {hint}"),
        );
        self.failures.push(failure(&of, ErrorType::NotFound, error));
    }

    fn suggest(&mut self, term: &Term, pattern: Option<&Pattern>) -> Option<String> {
        let category = self.content.category(&term.name)?;
        let context = self.context;
        let (index, budget) = self.index(category).ok()?;
        let listed = index
            .list(SearchScope::unlimited_below(""), budget, &|| {
                context.cancel_token().is_cancelled()
            })
            .ok()?;
        let paths = &listed.listing.paths;
        let names: Vec<_> = paths.iter().filter_map(|path| names(path).pop()).collect();
        let near =
            pattern.and_then(|pattern| closest(&pattern.glob, names.iter().map(|name| &**name)));
        Some(match near {
            Some(near) => format!("did you mean `{}/{near}`?", term.name),
            None if paths.is_empty() => "it is empty".to_owned(),
            None => format!("there are {}", list_names(paths.iter().map(String::as_str))),
        })
    }

    fn read_context(&self) -> ReadContext<'_> {
        ReadContext { project: &self.content.project, flags: &self.flags, context: self.context }
    }

    /// Reads documents until the response is full.
    fn read(&mut self, documents: Vec<DocumentPath<'a>>) -> ContentReply {
        let mut reply = ContentReply::default();
        let mut omitted = Vec::new();
        let limits = self.limits;
        let mut bytes = 0;
        for (name, path) in &documents {
            let Some(category) = self.content.category(name) else {
                continue;
            };
            let Ok(folder) = self.folder(category) else {
                continue;
            };
            let is_full = self.context.cancel_token().is_cancelled()
                || reply.parts.len() >= limits.documents
                || omitted.len() >= MAX_OMITTED;
            // Smaller documents after a large one may still fit, so this does not stop the loop.
            if is_full || bytes + min_size(&folder, path) > limits.bytes {
                omitted.push(uri::for_document(name, path));
                continue;
            }
            match document::read(category, &folder, path, self.read_context()) {
                Ok(Ok(part)) if bytes + part.text.len() > limits.bytes => omitted.push(part.uri),
                Ok(Ok(part)) => {
                    bytes += part.text.len();
                    reply.parts.push(part);
                }
                Ok(Err(filtered)) => reply.filtered.push(filtered),
                Err(failure) => reply.failures.push(failure),
            }
        }
        reply.omitted = build_omitted(omitted);
        reply
    }
}

/// The minimum size of a document's text, so that a document that cannot fit is not read.
fn min_size(folder: &CategoryDir, path: &str) -> usize {
    let size = folder.size(path).filter(|_| !is_template(path)).unwrap_or_default();
    usize::try_from(size).unwrap_or(usize::MAX).saturating_sub(FRONT_MATTER_BYTES).max(1)
}

fn compile<'p>(
    patterns: impl IntoIterator<Item = &'p Pattern>,
    term: &Term,
) -> Result<Matcher, ContentFailure> {
    Matcher::new(patterns).map_err(|why| glob_failure(term, &why))
}

fn glob_failure(term: &Term, why: &str) -> ContentFailure {
    failure(
        &term.to_string(),
        ErrorType::InvalidExpression,
        format!("a pattern is not a valid glob: {why}"),
    )
}

fn over_budget(of: &str) -> ContentFailure {
    failure(
        of,
        ErrorType::TooManyFiles,
        "it exceeds the limit of one request; request less, or name folders".to_owned(),
    )
}

fn describe_truncation() -> String {
    format!("it has more than {MAX_FILES} files or is nested too deeply; name a smaller folder")
}

fn build_omitted(mut uris: Vec<String>) -> Option<Omitted> {
    let count = uris.len();
    uris.truncate(MAX_LISTED);
    let hint = "Read each as a resource by its URI, or request fewer at once.".to_owned();
    (count > 0).then_some(Omitted { count, uris, hint })
}

/// Lists names, truncated to [`MAX_LISTED`].
fn list_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > MAX_LISTED => {
            format!("{} and {} more", names[..MAX_LISTED].join(", "), count - MAX_LISTED)
        }
        _ => names.join(", "),
    }
}
