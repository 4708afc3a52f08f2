//! Explains failures of programs that the sandbox caused. Programs report them as if the file or the
//! network were broken, which sends people looking in the wrong place.

use std::path::{Component, Path, PathBuf};

use catalog::{Content, Implementation, NetworkAccess, Outcome, Tool};
use process::{Command, SandboxLevel, is_private_folder};

use crate::plan::{CommandPlan, WithheldCaches};

/// How programs and C libraries report that a name cannot be resolved or no socket be opened.
const NETWORK: [&str; 16] = [
    "could not resolve",
    "couldn't resolve",
    "name resolution",
    "name or service not known",
    "network is unreachable",
    "failed to lookup address",
    "unable to resolve",
    "getaddrinfo",
    "dns error",
    // R and Python report a denied socket as a failed connection.
    "cannot open url 'http",
    "cannot open the connection to 'http",
    "urlopen error",
    // A proxy refused a destination, as reported by curl, git, Python and wget.
    "tunnel failed",
    "tunneling failed",
    "tunnel connection failed",
    "proxy connect aborted",
];

/// How programs report a failed connection. If the tool has a network, the server is the more likely
/// cause.
const CONNECTION: [&str; 10] = [
    "failed to connect",
    "could not connect",
    "couldn't connect",
    "cannot connect",
    "unable to connect",
    "trying to connect",
    "connection refused",
    "was refused",
    "connect eacces",
    "socket: permission denied",
];

/// How they report a file that they may not open or change.
const FILES: [&str; 4] = ["permission denied", READ_ONLY, "operation not permitted", MISSING];
/// The error for denied writes at the level `namespaces`, where such paths are mounted read-only.
const READ_ONLY: &str = "read-only file system";
/// A file in a folder that the sandbox hides, such as `/tmp`, does not exist for the program.
const MISSING: &str = "no such file";

/// How programs report missing credentials, or a missing configuration that contains them.
const CREDENTIALS: [&str; 17] = [
    "(publickey",
    "could not read username",
    "could not read password",
    "authentication failed",
    "authentication required",
    "host key verification failed",
    "unauthorized",
    "eneedauth",
    " e401",
    "error: 401",
    "not logged in",
    "auth login",
    "unable to locate credentials",
    "no password supplied",
    "current-context is not set",
    "docker daemon",
    // kubectl without a configuration tries this address.
    "localhost:8080 was refused",
];

/// The likely causes of an error on stderr that lie in the sandbox, and how to change them.
pub(crate) fn explain_program_denial(
    tool: &Tool,
    plan: &CommandPlan,
    stderr: &str,
) -> Option<String> {
    let withheld = plan.withheld.as_deref().filter(|_| stderr.lines().any(lacks_credentials));
    let withheld = withheld.map(|program| {
        format!(
            "it has none of your credentials for `{program}`; if it may use them, declare `\"credentials\": true` \
             or add the tool to `credentials` of `[program.{program}]`"
        )
    });
    let denial =
        explain_cache(tool, plan, stderr).or_else(|| explain_denial(tool, &plan.command, stderr));
    let causes = [withheld, denial].into_iter().flatten().collect::<Vec<_>>();
    Some(causes.join(". And ")).filter(|causes| !causes.is_empty())
}

/// Whether a line reports missing credentials. Programs look for them in the home folder, which is an
/// empty private one in the sandbox.
fn lacks_credentials(line: &str) -> bool {
    let lower = line.to_lowercase();
    let is_at_home = || {
        let path = find_path(line, lower.find(MISSING)?, MISSING)?;
        Some(is_private_folder(&path))
    };
    CREDENTIALS.iter().any(|phrase| lower.contains(phrase)) || is_at_home() == Some(true)
}

/// The setting for caches, if the program could not write to one. Programs name the file and the reason
/// on different lines, so all lines are searched.
fn explain_cache(tool: &Tool, plan: &CommandPlan, stderr: &str) -> Option<String> {
    let is_denied = |line: &str| {
        let lower = line.to_lowercase();
        lower.contains(READ_ONLY) || lower.contains("permission denied")
    };
    if plan.command.sandbox.level == SandboxLevel::None || !stderr.lines().any(is_denied) {
        return None;
    }
    let is_named = |folder: &&PathBuf| folder.to_str().is_some_and(|text| stderr.contains(text));
    let WithheldCaches { program, folders } = &plan.caches;
    let folder = folders.iter().find(is_named)?;
    let shown = folder.display();
    if tool.annotations.is_read_only() {
        return Some(explain_write(tool, &shown.to_string()));
    }
    let create = if folder.exists() { "" } else { ", and create it" };
    Some(format!(
        "its sandbox may not write {shown}, where `{program}` keeps what it downloads; set `caches = true` in \
         `[program.{program}]` of toolcrib.toml{create}"
    ))
}

/// The part of the sandbox that is the likely cause of an error on standard error, and how to change
/// it.
pub(crate) fn explain_denial(tool: &Tool, command: &Command, stderr: &str) -> Option<String> {
    if command.sandbox.level == SandboxLevel::None {
        return None;
    }
    let mut lines = stderr.lines().rev().take(100);
    lines.find_map(|line| explain_line(tool, command, line))
}

/// Adds the likely cause to the outcome of a failed function, if it is the sandbox. `command` is that of
/// the worker.
pub(crate) fn explain_failed_function(
    tool: &Tool,
    command: impl FnOnce() -> Option<Command>,
    mut outcome: Outcome,
) -> Outcome {
    if !outcome.failed {
        return outcome;
    }
    let texts = outcome.content.iter().filter_map(|content| match content {
        Content::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let texts = texts.collect::<Vec<_>>().join("\n");
    let Some(cause) = command().and_then(|command| explain_denial(tool, &command, &texts)) else {
        return outcome;
    };
    if let Some(Content::Text(text)) = outcome.content.first_mut() {
        text.push_str(&format!("\n({cause})"));
    }
    let message = outcome.structured.as_mut().and_then(|fields| fields.get_mut("error_message"));
    if let Some(serde_json::Value::String(message)) = message {
        message.push_str(&format!(" ({cause})"));
    }
    outcome
}

fn explain_line(tool: &Tool, command: &Command, line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    let contains = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let network = &command.sandbox.network;
    let has_none = matches!(network, NetworkAccess::None);
    if contains(&NETWORK) || has_none && contains(&CONNECTION) {
        return explain_network(tool, network);
    }
    // Withheld credentials have an explanation of their own.
    if contains(&CREDENTIALS) {
        return None;
    }
    let (phrase, at) = FILES.into_iter().find_map(|phrase| Some((phrase, lower.find(phrase)?)))?;
    let Some(path) = find_path(line, at, phrase) else {
        return (phrase == READ_ONLY).then(|| explain_write(tool, "there"));
    };
    let path = normalize(&Path::new(&command.cwd).join(path));
    // The file does not exist; the sandbox would have shown it.
    if phrase == MISSING && command.sandbox.may_read(&path) {
        return None;
    }
    explain_file(tool, command, &path)
}

fn explain_network(tool: &Tool, network: &NetworkAccess) -> Option<String> {
    match network {
        NetworkAccess::None if is_r(tool) => Some(
            "its sandbox has no network; add the keyword `mcp-network` and build again, or `network: true` to \
             its definition"
                .to_owned(),
        ),
        NetworkAccess::None => Some(
            "its sandbox has no network; declare `\"network\": true` or a list of destinations"
                .to_owned(),
        ),
        NetworkAccess::Only(_) => Some(
            "its sandbox reaches only the destinations in `\"network\"`; add this one".to_owned(),
        ),
        NetworkAccess::Internet => None,
    }
}

fn is_r(tool: &Tool) -> bool {
    matches!(tool.implementation, Implementation::R(_))
}

fn explain_file(tool: &Tool, command: &Command, path: &Path) -> Option<String> {
    let sandbox = &command.sandbox;
    let shown = path.display();
    if is_private_folder(path) {
        return None;
    }
    if !sandbox.may_read(path) {
        return Some(format!(
            "{shown} is outside of what its sandbox may read; add the folder to `[crib] roots` or `[confine] read`"
        ));
    }
    if sandbox.may_write(path) {
        return None;
    }
    let is_granted = sandbox.read.iter().any(|folder| path.starts_with(folder));
    if !is_granted {
        // A system folder, where permissions are the likelier cause.
        return None;
    }
    Some(explain_write(tool, &shown.to_string()))
}

fn explain_write(tool: &Tool, place: &str) -> String {
    let reason = match (tool.annotations.is_read_only(), is_r(tool)) {
        (true, true) => {
            ", because the tool is declared to change nothing (the keyword `mcp-read-only`)"
        }
        (true, false) => ", because the tool is declared `\"mutates\": false`",
        (false, _) => "; add the folder to `[crib] roots` or `[confine] write`",
    };
    format!("its sandbox may not write {place}{reason}")
}

/// The path without `..`, by its text: looking at files outside of the sandbox would tell whether they
/// exist.
fn normalize(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            part => path.push(part),
        }
        path
    })
}

/// The path in a message with this phrase at this byte of its lower case, such as `touch: cannot touch
/// 'a b': …`, `cat: /data/x: …`, Python's `…: '/data/x'`, Node's `…, open 'x'` or Go's `open /data/x: …`.
fn find_path(line: &str, at: usize, phrase: &str) -> Option<PathBuf> {
    // Lower-casing may change the length in bytes. If the index does not fit, the whole line is used.
    let before = line.get(..at).unwrap_or(line);
    let after = line.get(at + phrase.len()..).unwrap_or_default();
    let word = || {
        let words = before.trim_end_matches([' ', ':', '(']).rsplit([' ', '\t']);
        words.map(|word| word.trim_matches([':', ',', '(', ')'])).next()
    };
    // Codes such as `EROFS` and `[Errno 13]` are not paths.
    let is_path = |text: &&str| {
        let is_code = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        text.contains(char::is_alphanumeric) && !text.ends_with(']') && !text.bytes().all(is_code)
    };
    // Ruby: `in 'open': Permission denied @ rb_sysopen - x (Errno::EACCES)`.
    let ruby =
        after.starts_with(" @").then(|| after.split_once(" - ")?.1.split(" (").next()).flatten();
    // Python: `f` failed: OSError: [Errno 30] Read-only file system: 'x'.
    let python =
        after.strip_prefix(": ").filter(|rest| rest.starts_with('\'')).and_then(first_quoted);
    let named = ruby.or(python).or_else(|| last_quoted(before)).or_else(|| first_quoted(after));
    let named = named.map(str::trim);
    named.or_else(word).filter(is_path).map(PathBuf::from)
}

const QUOTES: [(char, char); 4] = [('\'', '\''), ('‘', '’'), ('"', '"'), ('`', '`')];

fn last_quoted(text: &str) -> Option<&str> {
    QUOTES.into_iter().find_map(|(open, close)| {
        let (quoted, _) = text.rsplit_once(close)?;
        Some(quoted.rsplit_once(open)?.1)
    })
}

fn first_quoted(text: &str) -> Option<&str> {
    QUOTES.into_iter().find_map(|(open, close)| {
        let (_, quoted) = text.split_once(open)?;
        Some(quoted.split_once(close)?.0)
    })
}
