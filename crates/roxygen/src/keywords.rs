//! `@keywords`: whether a function is a tool, and its annotations.
//!
//! A keyword that is misspelled must never be lost silently: without `mcp-dangerous`, a tool would
//! be served without asking for approval.

use catalog::{Severity, closest, find_safety_annotation};

use super::{
    block::{Block, resembles_keywords},
    reporter::Reporter,
    source::{self, DocumentedObject},
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
    let documented = source::read(text).documented;
    let is_tool =
        |one: &&DocumentedObject<'_>| one.name() == Some(function) && marks_tool(&one.block);
    // R keeps the last definition of a name.
    let block = &documented.iter().rfind(is_tool)?.block;
    let known: Vec<_> = block.tags_named(TAG).flat_map(|tag| tag.words()).collect();
    let is_dropped = |word: &str| word == "mcp-read-only" && keywords.contains(&"mcp-writes");
    let mut missing: Vec<_> = keywords.iter().filter(|word| !known.contains(word)).collect();
    let (mut changed, mut at, mut is_keywords) = (String::new(), 0, false);
    for line in &block.lines {
        if let Some(tag) = line.text.strip_prefix('@') {
            is_keywords = tag.split_whitespace().next() == Some(TAG);
        }
        let raw = &text[line.start..line.end];
        if !is_keywords {
            continue;
        }
        let kept = raw
            .split_inclusive(char::is_whitespace)
            .filter(|word| !is_dropped(word.trim_end_matches([' ', '\t', ','])));
        let mut kept = kept.collect::<String>().trim_end().to_owned();
        if raw.split([' ', '\t', ',']).any(|word| word == TOOL) {
            missing.drain(..).for_each(|keyword| kept.extend([" ", keyword]));
        }
        changed.push_str(&text[at..line.start]);
        at = line.end;
        if kept != raw && matches!(kept.trim_start_matches('#').trim(), "'" | "' @keywords") {
            // Nothing is left of the line.
            at += text[at..].find('\n').map_or(0, |end| end + 1);
        } else {
            changed.push_str(&kept);
        }
    }
    Some(changed + &text[at..])
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

    #[test]
    fn keywords_are_added_to_the_comment_of_the_function() {
        let sources = [
            "#' Add\n#' @keywords mcp-tool mcp-read-only\nadd2 <- function() 1\n\n#' Add\n#' @keywords mcp-tool mcp-read-only\n#' @export\nadd = function() 1\n",
            "f <- function() { add = 1 }\n#' Add\n#' @keywords mcp-read-only\n#' @keywords\tmcp-tool\n#'   mcp-read-only\n\n# why\n\"add\" <- function() 1\n",
            "#' Add\r\n#' @keywords mcp-tool mcp-network\r\nadd <- function() 1\r\n",
            "#' Add\n#' mcp-tool\nadd <- function() 1\n",
        ];
        let changed: Vec<_> = sources
            .iter()
            .map(|source| add_keywords(source, "add", &["mcp-writes", "mcp-network"]))
            .collect();
        insta::assert_debug_snapshot!(changed);
        for source in changed.into_iter().flatten() {
            assert_eq!(add_keywords(&source, "add", &["mcp-writes"]), Some(source));
        }
    }
}
