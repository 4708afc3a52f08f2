//! The code of `@examples`: what is shown, and what is run.

/// Example code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExampleCode {
    /// What people read: everything but `\dontshow`, without the commands around it.
    pub shown: String,
    /// What is run: everything but `\dontrun`.
    pub run: String,
    /// The R expression that must be true for anything to be run.
    pub condition: Option<String>,
}

/// What stands between code and output.
const BETWEEN: &str = "\n#\n";
/// What stands before every line of output.
const PROMPT: &str = "#> ";
/// How much output is kept.
const MOST_LINES: usize = 60;
const LONGEST_LINE: usize = 200;

/// Output as it is kept: cut where it is long, with a mark.
pub(crate) fn cut(output: &str) -> String {
    let lines: Vec<_> = output.trim_end().lines().map(str::trim_end).collect();
    let short = |line: &&str| match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{} [...]", &line[..end]),
        None => (*line).to_owned(),
    };
    let mut kept: Vec<_> = lines.iter().take(MOST_LINES).map(short).collect();
    if lines.len() > MOST_LINES {
        kept.push(format!("[... {} more lines]", lines.len() - MOST_LINES));
    }
    kept.join("\n")
}

impl ExampleCode {
    /// The code, and behind it a line `#` and the output behind `#>`.
    pub(crate) fn with_output(&self, output: Option<&str>) -> String {
        let Some(output) = output else {
            return self.shown.clone();
        };
        let lines: Vec<_> =
            output.lines().map(|line| format!("{PROMPT}{line}").trim_end().to_owned()).collect();
        format!("{}{BETWEEN}{}", self.shown, lines.join("\n")).trim_end().to_owned()
    }

    /// The output in a text that has this code, as far as it was kept: none if the code was not run. `None` if the text
    /// has other code.
    pub(crate) fn output_in(&self, text: &str) -> Option<Option<String>> {
        let rest = text.trim_end().strip_prefix(self.shown.as_str())?;
        if rest.is_empty() {
            return Some(None);
        }
        let lines = format!("{rest}\n");
        let lines = lines.strip_prefix(BETWEEN)?.lines();
        let output =
            lines.map(|line| line.strip_prefix(PROMPT).or_else(|| line.strip_prefix("#>")));
        output.collect::<Option<Vec<_>>>().map(|lines| Some(lines.join("\n")))
    }

    /// This code with other code shown behind it, which is not run: it would need its own condition.
    pub(crate) fn beside(mut self, other: &Self) -> Self {
        self.shown = [self.shown.as_str(), other.shown.as_str()].join("\n").trim().to_owned();
        self
    }

    /// Whether there is anything to run.
    pub fn is_runnable(&self) -> bool {
        self.run.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    }
}

const COMMANDS: [(&str, bool, bool); 5] = [
    ("\\dontrun", true, false),
    ("\\donttest", true, true),
    ("\\dontshow", false, true),
    ("\\testonly", false, true),
    ("\\dontdiff", true, true),
];

/// Reads the text of `@examples`.
pub(crate) fn read(text: &str) -> ExampleCode {
    let mut code = ExampleCode::default();
    split(text, true, true, &mut code);
    ExampleCode { shown: tidy(&code.shown), run: tidy(&code.run), condition: None }
}

/// Reads the text of `@examplesIf`: a condition, and code behind it.
pub(crate) fn conditional(text: &str) -> ExampleCode {
    let (condition, code) = text.split_once('\n').unwrap_or((text, ""));
    ExampleCode { condition: Some(condition.trim().to_owned()), ..read(code) }
}

fn split(text: &str, is_shown: bool, is_run: bool, code: &mut ExampleCode) {
    let mut rest = text;
    while let Some((at, (command, shows, runs))) = next(rest) {
        push(&rest[..at], is_shown, is_run, code);
        let body = rest[at + command.len()..].trim_start();
        let inner = &body[1..];
        let end = end_of(inner).unwrap_or(inner.len());
        split(inner[..end].trim_matches('\n'), is_shown && shows, is_run && runs, code);
        rest = inner.get(end + 1..).unwrap_or_default();
    }
    push(rest, is_shown, is_run, code);
}

/// The next command that has an argument.
fn next(text: &str) -> Option<(usize, (&'static str, bool, bool))> {
    let found = COMMANDS.iter().filter_map(|command| {
        let mut matches = text.match_indices(command.0).map(|(at, _)| at);
        matches
            .find(|at| text[at + command.0.len()..].trim_start().starts_with('{'))
            .map(|at| (at, *command))
    });
    found.min_by_key(|(at, _)| *at)
}

/// The brace that closes an argument, in R code: those in text and remarks do not count.
fn end_of(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped, mut is_remark) = (0, None, false, false);
    for (at, c) in text.char_indices() {
        match c {
            '\n' => is_remark = false,
            _ if is_remark => {}
            _ if is_escaped => is_escaped = false,
            '\\' if quote.is_some() => is_escaped = true,
            '"' | '\'' | '`' if quote == Some(c) => quote = None,
            '"' | '\'' | '`' if quote.is_none() => quote = Some(c),
            _ if quote.is_some() => {}
            '#' => is_remark = true,
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn push(text: &str, is_shown: bool, is_run: bool, code: &mut ExampleCode) {
    let text = text.replace("\\%", "%");
    for (part, wanted) in [(&mut code.shown, is_shown), (&mut code.run, is_run)] {
        if wanted {
            part.push_str(&text);
        }
    }
}

/// Without blanks at the ends of lines, or empty lines at the ends of the whole and twice in a row.
fn tidy(code: &str) -> String {
    let mut lines: Vec<&str> = code.lines().map(str::trim_end).collect();
    lines.dedup_by(|next, line| next.is_empty() && line.is_empty());
    let start = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(start, |last| last + 1);
    lines[start..end].join("\n")
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn commands_decide_what_is_shown_and_run() {
        let code = read(
            "x <- 1\n\\dontrun{\nstop(\"}\") # }\n}\n\\donttest{\nf({x})\n}\n\\dontshow{y <- 2}\nx + 100\\% 3",
        );
        assert_eq!(code.shown, "x <- 1\nstop(\"}\") # }\nf({x})\n\nx + 100% 3");
        assert_eq!(code.run, "x <- 1\n\nf({x})\ny <- 2\nx + 100% 3");
        assert!(code.is_runnable());
        assert!(!read("\\dontrun{f()}").is_runnable());
        assert!(!read("# only a remark").is_runnable());
    }
}
