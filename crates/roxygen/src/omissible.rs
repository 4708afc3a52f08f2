//! Which formals a function can do without though they have no default: those that it asks `missing(x)` about, and does
//! not stop for.

/// Functions that end a call.
const ENDS: [&str; 6] =
    ["stop(", "abort(", "rlang::abort(", "cli_abort(", "cli::cli_abort(", "base::stop("];

/// The names that the body of a function asks `missing` about, and goes on without.
pub(super) fn omissible(body: &str) -> Vec<&str> {
    let (mut found, mut demanded) = (Vec::new(), Vec::new());
    for (at, call) in body.match_indices("missing(") {
        let is_other =
            body[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let start = at + call.len();
        let Some(length) = body[start..].find(')').filter(|_| !is_other) else {
            continue;
        };
        let name = body[start..start + length].trim().trim_matches('`');
        match is_demand(&body[..at], &body[start + length + 1..]) {
            true => demanded.push(name),
            false => found.push(name),
        }
    }
    found.retain(|name| !demanded.contains(name));
    found
}

/// Whether the call ends where the formal is missing: `if (missing(x)) stop(…)`, `stopifnot(!missing(x))`. Of several
/// that are joined by `&&`, each may be missing.
fn is_demand(before: &str, behind: &str) -> bool {
    let Some((opened, closed)) = opened(before).zip(closed(behind)) else {
        return false;
    };
    let condition = [&before[opened + 1..], &behind[..closed]];
    let then = behind[closed + 1..].trim_start().trim_start_matches('{').trim_start();
    let is_if = before[..opened].trim_end().ends_with("if");
    let is_refused =
        ENDS.iter().any(|end| then.starts_with(end)) && !before.trim_end().ends_with('!');
    let is_checked = before[..opened].ends_with("stopifnot");
    is_checked || is_if && is_refused && !condition.iter().any(|part| part.contains("&&"))
}

/// The bracket that is open at the end of a text.
fn opened(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().rev().find_map(|(at, c)| {
        depth += i32::from(c == ')') - i32::from(c == '(');
        (depth < 0).then_some(at)
    })
}

/// The bracket that closes what was opened before a text.
fn closed(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth < 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::omissible;

    #[test]
    fn what_is_missing_may_be_left_out_unless_the_function_stops() {
        for (body, names) in [
            ("{ if (missing(x)) x <- 1 }", vec!["x"]),
            ("{ if (!missing(x)) stop('do not give it') }", vec!["x"]),
            ("{ y <- missing( x ) }", vec!["x"]),
            ("{ if (missing(x) && missing(y)) stop('give one') }", vec!["x", "y"]),
            ("{ if (missing(x)) stop('x is missing') }", vec![]),
            ("{ if (missing(x) || length(x) > 1) {\n rlang::abort('x') } }", vec![]),
            ("{ stopifnot(!missing(x)) }", vec![]),
            ("{ if (missing(x)) stop('x')\n z <- missing(x) }", vec![]),
            ("{ is_missing(x); na.missing(y) }", vec![]),
            ("{ missing(", vec![]),
        ] {
            assert_eq!(omissible(body), names, "{body}");
        }
    }
}
