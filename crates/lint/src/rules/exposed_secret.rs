//! Credentials written into a definition.

use catalog::{Diagnostic, Rule, Severity};

use crate::{check::Report, text::Text};

pub(crate) static RULE: Rule = Rule {
    code: "TC507",
    name: "exposed-secret",
    severity: Severity::Error,
    why: "Whatever stands in a description, a default or a command is sent to every client and its model, and lies in the \
          repository. A credential that got there must be revoked. Let the program read it from its environment or a file.",
    bad: r#"{"name": "who", "description": "Identity", "command": "echo", "mutates": false, "subcommand": [
 {"name": "default", "description": "Ask who I am, with the token ghp_R7m2Kq9Xv4Tz8Lc3Nw6Yb1Hd5Jf0Gs2Pa4Ue"}]}"#,
    good: r#"{"name": "who", "description": "Identity", "command": "echo", "mutates": false, "subcommand": [
 {"name": "default", "description": "Ask who I am, with the token in GITHUB_TOKEN"}]}"#,
};

/// How a kind of credential begins and goes on.
struct Kind {
    what: &'static str,
    prefix: &'static str,
    at_least: usize,
    goes_on: fn(u8) -> bool,
}

/// No credential below is shorter, and few other words are as long.
const SHORTEST: usize = 20;

const KINDS: &[Kind] = &[
    Kind { what: "an AWS access key", prefix: "AKIA", at_least: 16, goes_on: is_upper },
    Kind { what: "an AWS access key", prefix: "ASIA", at_least: 16, goes_on: is_upper },
    Kind { what: "a GitHub token", prefix: "ghp_", at_least: 36, goes_on: is_alphanumeric },
    Kind { what: "a GitHub token", prefix: "gho_", at_least: 36, goes_on: is_alphanumeric },
    Kind { what: "a GitHub token", prefix: "ghs_", at_least: 36, goes_on: is_alphanumeric },
    Kind { what: "a GitHub token", prefix: "ghu_", at_least: 36, goes_on: is_alphanumeric },
    Kind { what: "a GitHub token", prefix: "ghr_", at_least: 36, goes_on: is_alphanumeric },
    Kind { what: "a GitHub token", prefix: "github_pat_", at_least: 22, goes_on: is_key },
    Kind { what: "a GitLab token", prefix: "glpat-", at_least: 20, goes_on: is_key },
    Kind { what: "an API key", prefix: "sk-", at_least: 20, goes_on: is_key },
    Kind { what: "a Stripe key", prefix: "sk_live_", at_least: 20, goes_on: is_alphanumeric },
    Kind { what: "a Slack token", prefix: "xoxb-", at_least: 20, goes_on: is_key },
    Kind { what: "a Slack token", prefix: "xoxp-", at_least: 20, goes_on: is_key },
    Kind { what: "a Google API key", prefix: "AIza", at_least: 35, goes_on: is_key },
    Kind { what: "an npm token", prefix: "npm_", at_least: 36, goes_on: is_alphanumeric },
];

pub(crate) fn check(text: &Text<'_>, report: &mut Report<'_>) {
    if let Some((what, prefix)) = secret(text.text) {
        let message = format!("{} has what looks like {what} (`{prefix}…`)", text.subject());
        let found = Diagnostic::new(&RULE, text.origin(), message);
        report.push(found.hint(
            "revoke it, and let the program read the new one from its environment or a file",
        ));
    }
}

/// The kind and the harmless beginning of the first credential in a text.
fn secret(text: &str) -> Option<(&'static str, &'static str)> {
    // The dashes of a private key are a part of what is taken for a word here.
    if !text
        .as_bytes()
        .split(|byte| !is_key(*byte))
        .any(|word| word.len() >= SHORTEST || word.starts_with(b"-----"))
    {
        return None;
    }
    if let Some((_, after)) = text.split_once("-----BEGIN ")
        && after.split("-----").next().is_some_and(|label| label.ends_with("PRIVATE KEY"))
    {
        return Some(("a private key", "-----BEGIN"));
    }
    KINDS.iter().find(|kind| occurs(kind, text)).map(|kind| (kind.what, kind.prefix))
}

fn occurs(kind: &Kind, text: &str) -> bool {
    text.match_indices(kind.prefix).any(|(at, _)| {
        let begins = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        let rest = &text[at + kind.prefix.len()..];
        let length = rest.bytes().take_while(|byte| (kind.goes_on)(*byte)).count();
        begins && length >= kind.at_least && is_random(&rest[..length])
    })
}

/// Placeholders such as `xxxx`, `YOUR-KEY` or AWS's own `…EXAMPLE` are no secrets: a real one has digits and
/// many different characters.
fn is_random(body: &str) -> bool {
    let distinct = body.bytes().collect::<std::collections::HashSet<_>>().len();
    body.bytes().any(|byte| byte.is_ascii_digit()) && distinct >= 8 && !body.contains("EXAMPLE")
}

fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
