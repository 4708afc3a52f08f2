//! Credentials written into a definition.

use catalog::{Diagnostic, Rule, Severity};

use crate::{sink::DiagnosticSink, text::Text};

pub(crate) static RULE: Rule = Rule {
    code: "TC507",
    name: "exposed-secret",
    severity: Severity::Error,
    why: "Descriptions, defaults and commands are sent to every client and its model, and are \
          stored in the repository. Revoke a credential that was written there, and let the \
          program read the new one from its environment or a file.",
    bad: r#"{"name": "who", "description": "Identity", "command": "echo", "mutates": false, "subcommand": [
 {"name": "default", "description": "Ask who I am, with the token ghp_R7m2Kq9Xv4Tz8Lc3Nw6Yb1Hd5Jf0Gs2Pa4Ue"}]}"#,
    good: r#"{"name": "who", "description": "Identity", "command": "echo", "mutates": false, "subcommand": [
 {"name": "default", "description": "Ask who I am, with the token in GITHUB_TOKEN"}]}"#,
};

/// The form of a kind of credential: a fixed prefix and a random body.
struct CredentialForm {
    name: &'static str,
    prefix: &'static str,
    /// The shortest body, in bytes.
    min_body: usize,
    /// Whether a byte can be part of the body.
    is_body: fn(u8) -> bool,
}

/// No credential below is shorter, and few other words are as long, so most texts need no search.
const MIN_LENGTH: usize = 20;

const FORMS: &[CredentialForm] = &[
    CredentialForm { name: "an AWS access key", prefix: "AKIA", min_body: 16, is_body: is_upper },
    CredentialForm { name: "an AWS access key", prefix: "ASIA", min_body: 16, is_body: is_upper },
    CredentialForm {
        name: "a GitHub token",
        prefix: "ghp_",
        min_body: 36,
        is_body: is_alphanumeric,
    },
    CredentialForm {
        name: "a GitHub token",
        prefix: "gho_",
        min_body: 36,
        is_body: is_alphanumeric,
    },
    CredentialForm {
        name: "a GitHub token",
        prefix: "ghs_",
        min_body: 36,
        is_body: is_alphanumeric,
    },
    CredentialForm {
        name: "a GitHub token",
        prefix: "ghu_",
        min_body: 36,
        is_body: is_alphanumeric,
    },
    CredentialForm {
        name: "a GitHub token",
        prefix: "ghr_",
        min_body: 36,
        is_body: is_alphanumeric,
    },
    CredentialForm { name: "a GitHub token", prefix: "github_pat_", min_body: 22, is_body: is_key },
    CredentialForm { name: "a GitLab token", prefix: "glpat-", min_body: 20, is_body: is_key },
    CredentialForm { name: "an API key", prefix: "sk-", min_body: 20, is_body: is_key },
    CredentialForm {
        name: "a Stripe key",
        prefix: "sk_live_",
        min_body: 20,
        is_body: is_alphanumeric,
    },
    CredentialForm { name: "a Slack token", prefix: "xoxb-", min_body: 20, is_body: is_key },
    CredentialForm { name: "a Slack token", prefix: "xoxp-", min_body: 20, is_body: is_key },
    CredentialForm { name: "a Google API key", prefix: "AIza", min_body: 35, is_body: is_key },
    CredentialForm { name: "an npm token", prefix: "npm_", min_body: 36, is_body: is_alphanumeric },
];

pub(crate) fn check(text: &Text<'_>, sink: &mut DiagnosticSink<'_>) {
    if let Some((name, prefix)) = find_credential(text.text) {
        let message = format!("{} seems to contain {name} (`{prefix}…`)", text.describe());
        let found = Diagnostic::new(&RULE, text.origin(), message);
        sink.push(found.hint(
            "revoke it, and let the program read the new one from its environment or a file",
        ));
    }
}

/// Finds a credential and returns its name and prefix. The body must not appear in a message.
fn find_credential(text: &str) -> Option<(&'static str, &'static str)> {
    // The header of a private key is short, but `-` is a body byte, so its dashes form a word.
    if !text
        .as_bytes()
        .split(|byte| !is_key(*byte))
        .any(|word| word.len() >= MIN_LENGTH || word.starts_with(b"-----"))
    {
        return None;
    }
    if let Some((_, after)) = text.split_once("-----BEGIN ")
        && after.split("-----").next().is_some_and(|label| label.ends_with("PRIVATE KEY"))
    {
        return Some(("a private key", "-----BEGIN"));
    }
    FORMS.iter().find(|form| form.occurs_in(text)).map(|form| (form.name, form.prefix))
}

impl CredentialForm {
    fn occurs_in(&self, text: &str) -> bool {
        text.match_indices(self.prefix).any(|(at, _)| {
            // `sk-` inside `risk-based` is not a prefix.
            let is_start = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            let rest = &text[at + self.prefix.len()..];
            let length = rest.bytes().take_while(|byte| (self.is_body)(*byte)).count();
            is_start && length >= self.min_body && is_random(&rest[..length])
        })
    }
}

/// Whether a body can be that of a real credential, which has digits and many different characters.
/// Placeholders such as `xxxx`, `YOUR-KEY` or the `…EXAMPLE` of the AWS documentation do not.
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
