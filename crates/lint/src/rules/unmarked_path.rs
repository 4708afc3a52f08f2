//! Parameters that are paths without being declared as such.

use catalog::{
    Diagnostic, Implementation, Rule, Severity, Tool,
    implementation::{PassBy, ValueKind},
    name::split_words,
};
use serde_json::Value;

use crate::{prose::split_prose, sink::DiagnosticSink};

pub(crate) static RULE: Rule = Rule {
    code: "TC301",
    name: "unmarked-path",
    severity: Severity::Warning,
    why: "A parameter with `\"format\": \"path\"` is resolved and restricted to the crib's roots \
          before anything starts. A path without this format is passed on unchecked, even \
          `../../`. If the value is not a path, say in the description what it is.",
    bad: r#"{"name": "count", "description": "Count the lines of a file", "command": "wc -l", "mutates": false,
 "subcommand": [{"name": "default", "description": "Count the lines of a file", "positional_args": [
  {"name": "input_file", "type": "string", "description": "The file to count", "required": true}]}]}"#,
    good: r#"{"name": "count", "description": "Count the lines of a file", "command": "wc -l", "mutates": false,
 "subcommand": [{"name": "default", "description": "Count the lines of a file", "positional_args": [
  {"name": "input_file", "type": "string", "format": "path", "description": "The file to count", "required": true}]}]}"#,
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    // A specification without a binding runs nothing yet; its `[[bind]]` will decide how paths are
    // passed.
    let is_only_described = tool.details.is_some() && !tool.is_callable();
    // The others resolve paths themselves or, if they forward calls, have definitions of their own.
    let resolves_itself = !matches!(
        tool.implementation,
        Implementation::Process(_)
            | Implementation::Python(_)
            | Implementation::Sequence(_)
            | Implementation::Missing
    );
    if resolves_itself || is_only_described {
        return;
    }
    let is_specification = tool.details.is_some();
    for (name, schema) in tool.input.properties() {
        if accepts_free_text(schema)
            && !is_bound_as_path(tool, name)
            && is_likely_path(name, description(schema))
        {
            let message = format!(
                "the parameter `{name}` looks like a path but does not have `\"format\": \"path\"`"
            );
            let change = match (is_specification, has_type(schema, "array")) {
                (true, true) => "write `array[path]` as its type",
                (true, false) => "write `path` as its type",
                (false, true) => "add `\"format\": \"path\"` to its `items`",
                (false, false) => "add `\"format\": \"path\"` to it",
            };
            let found = Diagnostic::new(&RULE, tool.parameter_origin(name), message)
                .with_expected("format: path");
            sink.push(
                found.hint(format!("{change}, so that it is restricted to the crib's roots")),
            );
        }
    }
}

fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}

/// Whether the value, or each of its items, is a string without further restrictions.
fn accepts_free_text(schema: &Value) -> bool {
    let is_free = |schema: &Value| {
        ["format", "enum", "const", "contentEncoding"]
            .iter()
            .all(|keyword| schema.get(keyword).is_none())
    };
    let items = schema.get("items");
    if !is_free(schema) {
        return false;
    }
    if has_type(schema, "array") {
        items.is_none_or(|items| {
            is_free(items) && (has_type(items, "string") || items.get("type").is_none())
        })
    } else {
        has_type(schema, "string")
    }
}

fn has_type(schema: &Value, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == wanted,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == wanted),
        _ => false,
    }
}

/// Whether the command line already treats the value as a path, or passes it as content.
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
fn is_likely_path(name: &str, description: &str) -> bool {
    // Splitting words allocates; this rejects most parameters without it.
    if !mentions_path(name) && !mentions_path(description) {
        return false;
    }
    let name = split_words(name);
    let text = split_prose(description);
    let text: Vec<&str> = text.iter().map(|word| word.lower.as_ref()).collect();
    let mentions = |list: &[&str]| text.iter().any(|word| list.contains(word));
    if name.iter().any(|word| OTHER_IN_NAME.contains(&word.as_str())) || mentions(&NEVER_PATHS) {
        return false;
    }
    // "Content of the file": the value is the text of a file, not its path.
    let is_content = text.iter().take(2).any(|word| word.starts_with("content"));
    is_path_name(&name) && !is_content || describes_path(description) && !mentions(&SELDOM_PATHS)
}

/// Whether a text contains any syllable of a word for a path. A cheap test that rejects most.
fn mentions_path(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["path", "file", "dir", "folder", "cwd"].into_iter().any(|syllable| text.contains(syllable))
}

/// Whether a name denotes a path. The last word decides: `output_dir` is a folder, `file_count` is
/// not a file.
fn is_path_name(name: &[String]) -> bool {
    let last = name
        .last()
        .map(|last| last.trim_end_matches(|c: char| c.is_ascii_digit()))
        .unwrap_or_default();
    PATH_NOUNS.contains(&last) || COMPOUNDS.contains(&last)
}

/// Whether a description begins by naming a file or folder: "Output directory", "Path to the key".
fn describes_path(description: &str) -> bool {
    // The first clause names the value; later ones often mention files that the tool also uses.
    let clause = description.split(['.', ';', '(', '[', ':', ',', '\n']).next().unwrap_or_default();
    let words = split_prose(clause);
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

/// Maximum length of a clause, in words, that can be just the name of a thing.
const SHORT_CLAUSE: usize = 6;

/// Words for a path.
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

/// Compounds that denote a file or folder.
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

/// Words in a name that make a path something else: `url_path`, `json_path`, `branch-or-paths`.
const OTHER_IN_NAME: [&str; 16] = [
    "url", "uri", "http", "route", "endpoint", "json", "xml", "css", "field", "property", "class",
    "import", "module", "glob", "pattern", "or",
];

/// Words in a description of a value that is not a path, or not always one.
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

/// Words in a description that mentions a file, where the value is usually not the file itself.
const SELDOM_PATHS: [&str; 9] =
    ["extension", "extensions", "content", "contents", "value", "id", "size", "command", "suffix"];

/// Words after which a clause continues to describe the thing that it named.
const PREPOSITIONS: [&str; 7] = ["to", "for", "in", "of", "where", "containing", "with"];

/// First words of clauses that describe an action instead of the value.
const VERBS: [&str; 21] = [
    "edit", "execute", "run", "search", "filter", "ignore", "skip", "show", "print", "list",
    "include", "exclude", "sort", "match", "create", "use", "copy", "give", "compare", "how",
    "number",
];
