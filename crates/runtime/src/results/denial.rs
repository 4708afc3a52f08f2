//! Explains failures of programs that the sandbox caused. Programs report them as if the file or the
//! network were broken, which sends people looking in the wrong place.

use std::path::{Component, Path, PathBuf};

use catalog::{Content, Implementation, NetworkAccess, Outcome, Tool};
use process::{Command, SandboxLevel};

/// How programs and C libraries report that a name cannot be resolved or no socket be opened.
const NETWORK: [&str; 12] = [
    "could not resolve",
    "couldn't resolve",
    "name resolution",
    "name or service not known",
    "network is unreachable",
    "failed to lookup address",
    "unable to resolve",
    "getaddrinfo",
    "dns error",
    // R and Python, for which a denied socket is a failed connection.
    "cannot open url 'http",
    "cannot open the connection to 'http",
    "urlopen error",
];

/// How they report a file that they may not open or change.
const FILES: [&str; 4] =
    ["permission denied", "read-only file system", "operation not permitted", MISSING];
/// A file in a folder that the sandbox hides, such as `/tmp`, does not exist for the program.
const MISSING: &str = "no such file";

/// The part of the sandbox that is the likely cause of an error on standard error, and how to change
/// it.
pub(crate) fn explain_denial(tool: &Tool, command: &Command, stderr: &str) -> Option<String> {
    if command.sandbox.level == SandboxLevel::None {
        return None;
    }
    let mut lines = stderr.lines().rev().take(100);
    lines.find_map(|line| explain_line(tool, command, line))
}

/// Adds the likely cause to the outcome of a function that failed, if that is the sandbox. `command` is
/// the worker that ran it.
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
    if NETWORK.iter().any(|phrase| lower.contains(phrase)) {
        return explain_network(tool, &command.sandbox.network);
    }
    let (phrase, at) = FILES.into_iter().find_map(|phrase| Some((phrase, lower.find(phrase)?)))?;
    // Lower case may have another length in bytes; then the line is taken as a whole.
    let before = line.get(..at).unwrap_or(line);
    let path = normalize(&Path::new(&command.cwd).join(find_path(before)?));
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
    Some(if tool.annotations.is_read_only() && is_r(tool) {
        format!(
            "its sandbox may not write {shown}, because the tool is declared to change nothing (the keyword \
             `mcp-read-only`)"
        )
    } else if tool.annotations.is_read_only() {
        format!(
            "its sandbox may not write {shown}, because the tool is declared `\"mutates\": false`"
        )
    } else {
        format!(
            "its sandbox may not write {shown}; add the folder to `[crib] roots` or `[confine] write`"
        )
    })
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

/// The path in a message such as `touch: cannot touch 'a b': ` or `cat: /data/x: `.
fn find_path(before: &str) -> Option<PathBuf> {
    let quotes = [('\'', '\''), ('‘', '’'), ('"', '"'), ('`', '`')];
    let quoted = quotes.into_iter().find_map(|(open, close)| {
        let end = before.rfind(close)?;
        let start = before[..end].rfind(open)? + open.len_utf8();
        before.get(start..end)
    });
    let last = || before.trim_end().trim_end_matches(':').rsplit(": ").next();
    quoted.or_else(last).map(str::trim).filter(|path| !path.is_empty()).map(PathBuf::from)
}
