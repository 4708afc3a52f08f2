//! From an expression to documents: what it means, in order, each once, as much as fits.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use formats::{Expression, Pattern, Sense, Term};
use toolkit::{Context, closest};

use super::{
    address,
    document::{self, Reader, is_visible, problem},
    folder::{Folder, MOST_FILES},
    library::{Category, Library},
    pattern::{Matcher, is_template, names, plain_name, reach},
    render::{Answer, Omitted, Problem},
};
use crate::template::SeenFlags;

/// How many documents are named where not all of them are.
const NAMED: usize = 20;

/// How many documents that do not fit are looked at before no other is.
const TRIED: usize = 100;

/// How many bytes of a file front matter may take.
const FRONT_MATTER: usize = 64 << 10;

/// A document that was found: its category and its path.
type Place<'a> = (&'a str, String);

/// The folder of a category that is being looked through.
type Opened = Result<Arc<Folder>, Problem>;

/// One search of a library.
pub(super) struct Gathering<'a> {
    library: &'a Library,
    context: &'a Context,
    flags: Arc<SeenFlags>,
    opened: HashMap<&'a str, Opened>,
    failures: Vec<Problem>,
    /// The collections being looked through, from the outermost.
    inside: Vec<&'a str>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(library: &'a Library, context: &'a Context) -> Self {
        Self {
            library,
            context,
            flags: library.project.flags(),
            opened: HashMap::new(),
            failures: Vec::new(),
            inside: Vec::new(),
        }
    }

    pub(super) fn answer(mut self, expression: &Expression) -> Answer {
        let places = self.places(expression);
        let mut answer = self.read(places);
        // What was not found comes before what could not be read.
        self.failures.append(&mut answer.failures);
        answer.failures = self.failures;
        answer
    }

    /// The one document at a path, if there is a file.
    pub(super) fn exactly(mut self, category: &'a Category, path: &str) -> Option<Answer> {
        let folder = self.open(category).ok()?;
        (is_visible(path) && folder.size(path).is_some()).then(|| self.read(vec![(&category.name, path.to_owned())]))
    }

    /// The documents that an expression means, in order, each once.
    fn places(&mut self, expression: &Expression) -> Vec<Place<'a>> {
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

    fn term(&mut self, term: &Term) -> Vec<Place<'a>> {
        let before = self.failures.len();
        let found = match (self.library.category(&term.name), self.library.collection(&term.name)) {
            (Some(category), _) => self.in_category(category, term),
            (None, Some(collection)) => self.in_collection(&collection.name, &collection.items, term),
            (None, None) => Err(self.unknown(term)),
        };
        match found {
            Ok(found) => {
                // Nothing to leave out is no problem, and a failure inside has been told.
                if found.is_empty() && term.sense == Sense::Wanted && self.failures.len() == before {
                    let nothing = self.nothing(term);
                    self.failures.push(nothing);
                }
                found
            }
            Err(problem) => {
                self.failures.push(problem);
                Vec::new()
            }
        }
    }

    fn in_category(&mut self, category: &'a Category, term: &Term) -> Result<Vec<Place<'a>>, Problem> {
        let folder = self.open(category)?;
        let has_wanted = term.patterns.iter().any(|pattern| pattern.sense == Sense::Wanted);
        let patterns: Vec<_> = category.patterns.iter().filter(|_| !has_wanted).chain(&term.patterns).collect();
        let matcher = matcher(patterns.iter().copied(), term)?;
        let wanted = patterns.iter().filter(|pattern| pattern.sense == Sense::Wanted);
        let listing = folder.files(wanted.map(|pattern| reach(pattern)));
        let mut found: Vec<_> = listing.paths.iter().filter_map(|path| Some((matcher.rank(path)?, path))).collect();
        // A document hides the template that would become it.
        let paths: HashSet<_> = found.iter().map(|(_, path)| path.as_str()).collect();
        found.retain(|(_, path)| plain_name(path).is_none_or(|plain| !paths.contains(plain.as_str())));
        found.sort_by_key(|(rank, _)| *rank);
        if listing.is_cut {
            let error =
                format!("it has more than {MOST_FILES} files or deeper folders than are looked at; name a smaller folder");
            self.failures.push(problem(&term.name, "too_many_files", error));
        }
        Ok(found.into_iter().map(|(_, path)| (category.name.as_str(), path.clone())).collect())
    }

    /// Of a collection, patterns keep what they find.
    fn in_collection(&mut self, name: &'a str, items: &Expression, term: &Term) -> Result<Vec<Place<'a>>, Problem> {
        if self.inside.contains(&name) {
            return Err(problem(name, "circular_collection", "the collection contains itself".to_owned()));
        }
        self.inside.push(name);
        let mut found = self.places(items);
        self.inside.pop();
        if !term.patterns.is_empty() {
            let all = Pattern { sense: Sense::Wanted, glob: "**".to_owned() };
            let has_wanted = term.patterns.iter().any(|pattern| pattern.sense == Sense::Wanted);
            let matcher = matcher(Some(&all).filter(|_| !has_wanted).into_iter().chain(&term.patterns), term)?;
            found.retain(|(_, path)| matcher.is_match(path));
        }
        Ok(found)
    }

    fn open(&mut self, category: &'a Category) -> Opened {
        let open = || {
            let opened = Folder::open(&category.folder).map(Arc::new);
            opened.map_err(|_| problem(&category.name, "file_read_error", "its folder cannot be opened".to_owned()))
        };
        self.opened.entry(&category.name).or_insert_with(open).clone()
    }

    fn unknown(&self, term: &Term) -> Problem {
        let advice = match closest(&term.name, self.library.names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", listed(self.library.names())),
        };
        problem(&term.to_string(), "not_found", format!("there is no category or collection `{}`; {advice}", term.name))
    }

    fn nothing(&mut self, term: &Term) -> Problem {
        let paths = self.library.category(&term.name).and_then(|category| self.open(category).ok());
        let paths = paths.map_or_else(Vec::new, |folder| folder.all_files().paths);
        let names: Vec<_> = paths.iter().filter_map(|path| names(path).pop()).collect();
        let near = term.patterns.iter().find_map(|pattern| closest(&pattern.glob, names.iter().map(|name| &**name)));
        let advice = match near {
            Some(near) => format!("did you mean `{}/{near}`?", term.name),
            None if paths.is_empty() => "there is nothing".to_owned(),
            None => format!("there are {}", listed(paths.iter().map(String::as_str))),
        };
        problem(&term.to_string(), "not_found", format!("nothing matches; {advice}"))
    }

    fn reader(&self) -> Reader<'_> {
        Reader { project: &self.library.project, flags: &self.flags, context: self.context }
    }

    /// Reads documents until the answer is full.
    fn read(&mut self, places: Vec<Place<'a>>) -> Answer {
        let mut answer = Answer::default();
        let mut omitted = Vec::new();
        let limits = self.library.limits;
        let mut bytes = 0;
        for (name, path) in &places {
            let Some(category) = self.library.category(name) else { continue };
            let Ok(folder) = self.open(category) else { continue };
            let is_full = answer.parts.len() >= limits.documents || omitted.len() >= TRIED;
            if is_full || bytes + least_size(&folder, path) > limits.bytes {
                omitted.push(address::of(name, path));
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
fn least_size(folder: &Folder, path: &str) -> usize {
    let size = folder.size(path).filter(|_| !is_template(path)).unwrap_or_default();
    usize::try_from(size).unwrap_or(usize::MAX).saturating_sub(FRONT_MATTER).max(1)
}

fn matcher<'p>(patterns: impl IntoIterator<Item = &'p Pattern>, term: &Term) -> Result<Matcher, Problem> {
    Matcher::new(patterns).map_err(|why| problem(&term.to_string(), "invalid_expression", format!("a pattern is no glob: {why}")))
}

fn omission(mut uris: Vec<String>) -> Option<Omitted> {
    let count = uris.len();
    uris.truncate(NAMED);
    let hint = "Read each by its address as a resource, or ask for fewer at once.".to_owned();
    (count > 0).then_some(Omitted { count, uris, hint })
}

/// Names in a row, as many as one reads.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > NAMED => format!("{} and {} more", names[..NAMED].join(", "), count - NAMED),
        _ => names.join(", "),
    }
}
