//! Reads facts from the text of an option: choices, default, repetition.

/// What a text says about its option.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Details {
    pub(crate) choices: Option<Vec<String>>,
    pub(crate) default: Option<String>,
    pub(crate) repeats: bool,
    pub(crate) is_required: bool,
    pub(crate) aliases: Vec<String>,
}

/// Descriptions longer than this are cut at a sentence: they are read by a model on every request.
const MAX_DESCRIPTION: usize = 400;

/// Phrases with which authors say that an option can be repeated.
const REPEATS: [&str; 16] = [
    "multiple times",
    "more than once",
    "may be repeated",
    "can be repeated",
    "several times",
    "repeat to ",
    "repeatable",
    "can be given multiple",
    "may be specified multiple",
    "can be specified multiple",
    "specify multiple",
    "option may be used multiple",
    "may be used more than",
    "can be passed multiple",
    "(repeatable)",
    "may be given multiple",
];

/// Joins the lines of a text to one paragraph.
pub(crate) fn join(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        let line = line.trim();
        if line.is_empty() {
            // The first paragraph of a long text describes the option.
            if text.chars().count() > MAX_DESCRIPTION / 2 {
                break;
            }
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line);
    }
    let words: Vec<_> = text.split_whitespace().collect();
    // Some lists of options are written like sentences: `set the size;`.
    shorten(words.join(" ").trim_end_matches(';'))
}

/// Cuts a text at the end of a sentence, else at a word.
fn shorten(text: &str) -> String {
    if text.chars().count() <= MAX_DESCRIPTION {
        return text.to_owned();
    }
    let cut: String = text.chars().take(MAX_DESCRIPTION).collect();
    match cut.rfind(". ").filter(|end| *end > MAX_DESCRIPTION / 4) {
        Some(end) => cut[..=end].to_owned(),
        None => format!("{} …", cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head)),
    }
}

/// Reads the facts in a text.
pub(crate) fn read(lines: &[String]) -> Details {
    let text = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let lower = text.to_ascii_lowercase();
    let listed = read_listed_choices(lines);
    Details {
        choices: listed.or_else(|| read_choices(&text, &lower)),
        default: read_default(&text, &lower),
        repeats: REPEATS.iter().any(|phrase| lower.contains(phrase)),
        is_required: lower.contains("[required]") || lower.contains("(required)"),
        aliases: read_aliases(&text, &lower),
    }
}

/// Choices with a text each: `Possible values:` and a list.
fn read_listed_choices(lines: &[String]) -> Option<Vec<String>> {
    let start =
        lines.iter().position(|line| line.trim().eq_ignore_ascii_case("possible values:"))?;
    let items = lines[start + 1..].iter().filter_map(|line| {
        let item = line.trim().strip_prefix("- ")?;
        Some(item.split(':').next().unwrap_or(item).trim().to_owned())
    });
    let items: Vec<String> = items.collect();
    (!items.is_empty()).then_some(items)
}

/// Markers of a whole list of choices, and what ends it.
const CHOICES: [(&str, &[char]); 9] = [
    ("[possible values: ", &[']']),
    ("[values: ", &[']']),
    ("(choices: ", &[')']),
    ("[choices: ", &[']']),
    ("choices: [", &[']']),
    ("one of: (", &[')']),
    ("[one of: ", &[']']),
    ("(one of: ", &[')']),
    ("must be one of: ", &['.', ')', ']', ';']),
];

fn read_choices(text: &str, lower: &str) -> Option<Vec<String>> {
    let (start, ends) = CHOICES
        .iter()
        .find_map(|(marker, ends)| Some((lower.find(marker)? + marker.len(), ends)))?;
    let rest = &text[start..];
    let list = &rest[..rest.find(*ends)?];
    split_choices(list, &[',', '|'])
}

/// The items of a list, if all of them are plain words.
fn split_choices(list: &str, separators: &[char]) -> Option<Vec<String>> {
    let items = list.split(separators).map(|item| {
        item.trim().trim_start_matches("or ").trim_matches(['"', '\'', '`']).to_owned()
    });
    // commander puts the default behind the choices.
    let items: Vec<String> = items.take_while(|item| !item.starts_with("default: ")).collect();
    let is_plain = |item: &String| {
        !item.is_empty()
            && !item.contains([' ', '<', '[', '{', '='])
            && item != "..."
            && item != "…"
            && !item.starts_with("etc")
    };
    (items.len() > 1 && items.iter().all(is_plain)).then_some(items)
}

/// Words that stand for a value in a placeholder with alternatives.
const KINDS: [&str; 24] = [
    "address",
    "branch",
    "commit",
    "date",
    "dir",
    "directory",
    "file",
    "filename",
    "folder",
    "glob",
    "host",
    "id",
    "ip",
    "name",
    "number",
    "path",
    "pattern",
    "pkg",
    "port",
    "regex",
    "string",
    "tag",
    "url",
    "user",
];

/// The choices in a placeholder: `{a,b}`, `a|b`.
pub(crate) fn choices_of_placeholder(name: &str) -> Option<Vec<String>> {
    let inner = name.trim_matches(['<', '>', '[', ']', '(', ')']);
    if let Some(list) = inner.strip_prefix('{').and_then(|list| list.strip_suffix('}')) {
        return split_choices(list, &[',', '|'])
            .or_else(|| (!list.is_empty() && !list.contains(' ')).then(|| vec![list.to_owned()]));
    }
    let items = inner.contains('|').then(|| split_choices(inner, &['|']))??;
    // `FILE|DIR` and `pkg|glob` name kinds of values.
    let is_kind = |item: &String| {
        let is_upper = item.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        item.len() > 1 && is_upper || KINDS.contains(&item.as_str())
    };
    (!items.iter().any(is_kind)).then_some(items)
}

fn read_default(text: &str, lower: &str) -> Option<String> {
    const MARKERS: [(&str, char); 7] = [
        (", default: ", ')'),
        ("[default: ", ']'),
        ("(default: ", ')'),
        ("(default ", ')'),
        ("[default ", ']'),
        ("[default=", ']'),
        ("(default=", ')'),
    ];
    let (start, end) = MARKERS
        .iter()
        .find_map(|(marker, end)| Some((lower.find(marker)? + marker.len(), *end)))?;
    let rest = &text[start..];
    let quoted =
        rest.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(value, _)| value);
    let value = match quoted {
        Some(value) => value,
        None => &rest[..rest.find(end)?],
    };
    // `(default for ordinary users)` is no value.
    let is_sentence = quoted.is_none() && value.starts_with("for ");
    (!value.is_empty() && value.len() < 200 && !is_sentence).then(|| value.trim().to_owned())
}

/// `[aliases: --b, --c]`, `[alias: b]`, `[short aliases: x]`, `aka --b`.
fn read_aliases(text: &str, lower: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (marker, dashes) in [
        ("[short aliases: ", "-"),
        ("[short alias: ", "-"),
        ("[aliases: ", "--"),
        ("[alias: ", "--"),
    ] {
        let Some(start) = lower.find(marker).map(|at| at + marker.len()) else { continue };
        let list = text[start..].split(']').next().unwrap_or_default();
        names.extend(list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(|name| {
            if name.starts_with('-') { name.to_owned() } else { format!("{dashes}{name}") }
        }));
    }
    names
}

/// Types of cobra, Go and typer whose option can be repeated.
pub(crate) fn is_repeating_type(name: &str) -> bool {
    matches!(
        name,
        "strings"
            | "stringArray"
            | "stringSlice"
            | "ints"
            | "intSlice"
            | "stringToString"
            | "uints"
            | "durations"
    ) || name.starts_with("list[")
        || name.starts_with("List[")
        || name.ends_with("...")
        || name.contains(" [") && name.contains("...")
}

#[cfg(test)]
mod tests {
    use super::{choices_of_placeholder, read};

    #[test]
    fn facts_are_read_only_from_explicit_marks() {
        let read = |text: &str| read(&[text.to_owned()]);
        let found = read("When [default: auto] [possible values: auto, always]");
        assert_eq!(
            (found.default.as_deref(), found.choices.map(|list| list.len())),
            (Some("auto"), Some(2))
        );
        assert_eq!(read("Wait (default 5s)").default.as_deref(), Some("5s"));
        assert_eq!(read("Name (default \"a, b\")").default.as_deref(), Some("a, b"));
        assert_eq!(read("[possible values: a, b, etc.]").choices, None);
        assert!(read("May be given multiple times").repeats);
        assert_eq!(choices_of_placeholder("FILE|DIR"), None);
        assert_eq!(choices_of_placeholder("pkg|glob"), None);
        assert_eq!(choices_of_placeholder("{a,b}").map(|list| list.len()), Some(2));
    }
}
