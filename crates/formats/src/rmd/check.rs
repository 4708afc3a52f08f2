//! Finds the problems of a document that can be found without running it.

use std::collections::{BTreeSet, HashMap};

use catalog::{Rule, closest};
use serde_json::Value;
use tree_sitter::{Node, Parser};

use super::{
    engines::ENGINES,
    front_matter::read_front_matter,
    outline::{Chunk, Outline},
    rules::{
        BROKEN_CODE, BROKEN_FRONT_MATTER, BROKEN_OPTIONS, BROKEN_PARAMS, DUPLICATE_LABEL,
        MISSING_FILE, UNCLOSED_CHUNK, UNKNOWN_ENGINE,
    },
};

/// Maximum number of problems returned. Fixing these reveals the next.
const MAX_PROBLEMS: usize = 200;

/// Maximum number of files looked up, since each costs a system call.
const MAX_FILES: usize = 2_000;

/// A problem in a document.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The rule that is violated.
    pub rule: &'static Rule,
    /// Line number, from 1.
    pub line: usize,
    /// The problem in one sentence, without a location.
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

/// Returns the problems of a document, sorted by line. `exists` reports whether there is a file,
/// given its path relative to the document.
pub fn check(text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<Problem> {
    let outline = Outline::parse(text);
    let mut checker = Checker::default();
    checker.check_front_matter(text, &outline);
    checker.check_labels(&outline);
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_r::LANGUAGE.into())
        .expect("the versions of grammar and parser are pinned to match");
    for chunk in &outline.chunks {
        checker.check_chunk(chunk, &mut parser);
        checker.check_chunk_files(chunk, exists);
    }
    checker.check_prose_files(&outline, exists);
    checker.problems.sort_by_key(|problem| (problem.line, problem.rule.code));
    checker.problems.truncate(MAX_PROBLEMS);
    checker.problems
}

#[derive(Default)]
struct Checker {
    problems: Vec<Problem>,
    /// Number of files looked up.
    files: usize,
}

impl Checker {
    fn report(
        &mut self,
        rule: &'static Rule,
        line: usize,
        message: String,
        hint: impl Into<String>,
    ) {
        self.problems.push(Problem { rule, line, message, hint: hint.into() });
    }

    fn check_front_matter(&mut self, text: &str, outline: &Outline) {
        let values = match read_front_matter(text) {
            Ok(None) => return,
            Err(error) => {
                let message = format!("invalid front matter: {}", error.message);
                return self.report(
                    &BROKEN_FRONT_MATTER,
                    error.line,
                    message,
                    "put text with `:` or `#` in quotes",
                );
            }
            Ok(Some(values)) => values,
        };
        // Parsed values have no locations.
        let line =
            text.lines().position(|line| line.starts_with("params:")).map_or(1, |index| index + 1);
        let declared = match values.get("params") {
            None => return self.check_used_params(outline, &[]),
            Some(Value::Object(params)) => params.keys().map(String::as_str).collect::<Vec<_>>(),
            Some(Value::Null) => Vec::new(),
            Some(_) => {
                let message = "`params` is not a mapping".to_owned();
                return self.report(
                    &BROKEN_PARAMS,
                    line,
                    message,
                    "list each parameter as `name: value` below `params:`",
                );
            }
        };
        self.check_used_params(outline, &declared);
    }

    /// Reports parameters that chunks use without a declaration, once per name.
    fn check_used_params(&mut self, outline: &Outline, declared: &[&str]) {
        let mut reported = BTreeSet::new();
        for chunk in outline.chunks.iter().filter(|chunk| is_r(chunk)) {
            for (index, line) in chunk.code.lines().enumerate() {
                // A comment may mention a parameter. A `#` in a string hides the rest of its line,
                // which only loses a warning.
                for name in line.split('#').next().unwrap_or_default().split("params$").skip(1) {
                    let name: String = name
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
                        .collect();
                    if name.is_empty()
                        || declared.contains(&name.as_str())
                        || !reported.insert(name.clone())
                    {
                        continue;
                    }
                    let near = closest(&name, declared.iter().copied())
                        .map(|near| format!("did you mean `{near}`?"));
                    let hint = near.unwrap_or_else(|| {
                        "declare it below `params:` in the front matter".to_owned()
                    });
                    self.report(
                        &BROKEN_PARAMS,
                        chunk.line + index + 1,
                        format!("the parameter `{name}` is not declared"),
                        hint,
                    );
                }
            }
        }
    }

    fn check_labels(&mut self, outline: &Outline) {
        let mut seen = HashMap::new();
        for chunk in &outline.chunks {
            let Some(label) = &chunk.label else { continue };
            if let Some(first) = seen.insert(label, chunk.line) {
                let message = format!("the chunk on line {first} has the label `{label}` too");
                self.report(
                    &DUPLICATE_LABEL,
                    chunk.line,
                    message,
                    "rename or remove one of the labels",
                );
            }
        }
    }

    fn check_chunk(&mut self, chunk: &Chunk, parser: &mut Parser) {
        if !chunk.is_closed {
            let message = format!("the chunk `{{{}}}` is not closed", chunk.engine);
            self.report(
                &UNCLOSED_CHUNK,
                chunk.line,
                message,
                "close it with a line of as many backquotes as in the opening line",
            );
        }
        let engine = chunk.engine.to_lowercase();
        if !ENGINES.contains(&engine.as_str()) {
            let hint = closest(&engine, ENGINES).map_or_else(
                || "use an engine such as `r` or `python`".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            self.report(
                &UNKNOWN_ENGINE,
                chunk.line,
                format!("unknown engine `{}`", chunk.engine),
                hint,
            );
        }
        // knitr quotes the label before it parses the options, so a label need not be valid R.
        let options = match (&chunk.label, chunk.header.split_once(',')) {
            (Some(label), _) if !chunk.header.starts_with(label.as_str()) => chunk.header.as_str(),
            (Some(_), Some((_, options))) => options,
            (Some(_), None) => "",
            (None, _) => chunk.header.as_str(),
        };
        if find_error_line(parser, &format!("alist({options})")).is_some() {
            let message = format!("the options `{}` are not valid R", options.trim());
            self.report(
                &BROKEN_OPTIONS,
                chunk.line,
                message,
                "write them as R arguments: `echo=FALSE, fig.width=5`",
            );
        }
        // Documents show invalid code on purpose with `eval=FALSE`.
        let is_run = !matches!(chunk.option("eval"), Some("FALSE" | "F" | "false"));
        if is_r(chunk) && chunk.is_closed && is_run {
            self.check_code(chunk, parser);
        }
    }

    fn check_code(&mut self, chunk: &Chunk, parser: &mut Parser) {
        // `<<label>>` inserts another chunk and is not R.
        let is_reference =
            |line: &str| line.trim().starts_with("<<") && line.trim().ends_with(">>");
        let code: String = chunk
            .code
            .lines()
            .map(|line| if is_reference(line) { "\n".to_owned() } else { format!("{line}\n") })
            .collect();
        if let Some(row) = find_error_line(parser, &code) {
            let line = chunk.line + 1 + row;
            let excerpt = code
                .lines()
                .nth(row)
                .unwrap_or_default()
                .trim()
                .chars()
                .take(60)
                .collect::<String>();
            self.report(
                &BROKEN_CODE,
                line,
                format!("syntax error at `{excerpt}`"),
                "check for a missing bracket, quote or comma here or above",
            );
        }
    }

    /// Checks child documents and images that a chunk names literally.
    fn check_chunk_files(&mut self, chunk: &Chunk, exists: &dyn Fn(&str) -> bool) {
        for path in chunk.option("child").map(split_quoted).unwrap_or_default() {
            self.check_file(chunk.line, path, exists);
        }
        for (index, line) in
            chunk.code.lines().enumerate().filter(|(_, line)| line.contains("include_graphics("))
        {
            let given = line.split("include_graphics(").nth(1).unwrap_or_default();
            if given.trim_start().starts_with(['"', '\'']) {
                split_quoted(given)
                    .into_iter()
                    .take(1)
                    .for_each(|path| self.check_file(chunk.line + index + 1, path, exists));
            }
        }
    }

    /// Checks Markdown images and Quarto includes.
    fn check_prose_files(&mut self, outline: &Outline, exists: &dyn Fn(&str) -> bool) {
        for (line, text) in &outline.prose {
            for rest in text.split("![").skip(1) {
                let target = rest
                    .split_once("](")
                    .and_then(|(_, rest)| rest.split_once(')'))
                    .map(|(target, _)| target);
                let path =
                    target.and_then(|target| target.split_whitespace().next()).unwrap_or_default();
                self.check_file(*line, path.trim_matches(['<', '>']), exists);
            }
            for tag in text.split("<img").skip(1) {
                let source = tag.split('>').next().and_then(|tag| tag.split_once("src="));
                let path = source.map(|(_, source)| split_quoted(source)).unwrap_or_default();
                path.into_iter().take(1).for_each(|path| self.check_file(*line, path, exists));
            }
            if let Some((_, rest)) = text.split_once("{{< include ") {
                self.check_file(*line, rest.split_whitespace().next().unwrap_or_default(), exists);
            }
        }
    }

    /// Reports a missing file. URLs, anchors and inline R are skipped.
    fn check_file(&mut self, line: usize, path: &str, exists: &dyn Fn(&str) -> bool) {
        self.files += 1;
        let is_file = self.files <= MAX_FILES
            && !path.is_empty()
            && !path.contains(':')
            && !path.starts_with(['#', '`']);
        if is_file && !exists(path) {
            let hint = "use a path relative to this document, inside the folder of documents";
            self.report(&MISSING_FILE, line, format!("the file `{path}` does not exist"), hint);
        }
    }
}

fn is_r(chunk: &Chunk) -> bool {
    chunk.engine.eq_ignore_ascii_case("r")
}

/// Returns the strings in quotes.
fn split_quoted(text: &str) -> Vec<&str> {
    let quote = if text.contains('"') { '"' } else { '\'' };
    text.split(quote).skip(1).step_by(2).collect()
}

/// Returns the line, from 0, of the first syntax error.
fn find_error_line(parser: &mut Parser, code: &str) -> Option<usize> {
    let tree = parser.parse(code, None)?;
    find_error(tree.root_node()).map(|node| node.start_position().row)
}

/// Returns the first node with a syntax error. Iterates, because generated code can be nested
/// deeper than the stack allows.
fn find_error(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        if node.is_error() || node.is_missing() {
            return Some(node);
        }
        if !node.has_error() {
            return None;
        }
        let mut cursor = node.walk();
        let invalid = node
            .children(&mut cursor)
            .find(|child| child.is_error() || child.is_missing() || child.has_error());
        node = match invalid {
            Some(child) => child,
            None => return Some(node),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::rmd::RULES;

    fn codes(text: &str) -> Vec<(&'static str, usize)> {
        check(text, &|_| false).iter().map(|problem| (problem.rule.code, problem.line)).collect()
    }

    #[test]
    fn examples_of_rules_have_their_problem_and_no_other() {
        for rule in RULES {
            let found: Vec<_> = codes(rule.bad).into_iter().map(|(code, _)| code).collect();
            assert_eq!(found, [rule.code], "{}", rule.bad);
            assert_eq!(codes(rule.good), [], "{}", rule.good);
        }
    }

    #[test]
    fn every_problem_has_its_line() {
        let text = "---\ntitle: x\nparams:\n  year: 2026\n---\n\n```{r a, echo=}\n```\n\n```{r a}\nplot(params$yaer\n```\n\n![](no.png) ![](https://x/y.png) <img src=\"man/no.png\" width=1>\n\n```{pyhton}\n";
        assert_eq!(
            codes(text),
            [
                ("TC854", 10),
                ("TC857", 11),
                ("TC859", 11),
                ("TC858", 14),
                ("TC858", 14),
                ("TC853", 16),
                ("TC855", 16)
            ]
        );
    }

    #[test]
    fn deeply_nested_code_does_not_overflow_the_stack() {
        let deep = format!("```{{r}}\n{}x y{}\n```\n", "(".repeat(50_000), ")".repeat(50_000));
        assert_eq!(codes(&deep), [("TC857", 2)]);
    }

    proptest::proptest! {
        #[test]
        fn no_text_causes_a_panic(text in "[a-z`~{}#|:=,\"'\\n $!()\\[\\]ü-]{0,200}") {
            check(&text, &|_| true);
        }
    }

    #[test]
    fn accepts_everything_that_knitr_accepts() {
        let text = "```{r my label-1, fig.cap=\"a, b\", fig.width=5}\n<<other>>\nx |> f(\\(y) y)\n```\n\n```{r, eval=FALSE}\nnot r at all (\n```\n\n```{r child=character()}\n```\n\n```{bash}\nif [ 1 ]\n```\n";
        assert_eq!(codes(text), []);
    }
}
