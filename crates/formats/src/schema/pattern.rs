//! Regular expressions in schemas.

use fancy_regex::Regex;

use crate::{
    report::{NodePath, Report},
    rules::schema::BAD_PATTERN,
};

/// Reports a pattern that the validator cannot compile.
pub(crate) fn check_pattern(pattern: &str, at: &NodePath<'_>, report: &mut Report) {
    if let Err(error) = Regex::new(pattern) {
        let problem = report.at_value(
            &BAD_PATTERN,
            at,
            format!("the pattern is not a valid regular expression: {error}"),
        );
        report.push(problem.with_expected("a regular expression").with_received(pattern));
    }
}
