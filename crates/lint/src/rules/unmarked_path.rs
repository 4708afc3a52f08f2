//! Parameters that name a file or folder and do not say so.

use catalog::{
    Diagnostic, Implementation, Rule, Severity, Tool,
    implementation::{PassBy, ValueKind},
    name::split_words,
};
use serde_json::Value;

use crate::{check::Report, words::words};

pub(crate) static RULE: Rule = Rule {
    code: "TC301",
    name: "unmarked-path",
    severity: Severity::Warning,
    why: "A parameter with `\"format\": \"path\"` is resolved and kept inside the crib's roots before anything starts. One that \
          names a file or folder without saying so is passed on as it is, `../../` included. If the value is no path, \
          say in its description what it is.",
    bad: r#"{"name": "count", "description": "Count the lines of a file", "command": "wc -l", "mutates": false,
 "subcommand": [{"name": "default", "description": "Count the lines of a file", "positional_args": [
  {"name": "input_file", "type": "string", "description": "The file to count", "required": true}]}]}"#,
    good: r#"{"name": "count", "description": "Count the lines of a file", "command": "wc -l", "mutates": false,
 "subcommand": [{"name": "default", "description": "Count the lines of a file", "positional_args": [
  {"name": "input_file", "type": "string", "format": "path", "description": "The file to count", "required": true}]}]}"#,
};

pub(crate) fn check(tool: &Tool, report: &mut Report<'_>) {
    let is_only_described = tool.aspects.is_some() && !tool.is_callable();
    // Functions, and programs that are given JSON, resolve paths themselves; other tools judge their own.
    let resolves_itself = match &tool.implementation {
        Implementation::Process(process) => process.speaks_json(),
        Implementation::Sequence(_) | Implementation::Missing => false,
        _ => true,
    };
    if resolves_itself || is_only_described {
        return;
    }
    for (name, schema) in tool.input.properties() {
        if takes_free_text(schema)
            && !is_bound_as_path(tool, name)
            && sounds_like_path(name, description(schema))
        {
            let message = format!(
                "the parameter `{name}` looks like a path but does not have `\"format\": \"path\"`"
            );
            let place = if is(schema, "array") { "to its `items`" } else { "to it" };
            let found = Diagnostic::new(&RULE, tool.parameter_origin(name), message)
                .expected("format: path");
            report.push(
                found.hint(format!("add `\"format\": \"path\"` {place}, so that the path is kept inside the crib's roots")),
            );
        }
    }
}

fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

/// Whether the value, or each item of it, is a string that nothing else is said about.
fn takes_free_text(schema: &Value) -> bool {
    let is_free = |schema: &Value| {
        ["format", "enum", "const", "contentEncoding"]
            .iter()
            .all(|keyword| schema.get(keyword).is_none())
    };
    let items = schema.get("items");
    match is(schema, "array") {
        true => {
            is_free(schema)
                && items.is_none_or(|items| {
                    is_free(items) && (is(items, "string") || items.get("type").is_none())
                })
        }
        false => is_free(schema) && is(schema, "string"),
    }
}

fn is(schema: &Value, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == wanted,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == wanted),
        _ => false,
    }
}

/// Whether the command line knows it as a path, or takes it as content and not as a name.
fn is_bound_as_path(tool: &Tool, name: &str) -> bool {
    let Implementation::Process(process) = &tool.implementation else {
        return false;
    };
    process.bindings().filter(|binding| binding.parameter == name).any(|binding| {
        binding.kind != ValueKind::Plain
            || !matches!(binding.pass_by, PassBy::Argument | PassBy::Env(_))
    })
}

/// Whether a parameter of this name and description names a file or folder.
fn sounds_like_path(name: &str, description: &str) -> bool {
    if !mentions_path(name) && !mentions_path(description) {
        return false;
    }
    let name = split_words(name);
    let text = words(description);
    let text: Vec<&str> = text.iter().map(|word| word.lower.as_ref()).collect();
    let says = |list: &[&str]| text.iter().any(|word| list.contains(word));
    if name.iter().any(|word| OTHER_IN_NAME.contains(&word.as_str())) || says(&NEVER_PATHS) {
        return false;
    }
    let is_content = text.iter().take(2).any(|word| word.starts_with("content"));
    name_says_path(&name) && !is_content || text_says_path(description) && !says(&SELDOM_PATHS)
}

/// Whether a text has any of the syllables that paths are spoken of with: a quick no for most.
fn mentions_path(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["path", "file", "dir", "folder", "cwd"].into_iter().any(|syllable| text.contains(syllable))
}

/// The last word of a name says what the thing is: `output_dir` is a folder, `file_count` is none.
fn name_says_path(name: &[String]) -> bool {
    let last = name
        .last()
        .map(|last| last.trim_end_matches(|c: char| c.is_ascii_digit()))
        .unwrap_or_default();
    PATH_NOUNS.contains(&last) || COMPOUNDS.contains(&last)
}

/// The first clause of a description says what the thing is, at its end or before a `to`.
fn text_says_path(description: &str) -> bool {
    let clause = description.split(['.', ';', '(', '[', ':', ',', '\n']).next().unwrap_or_default();
    let words = words(clause);
    let words: Vec<&str> = words.iter().map(|word| word.lower.as_ref()).collect();
    let is_noun = |word: &str| PATH_NOUNS.contains(&word);
    let names_path = words.windows(2).any(|pair| match pair {
        ["path" | "paths", "to" | "of"] => true,
        ["absolute" | "relative", "path" | "paths"] => true,
        [first, "path" | "paths"] => is_noun(first),
        _ => false,
    });
    let names_thing = words.first().is_some_and(|first| !VERBS.contains(first));
    let begins =
        words.windows(2).take(3).any(|pair| is_noun(pair[0]) && PREPOSITIONS.contains(&pair[1]));
    let ends = words.len() <= SHORT_CLAUSE && words.last().is_some_and(|last| is_noun(last));
    names_path || names_thing && (begins || ends)
}

/// How many words a clause may have that is nothing but the name of a thing.
const SHORT_CLAUSE: usize = 6;

const PATH_NOUNS: [&str; 10] = [
    "path",
    "paths",
    "file",
    "files",
    "dir",
    "dirs",
    "directory",
    "directories",
    "folder",
    "folders",
];

/// Names of files and folders in one word.
const COMPOUNDS: [&str; 20] = [
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "pathname",
    "pathspec",
    "lockfile",
    "logfile",
    "keyfile",
    "pidfile",
    "infile",
    "outfile",
    "outdir",
    "indir",
    "basedir",
    "rootdir",
    "workdir",
    "subdir",
    "cwd",
    "workingdir",
];

/// Words that make a path of a name into something else: `url_path`, `json_path`, `branch-or-paths`.
const OTHER_IN_NAME: [&str; 16] = [
    "url", "uri", "http", "route", "endpoint", "json", "xml", "css", "field", "property", "class",
    "import", "module", "glob", "pattern", "or",
];

/// Words by which a description says that the value is no path, or not always one.
const NEVER_PATHS: [&str; 17] = [
    "pattern",
    "patterns",
    "glob",
    "globs",
    "regex",
    "regexp",
    "wildcard",
    "wildcards",
    "base64",
    "url",
    "urls",
    "uri",
    "http",
    "https",
    "endpoint",
    "jsonpath",
    "xpath",
];

/// Words beside which a file in the description is mostly not the value itself.
const SELDOM_PATHS: [&str; 9] =
    ["extension", "extensions", "content", "contents", "value", "id", "size", "command", "suffix"];

/// Words behind which a clause goes on about the thing it has named.
const PREPOSITIONS: [&str; 7] = ["to", "for", "in", "of", "where", "containing", "with"];

/// Clauses that begin like this say what is done, not what the value is.
const VERBS: [&str; 21] = [
    "edit", "execute", "run", "search", "filter", "ignore", "skip", "show", "print", "list",
    "include", "exclude", "sort", "match", "create", "use", "copy", "give", "compare", "how",
    "number",
];
