//! `@keywords`: whether a function is a tool, and its annotations.
//!
//! A keyword that is misspelled must never be lost silently: without `mcp-dangerous`, a tool would
//! be served without asking for approval.

use catalog::{Severity, closest, find_safety_annotation};

use super::{
    block::{Block, resembles_keywords},
    reporter::Reporter,
};
use crate::rules::{SEVERAL_CATEGORIES, UNKNOWN_KEYWORD};

/// The annotations that all `@keywords` of a block make together.
#[derive(Debug, Default)]
pub(crate) struct Keywords {
    pub(crate) category: Option<String>,
    pub(crate) is_dangerous: bool,
    pub(crate) requires_approval: bool,
    pub(crate) is_read_only: bool,
    pub(crate) writes: bool,
    pub(crate) needs_network: bool,
}

const TAG: &str = "keywords";
const TOOL: &str = "mcp-tool";
const FLAGS: [&str; 6] =
    [TOOL, "mcp-dangerous", "mcp-requires-approval", "mcp-read-only", "mcp-writes", "mcp-network"];
/// The flags for safety annotations, by annotation.
const SAFETY: [(&str, &str); 5] = [
    ("dangerous", FLAGS[1]),
    ("requires_approval", FLAGS[2]),
    ("mutates", FLAGS[3]),
    ("mutates", FLAGS[4]),
    ("network", FLAGS[5]),
];
/// Flags that make a tool stricter.
const STRICTER: [&str; 2] = [FLAGS[1], FLAGS[2]];

/// Tags that override what is inferred about a parameter.
const OVERRIDES: [&str; 3] = ["mcp-type", "mcp-required", "mcp-optional"];

/// Whether a block marks a tool. Only the exact word counts; `mcp-toolbox` does not.
pub(crate) fn marks_tool(block: &Block<'_>) -> bool {
    block.tags_named(TAG).flat_map(|tag| tag.words()).any(|word| word == TOOL)
}

/// Whether a comment in the text may have a keyword for tools, possibly misspelled. Files without
/// one are not parsed.
pub(crate) fn may_have_keywords(text: &str) -> bool {
    let has_mcp =
        |line: &str| line.as_bytes().windows(3).any(|part| part.eq_ignore_ascii_case(b"mcp"));
    text.lines().any(|line| line.trim_start().starts_with('#') && has_mcp(line))
}

/// Reads all `@keywords` of a block and reports unknown ones.
pub(crate) fn read_keywords(block: &Block<'_>, reporter: &mut Reporter) -> Keywords {
    let mut keywords = Keywords::default();
    let is_tool = marks_tool(block);
    for tag in block.tags.iter().filter(|tag| tag.name.starts_with("mcp-")) {
        if !OVERRIDES.contains(&tag.name) {
            report_tag(tag.name, tag.offset, reporter);
        }
    }
    for tag in block.tags.iter().filter(|tag| resembles_keywords(tag.name)) {
        for word in tag.words() {
            // A misspelled tag has no effect, so its words must not be applied, only reported.
            if tag.name != TAG {
                report_misspelled_tag(tag.name, word, tag.offset, is_tool, reporter);
            } else if word.starts_with("mcp-") {
                keywords.add(word, tag.offset, reporter);
            } else if let Some(misspelling) = Misspelling::detect(word, is_tool) {
                misspelling.report(word, tag.offset, reporter);
            }
        }
    }
    keywords
}

/// The text with more keywords in the comment of a function that is a tool; `None` if there is no such
/// comment. `mcp-writes` replaces `mcp-read-only`.
pub fn add_keywords(text: &str, function: &str, keywords: &[&str]) -> Option<String> {
    let is_definition = |line: &&str| {
        let rest = line.trim_start().trim_start_matches('`').strip_prefix(function);
        let rest = rest.map(|rest| rest.trim_start_matches('`').trim_start());
        rest.is_some_and(|rest| rest.starts_with("<-") || rest.starts_with('='))
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = lines.iter().position(is_definition)?;
    let comment = lines[..end].iter().rposition(|line| !line.trim_start().starts_with("#'"));
    let start = comment.map_or(0, |before| before + 1);
    let words = |line: &str| -> Vec<String> {
        let tag = line.trim_start().trim_start_matches("#'").trim().strip_prefix("@keywords ");
        tag.map(|tag| tag.split_whitespace().map(str::to_owned).collect()).unwrap_or_default()
    };
    let marks = |line: &&str| words(line).iter().any(|word| word == TOOL);
    let index = start + lines[start..end].iter().position(marks)?;
    let mut line = lines[index].trim_end().to_owned();
    let line_end = &lines[index][line.len()..];
    if keywords.contains(&"mcp-writes") {
        line = line.replace(" mcp-read-only", "");
    }
    for keyword in keywords {
        if !words(&line).iter().any(|word| word == keyword) {
            line.extend([" ", keyword]);
        }
    }
    let changed = format!("{line}{line_end}");
    let all = lines[..index]
        .iter()
        .copied()
        .chain([changed.as_str()])
        .chain(lines[index + 1..].iter().copied());
    Some(all.collect())
}

impl Keywords {
    fn add(&mut self, word: &str, offset: usize, reporter: &mut Reporter) {
        match word {
            TOOL => {}
            "mcp-dangerous" => self.is_dangerous = true,
            "mcp-requires-approval" => self.requires_approval = true,
            "mcp-read-only" | "mcp-writes" => {
                self.is_read_only |= word == "mcp-read-only";
                self.writes |= word == "mcp-writes";
                if self.is_read_only && self.writes {
                    let message = "`mcp-read-only` and `mcp-writes` contradict each other; `mcp-writes` is used";
                    reporter.report(&UNKNOWN_KEYWORD, offset, message, "remove one of them");
                }
            }
            "mcp-network" => self.needs_network = true,
            _ => match word.strip_prefix("mcp-category-").filter(|category| !category.is_empty()) {
                Some(category) => self.set_category(category, offset, reporter),
                // Another builder of this format knows these; they have no effect here.
                None if word.starts_with("mcp-output-") => {
                    let message = format!("`{word}` has no effect here");
                    let hint = "keep it if another builder needs it";
                    reporter.report_as(Severity::Note, &UNKNOWN_KEYWORD, offset, message, hint);
                }
                // Every word with this prefix is meant for us, so an unknown one is never ignored.
                None => Misspelling { flag: find_flag(word) }.report(word, offset, reporter),
            },
        }
    }

    fn set_category(&mut self, category: &str, offset: usize, reporter: &mut Reporter) {
        let earlier = self.category.replace(category.to_owned());
        if let Some(earlier) = earlier.filter(|earlier| earlier != category) {
            let message =
                format!("a tool has one category; `{category}` is used, `{earlier}` is ignored");
            reporter.report(&SEVERAL_CATEGORIES, offset, message, "remove one of them");
        }
    }
}

/// Reports a tag such as `@mcp-dangerous`, which should be a keyword, or a misspelled override.
fn report_tag(tag: &str, offset: usize, reporter: &mut Reporter) {
    let misspelling = Misspelling { flag: find_flag(tag) };
    let hint = match (closest(tag, OVERRIDES), misspelling.flag) {
        (Some(known), None) => format!("did you mean `@{known}`?"),
        (_, Some(flag)) => format!("write `@{TAG} {flag}`"),
        (None, None) => {
            format!("keywords follow `@{TAG}`; the tags are `@{}`", OVERRIDES.join("`, `@"))
        }
    };
    let message = format!("`@{tag}` is not a tag, so it has no effect");
    reporter.report_as(misspelling.severity(), &UNKNOWN_KEYWORD, offset, message, hint);
}

/// Reports a keyword after a misspelled `@keywords`.
fn report_misspelled_tag(
    tag: &str,
    word: &str,
    offset: usize,
    is_tool: bool,
    reporter: &mut Reporter,
) {
    if let Some(misspelling) = Misspelling::detect(word, is_tool) {
        let message = format!("`@{tag}` is not a tag of roxygen2, so `{word}` has no effect");
        let hint = format!("write `@{TAG} {}`", misspelling.flag.unwrap_or(word));
        reporter.report_as(misspelling.severity(), &UNKNOWN_KEYWORD, offset, message, hint);
    }
}

/// The flag that an unknown keyword probably stands for: one with a similar name, or that of a
/// similar safety annotation, as for `mcp-aproval`.
fn find_flag(word: &str) -> Option<&'static str> {
    closest(word, FLAGS).or_else(|| {
        let bare = word.get(3..)?.trim_start_matches(|c: char| !c.is_alphanumeric());
        let annotation = find_safety_annotation(bare)?;
        SAFETY.into_iter().find(|(name, _)| *name == annotation).map(|(_, flag)| flag)
    })
}

/// An unknown keyword and the flag that it resembles.
struct Misspelling {
    flag: Option<&'static str>,
}

impl Misspelling {
    /// Detects a misspelled keyword that does not begin with `mcp-`. Ordinary keywords such as
    /// `internal` do not count. Next to `mcp-tool`, a safety flag without the prefix does.
    fn detect(word: &str, is_tool: bool) -> Option<Self> {
        // Authors quote keywords or end them with punctuation.
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let after_prefix =
            word.get(..3).filter(|start| start.eq_ignore_ascii_case("mcp")).map(|_| &word[3..]);
        let flag = match after_prefix {
            Some(_) => find_flag(word),
            None if is_tool => STRICTER
                .into_iter()
                .find(|flag| closest(word, [*flag, flag.trim_start_matches("mcp-")]).is_some()),
            None => None,
        };
        // `mcp_something` is meant as a keyword, `mcpserver` is a word.
        let is_separated =
            after_prefix.is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()));
        (flag.is_some() || is_separated).then_some(Self { flag })
    }

    fn severity(&self) -> Severity {
        if self.flag.is_some_and(|flag| SAFETY.iter().any(|(_, safety)| *safety == flag)) {
            Severity::Error
        } else {
            Severity::Warning
        }
    }

    fn report(&self, word: &str, offset: usize, reporter: &mut Reporter) {
        let message = format!("unknown keyword `{word}`");
        let hint = self.flag.map_or_else(
            || format!("use {} or mcp-category-NAME", FLAGS.join(", ")),
            |flag| format!("did you mean `{flag}`?"),
        );
        reporter.report_as(self.severity(), &UNKNOWN_KEYWORD, offset, message, hint);
    }
}

#[cfg(test)]
mod tests {
    use super::add_keywords;

    const SOURCE: &str = "#' Add\n#' @keywords mcp-tool mcp-read-only\nadd2 <- function() 1\n\n#' Add\n#' @keywords mcp-tool mcp-read-only\n#' @export\nadd = function() 1\n\nhidden <- function() 2\n";

    #[test]
    fn keywords_are_added_to_the_comment_of_the_function() {
        let changed = add_keywords(SOURCE, "add", &["mcp-writes", "mcp-network"]).expect("a tool");
        let (before, after) = SOURCE.split_at(SOURCE.find("\n\n#'").expect("two functions"));
        assert_eq!(
            changed,
            format!("{before}{}", after.replace("mcp-read-only", "mcp-writes mcp-network"))
        );
        assert_eq!(add_keywords(&changed, "add", &["mcp-writes"]), Some(changed));
        assert_eq!(add_keywords(SOURCE, "hidden", &["mcp-writes"]), None);
        assert_eq!(add_keywords(SOURCE, "other", &["mcp-writes"]), None);
    }
}
