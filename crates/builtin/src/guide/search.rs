//! From an expression to documents: what it means, in order, each once, as much as fits.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use formats::{Expression, Pattern, Sense, Term};
use toolkit::{Context, ErrorType, closest};

use super::{
    Category,
    category_dir::{CategoryDir, MOST_FILES, SearchScope},
    category_index::{CategoryIndex, SearchBudget, SearchError},
    content::{GuideContent, Limits},
    document::{self, ReadContext, is_visible, problem},
    pattern::{Matcher, is_template, names, plain_name},
    reply::{ContentFailure, ContentReply, Omitted},
    uri,
};
use crate::template::RequestFlags;

/// How many documents are named where not all of them are.
const NAMED: usize = 20;

/// How many documents that do not fit are looked at before no other is.
const TRIED: usize = 100;

/// How many bytes of a file front matter may take.
const FRONT_MATTER: usize = 64 << 10;

/// A document that was found: its category and its path.
type DocumentPath<'a> = (&'a str, String);

/// How many terms are looked at, those of collections among them.
const MOST_TERMS: usize = 1_000;

/// One search of a content.
pub(super) struct Search<'a> {
    content: &'a GuideContent,
    context: &'a Context,
    flags: Arc<RequestFlags>,
    limits: Limits,
    indexes: HashMap<&'a str, Result<CategoryIndex, ContentFailure>>,
    budget: SearchBudget,
    terms: usize,
    failures: Vec<ContentFailure>,
    /// Whether it has been said what else there is: once is enough.
    has_hinted: bool,
    /// The collections being looked through, from the outermost.
    inside: Vec<&'a str>,
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
            inside: Vec::new(),
        }
    }

    /// The same search with other limits.
    pub(super) fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    pub(super) fn answer(mut self, expression: &Expression) -> ContentReply {
        let places = self.places(expression);
        let mut answer = self.read(places);
        // What was not found comes before what could not be read.
        self.failures.append(&mut answer.failures);
        answer.failures = self.failures;
        answer
    }

    /// The one document at a path, if there is a file.
    pub(super) fn exactly(mut self, category: &'a Category, path: &str) -> Option<ContentReply> {
        let folder = self.folder(category).ok()?;
        (is_visible(path) && folder.size(path).is_some())
            .then(|| self.read(vec![(&category.name, path.to_owned())]))
    }

    /// The documents that an expression means, in order, each once.
    fn places(&mut self, expression: &Expression) -> Vec<DocumentPath<'a>> {
        let (mut found, mut unwanted) = (Vec::new(), HashSet::new());
        for term in &expression.terms {
            let places = self.term(term);
            match term.sense {
                Sense::Wanted => found.extend(places),
                Sense::Unwanted => unwanted.extend(places),
            }
        }
        let mut seen = HashSet::new();
        found.retain(|place| !unwanted.contains(place) && seen.insert(place.clone()));
        found
    }

    fn term(&mut self, term: &Term) -> Vec<DocumentPath<'a>> {
        let before = self.failures.len();
        match self.found(term) {
            Ok(found) => {
                // Nothing to leave out is no problem, and a failure inside has been told.
                if found.is_empty() && term.sense == Sense::Wanted && self.failures.len() == before
                {
                    self.missed(term, None);
                }
                found
            }
            Err(problem) => {
                self.failures.push(problem);
                Vec::new()
            }
        }
    }

    fn found(&mut self, term: &Term) -> Result<Vec<DocumentPath<'a>>, ContentFailure> {
        self.terms += 1;
        if self.context.cancel_token().is_cancelled() {
            return Err(problem(
                &term.to_string(),
                ErrorType::Cancelled,
                "the request was cancelled".to_owned(),
            ));
        }
        if self.terms > MOST_TERMS {
            return Err(too_much(&term.to_string()));
        }
        match (self.content.category(&term.name), self.content.collection(&term.name)) {
            (Some(category), _) => self.in_category(category, term),
            (None, Some(collection)) => {
                self.in_collection(&collection.name, &collection.items, term)
            }
            (None, None) => Err(self.unknown(term)),
        }
    }

    fn in_category(
        &mut self,
        category: &'a Category,
        term: &Term,
    ) -> Result<Vec<DocumentPath<'a>>, ContentFailure> {
        let has_wanted = term.patterns.iter().any(|pattern| pattern.sense == Sense::Wanted);
        let patterns: Vec<_> =
            category.patterns.iter().filter(|_| !has_wanted).chain(&term.patterns).collect();
        let (wanted, unwanted): (Vec<_>, Vec<_>) =
            patterns.into_iter().partition(|pattern| pattern.sense == Sense::Wanted);
        let unwanted = matcher(unwanted, term)?;
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        for pattern in wanted {
            let (paths, is_cut) = self.find_in_index(category, pattern, term)?;
            if is_cut {
                self.failures.push(problem(&term.name, ErrorType::TooManyFiles, cut()));
            } else if paths.is_empty() && has_wanted && term.sense == Sense::Wanted {
                self.missed(term, Some(pattern));
            }
            found.extend(
                paths.into_iter().filter(|path| seen.insert(path.clone()) && !unwanted.finds(path)),
            );
        }
        // A document hides the template that would become it.
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
        index.find(pattern, budget, &|| context.cancel_token().is_cancelled()).map_err(|cut| {
            match cut {
                SearchError::Glob(why) => no_glob(term, &why),
                SearchError::TooMuch => too_much(&term.to_string()),
            }
        })
    }

    /// Of a collection, patterns keep what they find.
    fn in_collection(
        &mut self,
        name: &'a str,
        items: &Expression,
        term: &Term,
    ) -> Result<Vec<DocumentPath<'a>>, ContentFailure> {
        if self.inside.contains(&name) {
            return Err(problem(
                name,
                ErrorType::CircularCollection,
                "the collection contains itself".to_owned(),
            ));
        }
        self.inside.push(name);
        let mut found = self.places(items);
        self.inside.pop();
        if !term.patterns.is_empty() {
            let all = Pattern { sense: Sense::Wanted, glob: "**".to_owned() };
            let has_wanted = term.patterns.iter().any(|pattern| pattern.sense == Sense::Wanted);
            let matcher = matcher(
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
        let open = || {
            let opened = CategoryDir::open(&category.folder)
                .map(|folder| CategoryIndex::new(Arc::new(folder)));
            opened.map_err(|_| {
                problem(
                    &category.name,
                    ErrorType::FileReadError,
                    "its folder cannot be opened".to_owned(),
                )
            })
        };
        let index = self.indexes.entry(&category.name).or_insert_with(open);
        index.as_mut().map(|index| (index, &mut self.budget)).map_err(|problem| problem.clone())
    }

    fn folder(&mut self, category: &'a Category) -> Result<Arc<CategoryDir>, ContentFailure> {
        self.index(category).map(|(index, _)| Arc::clone(&index.folder))
    }

    fn unknown(&self, term: &Term) -> ContentFailure {
        let advice = match closest(&term.name, self.content.names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", listed_names(self.content.names())),
        };
        problem(
            &term.to_string(),
            ErrorType::NotFound,
            format!("there is no category or collection `{}`; {advice}", term.name),
        )
    }

    /// Notes that a term, or one pattern of it, found nothing.
    fn missed(&mut self, term: &Term, pattern: Option<&Pattern>) {
        let of =
            pattern.map_or_else(|| term.to_string(), |pattern| format!("{}/{pattern}", term.name));
        let advice = if self.has_hinted { None } else { self.advice(term, pattern) };
        self.has_hinted = true;
        let error = advice.map_or_else(
            || "nothing matches".to_owned(),
            |advice| format!("nothing matches; {advice}"),
        );
        self.failures.push(problem(&of, ErrorType::NotFound, error));
    }

    fn advice(&mut self, term: &Term, pattern: Option<&Pattern>) -> Option<String> {
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
            None if paths.is_empty() => "there is nothing".to_owned(),
            None => format!("there are {}", listed_names(paths.iter().map(String::as_str))),
        })
    }

    fn reader(&self) -> ReadContext<'_> {
        ReadContext { project: &self.content.project, flags: &self.flags, context: self.context }
    }

    /// Reads documents until the answer is full.
    fn read(&mut self, places: Vec<DocumentPath<'a>>) -> ContentReply {
        let mut answer = ContentReply::default();
        let mut omitted = Vec::new();
        let limits = self.limits;
        let mut bytes = 0;
        for (name, path) in &places {
            let Some(category) = self.content.category(name) else {
                continue;
            };
            let Ok(folder) = self.folder(category) else {
                continue;
            };
            let is_full = self.context.cancel_token().is_cancelled()
                || answer.parts.len() >= limits.documents
                || omitted.len() >= TRIED;
            if is_full || bytes + least_size(&folder, path) > limits.bytes {
                omitted.push(uri::for_document(name, path));
                continue;
            }
            match document::read(category, &folder, path, self.reader()) {
                Ok(Ok(part)) if bytes + part.text.len() > limits.bytes => omitted.push(part.uri),
                Ok(Ok(part)) => {
                    bytes += part.text.len();
                    answer.parts.push(part);
                }
                Ok(Err(filtered)) => answer.filtered.push(filtered),
                Err(problem) => answer.failures.push(problem),
            }
        }
        answer.omitted = omission(omitted);
        answer
    }
}

/// How many bytes a document has at least, so that what cannot fit need not be read.
fn least_size(folder: &CategoryDir, path: &str) -> usize {
    let size = folder.size(path).filter(|_| !is_template(path)).unwrap_or_default();
    usize::try_from(size).unwrap_or(usize::MAX).saturating_sub(FRONT_MATTER).max(1)
}

fn matcher<'p>(
    patterns: impl IntoIterator<Item = &'p Pattern>,
    term: &Term,
) -> Result<Matcher, ContentFailure> {
    Matcher::new(patterns).map_err(|why| no_glob(term, &why))
}

fn no_glob(term: &Term, why: &str) -> ContentFailure {
    problem(&term.to_string(), ErrorType::InvalidExpression, format!("a pattern is no glob: {why}"))
}

fn too_much(of: &str) -> ContentFailure {
    problem(
        of,
        ErrorType::TooManyFiles,
        "it is more than one request looks at; ask for less at once, or name folders".to_owned(),
    )
}

fn cut() -> String {
    format!(
        "it has more than {MOST_FILES} files or deeper folders than are looked at; name a smaller folder"
    )
}

fn omission(mut uris: Vec<String>) -> Option<Omitted> {
    let count = uris.len();
    uris.truncate(NAMED);
    let hint = "Read each by its address as a resource, or ask for fewer at once.".to_owned();
    (count > 0).then_some(Omitted { count, uris, hint })
}

/// Names in a row, as many as one reads.
fn listed_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > NAMED => {
            format!("{} and {} more", names[..NAMED].join(", "), count - NAMED)
        }
        _ => names.join(", "),
    }
}
