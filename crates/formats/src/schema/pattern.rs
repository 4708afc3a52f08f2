//! Regular expressions in schemas.

use fancy_regex::Regex;

use crate::{
    report::{At, Report},
    rules::schema::BAD_PATTERN,
};

/// Reports a pattern that the validator could not use.
pub(crate) fn check_pattern(pattern: &str, at: &At<'_>, report: &mut Report) {
    if let Err(error) = Regex::new(pattern) {
        let problem =
            report.value(&BAD_PATTERN, at, format!("the pattern does not compile: {error}"));
        report.push(problem.expected("a regular expression").received(pattern));
    }
}
