//! What came of running an example, and what is remembered of that.

use catalog::Outcome;
use regex::Regex;
use serde_json::{Value, json};

/// What came of running an example.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Run {
    /// It ran to its end.
    Printed { output: String, seconds: f64 },
    /// Its condition does not hold.
    Skipped,
    /// R says that it cannot be run.
    Failed(String),
    /// It was ended, which may be different another time.
    Ended(String),
}

impl Run {
    /// What an outcome of the driver tells.
    pub(super) fn of(outcome: &Outcome) -> Self {
        let field = |name: &str| {
            outcome.structured.as_ref().and_then(|fields| fields[name].as_str()).unwrap_or_default()
        };
        let told = |name: &'static str| {
            let facts = field("stderr").lines().filter_map(|line| line.strip_prefix("toolcrib-"));
            facts.filter_map(move |line| line.strip_prefix(name).map(str::trim))
        };
        if outcome.failed {
            if let Some(why) = told("error ").next_back() {
                return Self::Failed(why.to_owned());
            }
            let last = field("stderr")
                .trim_end()
                .lines()
                .last()
                .filter(|line| !line.starts_with("toolcrib-"));
            return Self::Ended(last.unwrap_or_else(|| field("error_message")).to_owned());
        }
        if told("skipped ").next().is_some() {
            return Self::Skipped;
        }
        let seconds = told("seconds ")
            .next_back()
            .and_then(|seconds| seconds.parse().ok())
            .unwrap_or_default();
        let paths: Vec<_> = told("path ").filter_map(|line| line.split_once(' ')).collect();
        let process = told("process ").next().unwrap_or_default();
        let (output, aside) = (field("stdout"), aside(field("stderr")));
        let is_cut_off = !output.is_empty() && !output.ends_with('\n') && !aside.is_empty();
        let output = [output, if is_cut_off { "\n" } else { "" }, aside].concat();
        Self::Printed { output: scrubbed(&output, &paths, process), seconds }
    }

    /// What to remember of it. That something cannot be run holds while the installed packages are the same.
    pub(super) fn kept(&self, libraries: impl FnOnce() -> String) -> Option<String> {
        let kept = match self {
            Self::Printed { output, seconds } => json!({"output": output, "seconds": seconds}),
            Self::Skipped => json!({"skipped": true, "libraries": libraries()}),
            Self::Failed(why) => json!({"error": why, "libraries": libraries()}),
            Self::Ended(_) => return None,
        };
        Some(kept.to_string())
    }

    /// What was remembered, if it still holds.
    pub(super) fn remembered(bytes: &[u8], libraries: impl FnOnce() -> String) -> Option<Self> {
        let kept: Value = serde_json::from_slice(bytes).ok()?;
        if let (Some(output), Some(seconds)) = (kept["output"].as_str(), kept["seconds"].as_f64()) {
            return Some(Self::Printed { output: output.to_owned(), seconds });
        }
        if kept["libraries"] != libraries().as_str() {
            return None;
        }
        match kept["error"].as_str() {
            Some(why) => Some(Self::Failed(why.to_owned())),
            None => Some(Self::Skipped),
        }
    }
}

/// What programs that an example started said to standard error: all that came while it ran.
fn aside(stderr: &str) -> &str {
    let ran = stderr.split_once("\ntoolcrib-began\n").map_or("", |(_, ran)| ran);
    ran.rsplit_once("\ntoolcrib-seconds ").map_or(ran, |(ran, _)| ran)
}

/// Output without what is different on every machine or in every run: folders, names of temporary files, which have the
/// number of the process in them, addresses, and where the rest of long output was.
fn scrubbed(output: &str, paths: &[(&str, &str)], process: &str) -> String {
    let mut paths: Vec<_> = paths.iter().filter(|(_, path)| path.len() > 1).collect();
    paths.sort_by_key(|(_, path)| std::cmp::Reverse(path.len()));
    let text =
        paths.iter().fold(output.to_owned(), |text, (name, path)| renamed(&text, path, name));
    let text = replaced(&text, r"\b0x[0-9a-f]{6,}\b", "0x...");
    let text = replaced(&text, &format!(r"(<tmp>/[^\s/\x22']*?){process}[0-9a-f]{{5,8}}\b"), "$1");
    let text = match process {
        "" => text,
        _ => replaced(&text, &format!(r"\bfile{process}[0-9a-f]{{5,8}}\b"), "file"),
    };
    let text = replaced(
        &text,
        r"\[… \d+ of \d+ bytes left out; [^\n]*? …\]",
        "[… the middle is left out …]",
    );
    replaced(&text, r"/(home|Users|root)/[^\s/\x22':]+", "~")
}

/// The text with a folder under another name, except where its path is a part of a longer name.
fn renamed(text: &str, path: &str, name: &str) -> String {
    let is_of_name =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let (mut renamed, mut done) = (String::new(), 0);
    for (at, _) in text.match_indices(path) {
        let end = at + path.len();
        if !is_of_name(text[..at].chars().next_back()) && !is_of_name(text[end..].chars().next()) {
            renamed.extend([&text[done..at], name]);
            done = end;
        }
    }
    renamed + &text[done..]
}

/// Output may be long, hence patterns of the kind that is matched in linear time and cannot fail.
fn replaced(text: &str, pattern: &str, by: &str) -> String {
    Regex::new(pattern).expect("a pattern that is written here").replace_all(text, by).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Run, scrubbed};

    #[test]
    fn what_differs_between_machines_goes() {
        let paths = [
            ("<tmp>", "/tmp/toolcrib-1/Rtmpx"),
            ("<package>", "/srv/pkg"),
            ("<package>/..", "/srv"),
        ];
        let output = "/tmp/toolcrib-1/Rtmpx/file1a2b3c4d5e6f /srv/pkg/R <environment: 0x55d0c8a0> /home/me/x and 0x1";
        assert_eq!(
            scrubbed(output, &paths, "1a2b"),
            "<tmp>/file <package>/R <environment: 0x...> ~/x and 0x1"
        );
        let output = "/tmp/toolcrib-1/Rtmpx/a-1a2b3c4d5e.csv /srv/pkg2 (/srv) /srv/x /srvices /x/srv 1a2b3c4d5e";
        let expected = "<tmp>/a-.csv <package>/../pkg2 (<package>/..) <package>/../x /srvices /x/srv 1a2b3c4d5e";
        assert_eq!(scrubbed(output, &paths, "1a2b"), expected);
        let output = "file1a2b3c4d5e6f.csv [… 9 of 12 bytes left out; the whole is the resource toolcrib://output/3f/stderr …] file1a2b";
        assert_eq!(
            scrubbed(output, &paths, "1a2b"),
            "file.csv [… the middle is left out …] file1a2b"
        );
    }

    #[test]
    fn long_output_is_scrubbed_too() {
        for output in ["x".repeat(1 << 20), "line 1 \n".repeat(150_000)] {
            assert_eq!(
                scrubbed(&format!("{output} /srv/pkg"), &[("<package>", "/srv/pkg")], "1a2b"),
                format!("{output} <package>")
            );
        }
    }

    #[test]
    fn failures_are_remembered_while_the_packages_are_the_same() {
        let remembered = |run: &Run, later: &str| {
            let kept = run.kept(|| "then".to_owned());
            kept.and_then(|kept| Run::remembered(kept.as_bytes(), || later.to_owned()))
        };
        let printed = Run::Printed { output: "1".to_owned(), seconds: 0.5 };
        for (run, is_kept) in
            [(printed.clone(), true), (Run::Skipped, true), (Run::Failed("no".to_owned()), true)]
        {
            assert_eq!(remembered(&run, "then"), is_kept.then(|| run.clone()));
        }
        assert_eq!(remembered(&printed, "now"), Some(printed));
        assert_eq!(remembered(&Run::Failed("no".to_owned()), "now"), None);
        assert_eq!(remembered(&Run::Ended("too slow".to_owned()), "then"), None);
    }
}
