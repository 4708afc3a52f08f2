//! Shell syntax in `command`: no shell reads it, so a program would get `|` or `$HOME` as a word.

use super::rules::definition::SHELL_SYNTAX;
use crate::{object::Object, report::Report};

const OPERATORS: [&str; 6] = ["|", "||", "&&", "&", ";", "|&"];

/// The meaning of a word in a shell, and its equivalent in a definition.
struct ShellSyntax {
    meaning: &'static str,
    instead: &'static str,
}

const SEVERAL: ShellSyntax = ShellSyntax {
    meaning: "joins commands",
    instead: "put the line into a script in the crib and name the script in `command`, or run tools one after the \
              other with `sequence`",
};
const REDIRECTION: ShellSyntax = ShellSyntax {
    meaning: "redirects input or output",
    instead: "leave it out: the result has the output, and a parameter with `\"pass_by\": \"stdin\"` is the input",
};
const VARIABLE: ShellSyntax = ShellSyntax {
    meaning: "inserts a variable or the output of a command",
    instead: "write the value, make it a parameter, or put the line into a script in the crib",
};
const HOME: ShellSyntax = ShellSyntax {
    meaning: "names the home folder",
    instead: "write the whole path, or make it a parameter with `\"format\": \"path\"`",
};
const QUOTES: ShellSyntax = ShellSyntax {
    meaning: "quotes a word",
    instead: "`command` has no quoting: put words with spaces into `fixed_args`",
};

/// Reports the first word of `command` that only a shell understands.
pub(super) fn check(words: &[&str], object: &Object<'_, '_>, report: &mut Report) {
    let program = words.first().copied().unwrap_or_default();
    let mut found = words.iter().skip(1).filter_map(|word| Some((word, read(program, word)?)));
    if let Some((word, syntax)) = found.next() {
        let message = format!("no shell reads `command`, but `{word}` {}", syntax.meaning);
        let problem = report.at_value(&SHELL_SYNTAX, &object.at.key("command"), message);
        report.push(problem.with_received(*word).hint(syntax.instead));
    }
}

fn read(program: &str, word: &str) -> Option<&'static ShellSyntax> {
    let is_find = program.rsplit('/').next() == Some("find");
    // `;` ends the command of `find -exec`.
    let ends_command = (word.ends_with(';') && word.len() > 1 || word == ";") && !is_find;
    // As in `2>&1` and `&>log`.
    let redirection = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    if OPERATORS.contains(&word) && word != ";" || ends_command {
        Some(&SEVERAL)
    } else if redirection.starts_with(['>', '<']) {
        Some(&REDIRECTION)
    } else if word.contains('`') || has_variable(word) {
        Some(&VARIABLE)
    } else if word == "~" || word.starts_with("~/") {
        Some(&HOME)
    } else if word.starts_with(['\'', '"']) || word.ends_with(['\'', '"']) {
        Some(&QUOTES)
    } else {
        None
    }
}

/// Whether a word contains `$NAME`, `${…}` or `$(…)`. `$1` and a final `$` are allowed, because
/// they have a meaning in `awk` and in regular expressions.
fn has_variable(word: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '{' | '(');
    word.match_indices('$').any(|(at, _)| word[at + 1..].starts_with(starts))
}
