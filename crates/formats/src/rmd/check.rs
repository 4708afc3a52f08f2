//! What is wrong with a document, as far as that can be known without running it.

use std::collections::{BTreeSet, HashMap};

use catalog::{Rule, closest};
use serde_json::Value;
use tree_sitter::{Node, Parser};

use super::{
    front::{self, Front},
    outline::{Chunk, Outline},
    rules::{
        BROKEN_CODE, BROKEN_FRONT_MATTER, BROKEN_OPTIONS, BROKEN_PARAMS, DUPLICATE_LABEL,
        MISSING_FILE, UNCLOSED_CHUNK, UNKNOWN_ENGINE,
    },
};

/// What runs chunks, in small letters.
const ENGINES: [&str; 62] = [
    "r",
    "rscript",
    "python",
    "py",
    "bash",
    "sh",
    "zsh",
    "sql",
    "julia",
    "stan",
    "rcpp",
    "css",
    "js",
    "javascript",
    "node",
    "html",
    "asis",
    "block",
    "block2",
    "bslib",
    "c",
    "cc",
    "cpp",
    "cat",
    "coffee",
    "comment",
    "ditaa",
    "dot",
    "mermaid",
    "ojs",
    "embed",
    "eviews",
    "exec",
    "fortran",
    "fortran95",
    "gawk",
    "awk",
    "glue",
    "glue_sql",
    "gluesql",
    "go",
    "groovy",
    "haskell",
    "highlight",
    "lein",
    "mysql",
    "octave",
    "perl",
    "php",
    "powershell",
    "psql",
    "ruby",
    "sas",
    "sass",
    "scala",
    "scss",
    "sed",
    "stata",
    "targets",
    "tikz",
    "verbatim",
    "webr",
];

/// No more problems than this are told: whoever mends these sees the next.
const MOST: usize = 200;

/// No more files than this are looked for.
const MOST_FILES: usize = 2_000;

/// Something that is wrong with a document.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The rule that it breaks.
    pub rule: &'static Rule,
    /// Where, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Everything that is wrong with a document, in the order of its lines. `exists` says whether a file is there, by its path
/// from the document.
pub fn check(text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<Problem> {
    let outline = Outline::of(text);
    let mut found = Found::default();
    found.front(text, &outline);
    found.labels(&outline);
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_r::LANGUAGE.into())
        .expect("the grammar is of a version that the parser knows");
    for chunk in &outline.chunks {
        found.chunk(chunk, &mut parser);
        found.children(chunk, exists);
    }
    found.images(&outline, exists);
    found.problems.sort_by_key(|problem| (problem.line, problem.rule.code));
    found.problems.truncate(MOST);
    found.problems
}

#[derive(Default)]
struct Found {
    problems: Vec<Problem>,
    files: usize,
}

impl Found {
    fn report(
        &mut self,
        rule: &'static Rule,
        line: usize,
        message: String,
        hint: impl Into<String>,
    ) {
        self.problems.push(Problem { rule, line, message, hint: hint.into() });
    }

    fn front(&mut self, text: &str, outline: &Outline) {
        let values = match front::front(text) {
            Front::Absent => return,
            Front::Broken(error) => {
                let message = format!("the front matter cannot be read: {}", error.message);
                return self.report(
                    &BROKEN_FRONT_MATTER,
                    error.line,
                    message,
                    "put texts with `:` or `#` into quotes",
                );
            }
            Front::Present(values) => values,
        };
        let line =
            text.lines().position(|line| line.starts_with("params:")).map_or(1, |index| index + 1);
        let declared = match values.get("params") {
            None => return self.undeclared(outline, &[]),
            Some(Value::Object(params)) => params.keys().map(String::as_str).collect::<Vec<_>>(),
            Some(Value::Null) => Vec::new(),
            Some(_) => {
                let message = "`params` is not a list of `name: value`".to_owned();
                return self.report(
                    &BROKEN_PARAMS,
                    line,
                    message,
                    "write each parameter with its value below `params:`",
                );
            }
        };
        self.undeclared(outline, &declared);
    }

    /// Tells of parameters that are used and not declared.
    fn undeclared(&mut self, outline: &Outline, declared: &[&str]) {
        let mut told = BTreeSet::new();
        for chunk in outline.chunks.iter().filter(|chunk| is_r(chunk)) {
            for (index, line) in chunk.code.lines().enumerate() {
                for name in line.split('#').next().unwrap_or_default().split("params$").skip(1) {
                    let name: String = name
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
                        .collect();
                    if name.is_empty()
                        || declared.contains(&name.as_str())
                        || !told.insert(name.clone())
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

    fn labels(&mut self, outline: &Outline) {
        let mut seen = HashMap::new();
        for chunk in &outline.chunks {
            let Some(label) = &chunk.label else { continue };
            if let Some(first) = seen.insert(label, chunk.line) {
                let message =
                    format!("the label `{label}` is that of the chunk in line {first} as well");
                self.report(
                    &DUPLICATE_LABEL,
                    chunk.line,
                    message,
                    "give each chunk a label of its own, or none",
                );
            }
        }
    }

    fn chunk(&mut self, chunk: &Chunk, parser: &mut Parser) {
        if !chunk.is_closed {
            let message = format!("the chunk `{{{}}}` is not closed", chunk.engine);
            self.report(
                &UNCLOSED_CHUNK,
                chunk.line,
                message,
                "end it with a line of as many backquotes as it begins with",
            );
        }
        let engine = chunk.engine.to_lowercase();
        if !ENGINES.contains(&engine.as_str()) {
            let hint = closest(&engine, ENGINES)
                .map_or_else(|| "such as `r`".to_owned(), |near| format!("did you mean `{near}`?"));
            self.report(
                &UNKNOWN_ENGINE,
                chunk.line,
                format!("nothing is known to run `{}`", chunk.engine),
                hint,
            );
        }
        // A label is put into quotes before R sees it, so that it may be anything.
        let options = match (&chunk.label, chunk.header.split_once(',')) {
            (Some(label), _) if !chunk.header.starts_with(label.as_str()) => chunk.header.as_str(),
            (Some(_), Some((_, options))) => options,
            (Some(_), None) => "",
            (None, _) => chunk.header.as_str(),
        };
        if broken_line(parser, &format!("alist({options})")).is_some() {
            let message = format!("the options `{}` cannot be read", options.trim());
            self.report(
                &BROKEN_OPTIONS,
                chunk.line,
                message,
                "write them as arguments of R: `echo=FALSE, fig.width=5`",
            );
        }
        let is_run = !matches!(chunk.option("eval"), Some("FALSE" | "F" | "false"));
        if is_r(chunk) && chunk.is_closed && is_run {
            self.code(chunk, parser);
        }
    }

    fn code(&mut self, chunk: &Chunk, parser: &mut Parser) {
        let is_reference =
            |line: &str| line.trim().starts_with("<<") && line.trim().ends_with(">>");
        let code: String = chunk
            .code
            .lines()
            .map(|line| if is_reference(line) { "\n".to_owned() } else { format!("{line}\n") })
            .collect();
        if let Some(row) = broken_line(parser, &code) {
            let line = chunk.line + 1 + row;
            let shown = code
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
                format!("R cannot read `{shown}`"),
                "look for a missing bracket, quote or comma here or before",
            );
        }
    }

    fn children(&mut self, chunk: &Chunk, exists: &dyn Fn(&str) -> bool) {
        for path in chunk.option("child").map(quoted).unwrap_or_default() {
            self.file(chunk.line, path, exists);
        }
        for (index, line) in
            chunk.code.lines().enumerate().filter(|(_, line)| line.contains("include_graphics("))
        {
            let given = line.split("include_graphics(").nth(1).unwrap_or_default();
            if given.trim_start().starts_with(['"', '\'']) {
                quoted(given)
                    .into_iter()
                    .take(1)
                    .for_each(|path| self.file(chunk.line + index + 1, path, exists));
            }
        }
    }

    fn images(&mut self, outline: &Outline, exists: &dyn Fn(&str) -> bool) {
        for (line, text) in &outline.prose {
            for rest in text.split("![").skip(1) {
                let target = rest
                    .split_once("](")
                    .and_then(|(_, rest)| rest.split_once(')'))
                    .map(|(target, _)| target);
                let path =
                    target.and_then(|target| target.split_whitespace().next()).unwrap_or_default();
                self.file(*line, path.trim_matches(['<', '>']), exists);
            }
            if let Some((_, rest)) = text.split_once("{{< include ") {
                self.file(*line, rest.split_whitespace().next().unwrap_or_default(), exists);
            }
        }
    }

    fn file(&mut self, line: usize, path: &str, exists: &dyn Fn(&str) -> bool) {
        self.files += 1;
        let is_file = self.files <= MOST_FILES
            && !path.is_empty()
            && !path.contains(':')
            && !path.starts_with(['#', '`']);
        if is_file && !exists(path) {
            let hint = "name a file in the folder of documents, by its path from this one";
            self.report(&MISSING_FILE, line, format!("there is no file `{path}`"), hint);
        }
    }
}

fn is_r(chunk: &Chunk) -> bool {
    chunk.engine.eq_ignore_ascii_case("r")
}

/// The texts in quotes.
fn quoted(text: &str) -> Vec<&str> {
    let quote = if text.contains('"') { '"' } else { '\'' };
    text.split(quote).skip(1).step_by(2).collect()
}

/// The line, from 0, at which R cannot go on reading; nothing if it can.
fn broken_line(parser: &mut Parser, code: &str) -> Option<usize> {
    let tree = parser.parse(code, None)?;
    first_error(tree.root_node()).map(|node| node.start_position().row)
}

/// The first node that is not R. Code may be nested deeper than a stack of calls can be.
fn first_error(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        if node.is_error() || node.is_missing() {
            return Some(node);
        }
        if !node.has_error() {
            return None;
        }
        let mut cursor = node.walk();
        let broken = node
            .children(&mut cursor)
            .find(|child| child.is_error() || child.is_missing() || child.has_error());
        node = match broken {
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
    fn the_examples_of_rules_are_bad_and_good() {
        for rule in RULES {
            let found: Vec<_> = codes(rule.bad).into_iter().map(|(code, _)| code).collect();
            assert_eq!(found, [rule.code], "{}", rule.bad);
            assert_eq!(codes(rule.good), [], "{}", rule.good);
        }
    }

    #[test]
    fn every_problem_is_told_with_its_line() {
        let text = "---\ntitle: x\nparams:\n  year: 2026\n---\n\n```{r a, echo=}\n```\n\n```{r a}\nplot(params$yaer\n```\n\n![](no.png) ![](https://x/y.png)\n\n```{pyhton}\n";
        assert_eq!(
            codes(text),
            [
                ("TC854", 10),
                ("TC857", 11),
                ("TC859", 11),
                ("TC858", 14),
                ("TC853", 16),
                ("TC855", 16)
            ]
            .map(|(code, line)| (code, line))
        );
    }

    #[test]
    fn code_that_is_nested_deeply_is_read_all_the_same() {
        let deep = format!("```{{r}}\n{}x y{}\n```\n", "(".repeat(50_000), ")".repeat(50_000));
        assert_eq!(codes(&deep), [("TC857", 2)]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_checked(text in "[a-z`~{}#|:=,\"'\\n $!()\\[\\]ü-]{0,200}") {
            check(&text, &|_| true);
        }
    }

    #[test]
    fn what_knitr_takes_is_not_complained_about() {
        let text = "```{r my label-1, fig.cap=\"a, b\", fig.width=5}\n<<other>>\nx |> f(\\(y) y)\n```\n\n```{r, eval=FALSE}\nnot r at all (\n```\n\n```{r child=character()}\n```\n\n```{bash}\nif [ 1 ]\n```\n";
        assert_eq!(codes(text), []);
    }
}
