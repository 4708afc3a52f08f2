//! The result of running an example, and its form in the cache.

use catalog::Outcome;
use regex::Regex;
use serde_json::{Value, json};

/// The result of running an example.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExampleResult {
    /// It ran to its end.
    Finished { output: String, seconds: f64 },
    /// The condition of `@examplesIf` does not hold.
    Skipped,
    /// R raised an error. `missing` are packages that are not installed.
    Failed { error: String, missing: Vec<String> },
    /// The process did not finish: it timed out or crashed. Another attempt may succeed.
    Aborted(String),
}

impl ExampleResult {
    /// Reads the outcome of the driver, whose stderr has lines `toolcrib-FACT VALUE`.
    pub(super) fn from_outcome(outcome: &Outcome) -> Self {
        let field = |name: &str| {
            outcome.structured.as_ref().and_then(|fields| fields[name].as_str()).unwrap_or_default()
        };
        let facts = |name: &'static str| {
            let lines = field("stderr").lines().filter_map(|line| line.strip_prefix("toolcrib-"));
            lines.filter_map(move |line| line.strip_prefix(name).map(str::trim))
        };
        if outcome.failed {
            // The last one: an example may catch errors before it fails.
            if let Some(error) = facts("error ").next_back() {
                let missing = facts("missing ").flat_map(str::split_whitespace).map(str::to_owned);
                return Self::Failed { error: error.to_owned(), missing: missing.collect() };
            }
            let last_line = field("stderr").trim_end().lines().last();
            let reason = last_line.filter(|line| !line.starts_with("toolcrib-"));
            return Self::Aborted(reason.unwrap_or_else(|| field("error_message")).to_owned());
        }
        if facts("skipped ").next().is_some() {
            return Self::Skipped;
        }
        let seconds = facts("seconds ").next_back().and_then(|seconds| seconds.parse().ok());
        let paths: Vec<_> = facts("path ").filter_map(|line| line.split_once(' ')).collect();
        let process = facts("process ").next().unwrap_or_default();
        let (stdout, stderr) = (field("stdout"), child_stderr(field("stderr")));
        // Otherwise the first line of stderr would continue the last line of stdout.
        let is_open = !stdout.is_empty() && !stdout.ends_with('\n') && !stderr.is_empty();
        let output = [stdout, if is_open { "\n" } else { "" }, stderr].concat();
        let output = scrub(&output, &paths, process);
        Self::Finished { output, seconds: seconds.unwrap_or_default() }
    }

    /// The cache entry, or `None` if the result may differ next time. A failure is valid only while
    /// the installed packages, of which `libraries` returns a fingerprint, stay the same.
    pub(super) fn to_cache(&self, libraries: impl FnOnce() -> String) -> Option<String> {
        let entry = match self {
            Self::Finished { output, seconds } => json!({"output": output, "seconds": seconds}),
            Self::Skipped => json!({"skipped": true, "libraries": libraries()}),
            Self::Failed { error, missing } => {
                json!({"error": error, "missing": missing, "libraries": libraries()})
            }
            Self::Aborted(_) => return None,
        };
        Some(entry.to_string())
    }

    /// Reads a cache entry, if it is still valid.
    pub(super) fn from_cache(bytes: &[u8], libraries: impl FnOnce() -> String) -> Option<Self> {
        let entry: Value = serde_json::from_slice(bytes).ok()?;
        if let (Some(output), Some(seconds)) = (entry["output"].as_str(), entry["seconds"].as_f64())
        {
            return Some(Self::Finished { output: output.to_owned(), seconds });
        }
        // Computed only now, because the fingerprint reads every library folder and a success does
        // not need it.
        if entry["libraries"] != libraries().as_str() {
            return None;
        }
        let Some(error) = entry["error"].as_str() else {
            return Some(Self::Skipped);
        };
        let missing = entry["missing"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let missing = missing.map(str::to_owned).collect();
        Some(Self::Failed { error: error.to_owned(), missing })
    }
}

/// The stderr of programs that the example started: everything between the facts around it. R's own
/// messages and warnings are part of stdout.
fn child_stderr(stderr: &str) -> &str {
    let during = stderr.split_once("\ntoolcrib-began\n").map_or("", |(_, during)| during);
    during.rsplit_once("\ntoolcrib-seconds ").map_or(during, |(during, _)| during)
}

/// Removes everything that differs between machines or runs: folders, names of temporary files
/// (which contain the process id), memory addresses, and the resource with the rest of long output.
fn scrub(output: &str, paths: &[(&str, &str)], process: &str) -> String {
    let mut paths: Vec<_> = paths.iter().filter(|(_, path)| path.len() > 1).collect();
    // Longer paths first, because a folder contains its subfolders' names.
    paths.sort_by_key(|(_, path)| std::cmp::Reverse(path.len()));
    let text =
        paths.iter().fold(output.to_owned(), |text, (name, path)| replace_path(&text, path, name));
    // Addresses of environments and external pointers, which R prints.
    let text = replace_all(&text, r"\b0x[0-9a-f]{6,}\b", "0x...");
    let text =
        replace_all(&text, &format!(r"(<tmp>/[^\s/\x22']*?){process}[0-9a-f]{{5,8}}\b"), "$1");
    let text = if process.is_empty() {
        text
    } else {
        replace_all(&text, &format!(r"\bfile{process}[0-9a-f]{{5,8}}\b"), "file")
    };
    let text = replace_all(
        &text,
        r"\[… \d+ of \d+ bytes left out; [^\n]*? …\]",
        "[… the middle is left out …]",
    );
    replace_all(&text, r"/(home|Users|root)/[^\s/\x22':]+", "~")
}

/// Replaces a path by a name, except where it is part of a longer name.
fn replace_path(text: &str, path: &str, name: &str) -> String {
    let is_name_part =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let (mut out, mut from) = (String::new(), 0);
    for (at, _) in text.match_indices(path) {
        let end = at + path.len();
        let (before, after) = (text[..at].chars().next_back(), text[end..].chars().next());
        if !is_name_part(before) && !is_name_part(after) {
            out.extend([&text[from..at], name]);
            from = end;
        }
    }
    out + &text[from..]
}

/// Uses `regex`, not `fancy_regex`: output may be long, and these patterns match in linear time.
fn replace_all(text: &str, pattern: &str, by: &str) -> String {
    Regex::new(pattern).expect("the patterns above are valid").replace_all(text, by).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{ExampleResult, scrub};

    #[test]
    fn scrubs_machine_specific_text() {
        let paths = [
            ("<tmp>", "/tmp/toolcrib-1/Rtmpx"),
            ("<package>", "/srv/pkg"),
            ("<package>/..", "/srv"),
        ];
        for (output, expected) in [
            (
                "/tmp/toolcrib-1/Rtmpx/file1a2b3c4d5e6f /srv/pkg/R <environment: 0x55d0c8a0> /home/me/x and 0x1",
                "<tmp>/file <package>/R <environment: 0x...> ~/x and 0x1",
            ),
            (
                "/tmp/toolcrib-1/Rtmpx/a-1a2b3c4d5e.csv /srv/pkg2 (/srv) /srv/x /srvices /x/srv 1a2b3c4d5e",
                "<tmp>/a-.csv <package>/../pkg2 (<package>/..) <package>/../x /srvices /x/srv 1a2b3c4d5e",
            ),
            (
                "file1a2b3c4d5e6f.csv [… 9 of 12 bytes left out; the full output is the resource toolcrib://output/3f/stderr …] file1a2b",
                "file.csv [… the middle is left out …] file1a2b",
            ),
        ] {
            assert_eq!(scrub(output, &paths, "1a2b"), expected);
        }
    }

    #[test]
    fn scrubs_long_output() {
        for output in ["x".repeat(1 << 20), "line 1 \n".repeat(150_000)] {
            assert_eq!(
                scrub(&format!("{output} /srv/pkg"), &[("<package>", "/srv/pkg")], "1a2b"),
                format!("{output} <package>")
            );
        }
    }

    #[test]
    fn failures_are_cached_while_the_packages_are_the_same() {
        let cached = |result: &ExampleResult, later: &str| {
            let entry = result.to_cache(|| "then".to_owned())?;
            ExampleResult::from_cache(entry.as_bytes(), || later.to_owned())
        };
        let finished = ExampleResult::Finished { output: "1".to_owned(), seconds: 0.5 };
        let failed =
            ExampleResult::Failed { error: "no".to_owned(), missing: vec!["S7".to_owned()] };
        for result in [&finished, &ExampleResult::Skipped, &failed] {
            assert_eq!(cached(result, "then").as_ref(), Some(result));
        }
        assert_eq!(cached(&finished, "now"), Some(finished));
        assert_eq!(cached(&failed, "now"), None);
        assert_eq!(cached(&ExampleResult::Aborted("too slow".to_owned()), "then"), None);
    }
}
