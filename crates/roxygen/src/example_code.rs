//! The code of `@examples`: the part that is shown and the part that is run.

/// Example code of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExampleCode {
    /// The code that readers see: everything except `\dontshow{}`, without the commands themselves.
    pub shown: String,
    /// The code that is run: everything except `\dontrun{}`.
    pub run: String,
    /// The R expression of `@examplesIf`. Unless it is true, nothing is run.
    pub condition: Option<String>,
}

/// Separates code from output in a definition.
const SEPARATOR: &str = "\n#\n";
/// Begins each line of output in a definition.
const PROMPT: &str = "#> ";
/// Limits of the output in a definition. A definition is part of a model's context.
const MAX_LINES: usize = 60;
const MAX_LINE_CHARS: usize = 200;

/// Truncates output to the limits, with a notice where text is missing.
pub(crate) fn truncate_output(output: &str) -> String {
    let lines: Vec<_> = output.trim_end().lines().map(str::trim_end).collect();
    let truncate_line = |line: &&str| match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{} [...]", &line[..end]),
        None => (*line).to_owned(),
    };
    let mut kept: Vec<_> = lines.iter().take(MAX_LINES).map(truncate_line).collect();
    if lines.len() > MAX_LINES {
        kept.push(format!("[... {} more lines]", lines.len() - MAX_LINES));
    }
    kept.join("\n")
}

impl ExampleCode {
    /// The shown code, followed by its output in comments.
    pub(crate) fn with_output(&self, output: Option<&str>) -> String {
        let Some(output) = output else {
            return self.shown.clone();
        };
        let lines: Vec<_> =
            output.lines().map(|line| format!("{PROMPT}{line}").trim_end().to_owned()).collect();
        format!("{}{SEPARATOR}{}", self.shown, lines.join("\n")).trim_end().to_owned()
    }

    /// Reads the output back from a text that [`Self::with_output`] returned: `Some(None)` if it
    /// has this code without output, `None` if it has other code.
    pub(crate) fn output_in(&self, text: &str) -> Option<Option<String>> {
        // Other builders drop empty lines of the code, so they are ignored.
        let code = |text: &str| -> Vec<String> {
            let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
            lines.map(str::to_owned).collect()
        };
        let lines: Vec<_> = text.trim_end().lines().collect();
        let shown = code(&self.shown);
        let end = (0..=lines.len()).find(|end| code(&lines[..*end].join("\n")) == shown)?;
        let mut output = lines[end..].iter().skip_while(|line| line.trim().is_empty()).peekable();
        match output
            .next_if(|line| line.trim() == SEPARATOR.trim())
            .or_else(|| output.peek().copied())
        {
            None => return Some(None),
            Some(line) if !line.starts_with('#') => return None,
            Some(_) => {}
        }
        // An empty line of output has no space after the prompt, and another builder writes the
        // prompt only on the first line.
        let strip = |line: &&str| {
            let prompted = line.strip_prefix(PROMPT).or_else(|| line.strip_prefix("#>"));
            prompted.unwrap_or(line).to_owned()
        };
        Some(Some(output.map(strip).collect::<Vec<_>>().join("\n")))
    }

    /// This code with conditional code shown after it. The latter is not run, because its condition
    /// does not apply to the rest.
    pub(crate) fn append(mut self, conditional: &Self) -> Self {
        self.shown = [self.shown.as_str(), conditional.shown.as_str()].join("\n").trim().to_owned();
        self
    }

    /// Whether there is any code to run, not only comments.
    pub fn is_runnable(&self) -> bool {
        self.run.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    }
}

/// An Rd command that marks code: whether that is shown, and whether it is run.
#[derive(Clone, Copy)]
struct Marker {
    command: &'static str,
    is_shown: bool,
    is_run: bool,
}

const MARKERS: [Marker; 5] = [
    Marker { command: "\\dontrun", is_shown: true, is_run: false },
    Marker { command: "\\donttest", is_shown: true, is_run: true },
    Marker { command: "\\dontshow", is_shown: false, is_run: true },
    Marker { command: "\\testonly", is_shown: false, is_run: true },
    Marker { command: "\\dontdiff", is_shown: true, is_run: true },
];

/// Parses the text of `@examples`.
pub(crate) fn parse(text: &str) -> ExampleCode {
    let mut code = ExampleCode::default();
    split(text, true, true, &mut code);
    ExampleCode {
        shown: trim_blank_lines(&code.shown),
        run: trim_blank_lines(&code.run),
        condition: None,
    }
}

/// Parses the text of `@examplesIf`: a condition on the first line, then code.
pub(crate) fn parse_conditional(text: &str) -> ExampleCode {
    let (condition, code) = text.split_once('\n').unwrap_or((text, ""));
    ExampleCode { condition: Some(condition.trim().to_owned()), ..parse(code) }
}

fn split(text: &str, is_shown: bool, is_run: bool, code: &mut ExampleCode) {
    let mut rest = text;
    while let Some((at, marker)) = find_marker(rest) {
        push(&rest[..at], is_shown, is_run, code);
        let argument = &rest[at + marker.command.len()..].trim_start()[1..];
        // Without a closing brace the marker covers the rest, which is safer than running it.
        let end = find_closing_brace(argument).unwrap_or(argument.len());
        let inner = argument[..end].trim_matches('\n');
        // Markers nest: code in `\dontshow{}` inside `\dontrun{}` is neither shown nor run.
        split(inner, is_shown && marker.is_shown, is_run && marker.is_run, code);
        rest = argument.get(end + 1..).unwrap_or_default();
    }
    push(rest, is_shown, is_run, code);
}

/// The next marker that has an argument.
fn find_marker(text: &str) -> Option<(usize, Marker)> {
    let found = MARKERS.iter().filter_map(|marker| {
        let mut matches = text.match_indices(marker.command).map(|(at, _)| at);
        let has_argument =
            |at: &usize| text[at + marker.command.len()..].trim_start().starts_with('{');
        matches.find(has_argument).map(|at| (at, *marker))
    });
    found.min_by_key(|(at, _)| *at)
}

/// The brace that closes an argument. Braces in strings and comments of R do not count.
fn find_closing_brace(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped, mut in_comment) = (0, None, false, false);
    for (at, c) in text.char_indices() {
        match c {
            '\n' => in_comment = false,
            _ if in_comment => {}
            _ if is_escaped => is_escaped = false,
            '\\' if quote.is_some() => is_escaped = true,
            '"' | '\'' | '`' if quote == Some(c) => quote = None,
            '"' | '\'' | '`' if quote.is_none() => quote = Some(c),
            _ if quote.is_some() => {}
            '#' => in_comment = true,
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn push(text: &str, is_shown: bool, is_run: bool, code: &mut ExampleCode) {
    // `%` begins a comment in Rd, so roxygen2 users escape it.
    let text = text.replace("\\%", "%");
    for (part, is_wanted) in [(&mut code.shown, is_shown), (&mut code.run, is_run)] {
        if is_wanted {
            part.push_str(&text);
        }
    }
}

/// Removes trailing blanks, and empty lines at the start, at the end and in a row.
fn trim_blank_lines(code: &str) -> String {
    let mut lines: Vec<&str> = code.lines().map(str::trim_end).collect();
    lines.dedup_by(|next, line| next.is_empty() && line.is_empty());
    let start = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(start, |last| last + 1);
    lines[start..end].join("\n")
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn markers_determine_the_shown_and_the_executed_code() {
        let code = parse(
            "x <- 1\n\\dontrun{\nstop(\"}\") # }\n}\n\\donttest{\nf({x})\n}\n\\dontshow{y <- 2}\nx + 100\\% 3",
        );
        assert_eq!(code.shown, "x <- 1\nstop(\"}\") # }\nf({x})\n\nx + 100% 3");
        assert_eq!(code.run, "x <- 1\n\nf({x})\ny <- 2\nx + 100% 3");
        assert!(code.is_runnable());
        assert!(!parse("\\dontrun{f()}").is_runnable());
        assert!(!parse("# only a comment").is_runnable());
    }
}
