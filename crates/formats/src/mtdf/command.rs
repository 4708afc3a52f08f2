//! The field `command`: a program and its fixed arguments.

use super::{
    rules::definition::{ABSOLUTE_PROGRAM, BAD_PROGRAM},
    shell_syntax,
};
use crate::{object::Object, report::Report};

/// The words of `command`; empty if the field is missing or invalid.
pub(crate) fn read<'n>(object: &Object<'n, '_>, report: &mut Report) -> Vec<&'n str> {
    let Some(command) = object.non_blank("command", report) else {
        return Vec::new();
    };
    // The format has no quoting: the first word is the program, the others are fixed arguments.
    let words: Vec<_> = command.split_whitespace().collect();
    if let Some(program) = words.first() {
        check_program(program, object, report);
    }
    shell_syntax::check(&words, object, report);
    words
}

fn check_program(program: &str, object: &Object<'_, '_>, report: &mut Report) {
    let at = object.at.key("command");
    if program.split('/').any(|part| part == "..") || program.starts_with('~') {
        let problem = report.at_value(
            &BAD_PROGRAM,
            &at,
            format!("the program `{program}` may be outside the crib"),
        );
        let problem = problem
            .with_expected("a program name, or a path inside the crib")
            .with_received(program);
        report.push(problem.hint("name the program, or move it into the crib"));
    } else if program.starts_with('/') {
        let problem = report.at_value(
            &ABSOLUTE_PROGRAM,
            &at,
            format!("`{program}` may be elsewhere on another machine"),
        );
        report.push(problem.hint("name the program without its folder"));
    }
}
