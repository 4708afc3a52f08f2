//! The arguments of fish's `complete`.

/// One completion.
#[derive(Debug, Default)]
pub(super) struct Completion {
    pub(super) programs: Vec<String>,
    conditions: Vec<String>,
    /// The names of the option, with dashes.
    pub(super) names: Vec<String>,
    /// Completed words with their texts.
    pub(super) values: Vec<(String, Option<String>)>,
    /// Whether some words come from a command.
    pub(super) has_dynamic_values: bool,
    pub(super) description: Option<String>,
    pub(super) requires_value: bool,
    /// Whether only these values make sense.
    pub(super) is_exclusive: bool,
    is_erased: bool,
}

/// The long options of `complete`, and their short forms.
const LONG: [(&str, char); 17] = [
    ("command", 'c'),
    ("path", 'p'),
    ("short-option", 's'),
    ("long-option", 'l'),
    ("old-option", 'o'),
    ("arguments", 'a'),
    ("description", 'd'),
    ("condition", 'n'),
    ("wraps", 'w'),
    ("no-files", 'f'),
    ("force-files", 'F'),
    ("require-parameter", 'r'),
    ("exclusive", 'x'),
    ("keep-order", 'k'),
    ("erase", 'e'),
    ("authoritative", 'A'),
    ("do-complete", 'C'),
];

/// Options that take a value.
const VALUED: &str = "cpsloadnwC";

/// Parses the words after `complete`; those that fish would compute are absent.
pub(super) fn parse_complete(words: &[Option<Vec<String>>]) -> Completion {
    let mut completion = Completion::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.as_ref().and_then(|word| word.first()) else { continue };
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long
                .split_once('=')
                .map_or((long, None), |(name, value)| (name, Some(value.to_owned())));
            let Some((_, short)) = LONG.iter().find(|(known, _)| *known == name) else { continue };
            let value = match value {
                Some(value) => Some(vec![value]),
                None if VALUED.contains(*short) => words.next().cloned().flatten(),
                None => None,
            };
            completion.apply(*short, value);
        } else if let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
            let mut letters = cluster.chars();
            while let Some(letter) = letters.next() {
                if !VALUED.contains(letter) {
                    completion.apply(letter, None);
                    continue;
                }
                let attached = letters.as_str().to_owned();
                let value = if attached.is_empty() {
                    words.next().cloned().flatten()
                } else {
                    Some(vec![attached])
                };
                completion.apply(letter, value);
                break;
            }
        } else {
            completion.programs.extend(word.iter().flatten().cloned());
        }
    }
    if completion.is_erased {
        completion.programs.clear();
    }
    completion
}

impl Completion {
    fn apply(&mut self, option: char, value: Option<Vec<String>>) {
        let words = value.clone().unwrap_or_default();
        let dashed = |dash: &str| {
            words
                .iter()
                .filter(|word| !word.is_empty())
                .map(|word| format!("{dash}{word}"))
                .collect::<Vec<_>>()
        };
        match option {
            'c' => self.programs.extend(words),
            's' => self.names.extend(dashed("-")),
            'o' => self.names.extend(dashed("-")),
            'l' => self.names.extend(dashed("--")),
            'n' => self.conditions.extend(words),
            'd' => self.description = words.into_iter().next(),
            'r' => self.requires_value = true,
            'x' => (self.requires_value, self.is_exclusive) = (true, true),
            'e' => self.is_erased = true,
            'a' => match value {
                None => self.has_dynamic_values = true,
                Some(words) => words.iter().for_each(|words| self.add_values(words)),
            },
            _ => {}
        }
    }

    /// Words in one text, separated by blanks or lines; a tab begins the text of a word.
    fn add_values(&mut self, text: &str) {
        for line in text.lines() {
            let (words, described) = line
                .split_once('\t')
                .map_or((line, None), |(words, text)| (words, Some(text.trim().to_owned())));
            for word in words.split_whitespace() {
                // A variable or a command in quotes is expanded when fish completes.
                if word.contains(['(', '$', ')']) {
                    self.has_dynamic_values = true;
                    return;
                }
                let word = word.trim_matches(['\'', '"']);
                if word.starts_with(|c: char| c.is_alphanumeric() || "-+./_:@=%".contains(c)) {
                    self.values.push((word.to_owned(), described.clone()));
                }
            }
        }
    }

    /// The levels that it applies to: the subcommands in its conditions, else the program itself.
    pub(super) fn paths(&self) -> Vec<Vec<String>> {
        let mut paths: Vec<Vec<String>> = vec![Vec::new()];
        for clause in self.clauses() {
            let Some(words) = positive_words(&clause) else { continue };
            if words.is_empty() {
                continue;
            }
            paths = match clause.function() {
                // Several words are alternatives, or the words of one path.
                Function::Seen => paths
                    .iter()
                    .flat_map(|path| {
                        words
                            .iter()
                            .map(move |word| [path.as_slice(), std::slice::from_ref(word)].concat())
                    })
                    .take(200)
                    .collect(),
                Function::Using => {
                    paths.iter().map(|path| [path.as_slice(), &words].concat()).collect()
                }
                Function::Other => paths,
            };
        }
        paths
    }

    /// Whether its words are subcommands: before any subcommand was given.
    pub(super) fn lists_commands(&self) -> bool {
        let needs = self.clauses().iter().any(|clause| {
            let name = clause.name();
            !clause.is_negated
                && (name.contains("use_subcommand")
                    || name.contains("needs_command")
                    || name.contains("needs_subcommand")
                    || name.contains("no_subcommand"))
                || clause.is_negated && clause.function() == Function::Seen
        });
        needs
            && !self.has_dynamic_values
            && self.values.iter().all(|(value, _)| crate::help::is_command_name(value))
    }

    fn clauses(&self) -> Vec<Clause> {
        let parts = self.conditions.iter().flat_map(|condition| {
            condition
                .replace("&&", ";")
                .replace("; and ", ";")
                .replace("\n", ";")
                .split(';')
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        parts.filter_map(|part| Clause::parse(&part)).collect()
    }
}

/// One call in a condition.
struct Clause {
    words: Vec<String>,
    is_negated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Function {
    Seen,
    Using,
    Other,
}

impl Clause {
    fn parse(text: &str) -> Option<Self> {
        let mut words: Vec<String> =
            text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect();
        let mut is_negated = false;
        while let Some(first) = words.first() {
            match first.as_str() {
                "not" | "!" => is_negated = !is_negated,
                "and" | "or" | "begin" => {}
                _ => break,
            }
            words.remove(0);
        }
        (!words.is_empty()).then_some(Self { words, is_negated })
    }

    fn name(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    fn function(&self) -> Function {
        let name = self.name();
        if name.contains("seen_subcommand") {
            Function::Seen
        } else if name.contains("using_command")
            || name.contains("using_subcommand")
            || name.ends_with("_using")
        {
            Function::Using
        } else {
            Function::Other
        }
    }
}

/// The words of a clause that must be given.
fn positive_words(clause: &Clause) -> Option<Vec<String>> {
    let is_positive = !clause.is_negated && clause.function() != Function::Other;
    let words = clause.words[1..].iter().filter(|word| crate::help::is_command_name(word)).cloned();
    is_positive.then(|| words.collect())
}
