//! `@keywords`: whether a function is a tool, and what is marked about it.

use catalog::{Severity, closest};

use super::{block::Block, remarks::Remarks};
use crate::rules::{SEVERAL_CATEGORIES, UNKNOWN_KEYWORD};

/// What all `@keywords` of a block say together.
#[derive(Debug, Default)]
pub(crate) struct Keywords {
    pub(crate) category: Option<String>,
    pub(crate) is_dangerous: bool,
    pub(crate) requires_approval: bool,
    pub(crate) is_read_only: bool,
    pub(crate) needs_network: bool,
}

const TAG: &str = "keywords";
const TOOL: &str = "mcp-tool";
const FLAGS: [&str; 5] =
    [TOOL, "mcp-dangerous", "mcp-requires-approval", "mcp-read-only", "mcp-network"];
/// Flags that must not be lost.
const SAFETY: [&str; 2] = [FLAGS[1], FLAGS[2]];

/// Whether a block annotations a tool, by exactly this word.
pub(crate) fn marks_tool(block: &Block<'_>) -> bool {
    block.all(TAG).flat_map(|tag| tag.words()).any(|word| word == TOOL)
}

/// Whether a text may have a keyword of a tool, or one that is meant to be.
pub(crate) fn are_in(text: &str) -> bool {
    let says_mcp =
        |line: &str| line.as_bytes().windows(3).any(|part| part.eq_ignore_ascii_case(b"mcp"));
    text.lines().any(|line| line.trim_start().starts_with('#') && says_mcp(line))
}

/// Whether a tag is that of keywords, or is meant to be.
pub(crate) fn is_nearly_tag(name: &str) -> bool {
    closest(name, [TAG]).is_some()
}

/// Reads all `@keywords` of a block.
pub(crate) fn read(block: &Block<'_>, remarks: &mut Remarks) -> Keywords {
    let mut found = Keywords::default();
    let is_tool = marks_tool(block);
    for tag in block.tags.iter().filter(|tag| is_nearly_tag(tag.name)) {
        for word in tag.words() {
            if tag.name != TAG {
                misplaced(tag.name, word, tag.at, is_tool, remarks);
            } else if word.starts_with("mcp-") {
                found.add(word, tag.at, remarks);
            } else if let Some(meant) = Meant::by(word, is_tool) {
                meant.say(format!("the keyword `{word}` is unknown"), tag.at, remarks);
            }
        }
    }
    found
}

impl Keywords {
    fn add(&mut self, word: &str, at: usize, remarks: &mut Remarks) {
        match word {
            TOOL => {}
            "mcp-dangerous" => self.is_dangerous = true,
            "mcp-requires-approval" => self.requires_approval = true,
            "mcp-read-only" => self.is_read_only = true,
            "mcp-network" => self.needs_network = true,
            _ => match word.strip_prefix("mcp-category-").filter(|category| !category.is_empty()) {
                Some(category) => {
                    if let Some(earlier) = self
                        .category
                        .replace(category.to_owned())
                        .filter(|earlier| earlier != category)
                    {
                        let message = format!(
                            "there are several categories; `{category}` counts, `{earlier}` does not"
                        );
                        remarks.say(&SEVERAL_CATEGORIES, at, message, "keep one of them");
                    }
                }
                None if word.starts_with("mcp-output-") => {
                    let message = format!("`{word}` has no effect here");
                    remarks.say_as(Severity::Note, &UNKNOWN_KEYWORD, at, message, "it may stay");
                }
                None => {
                    let meant = Meant { flag: closest(word, FLAGS) };
                    meant.say(format!("the keyword `{word}` is unknown"), at, remarks);
                }
            },
        }
    }
}

/// A keyword behind a tag that is nearly `@keywords`.
fn misplaced(tag: &str, word: &str, at: usize, is_tool: bool, remarks: &mut Remarks) {
    if let Some(Meant { flag }) = Meant::by(word, is_tool) {
        let message = format!("`@{tag}` is no tag, so that `{word}` behind it means nothing");
        let hint = format!("write `@{TAG} {}`", flag.unwrap_or(word));
        remarks.say_as(Meant { flag }.severity(), &UNKNOWN_KEYWORD, at, message, hint);
    }
}

/// What somebody meant by a word that is no keyword: one of the flags, or none that is known.
struct Meant {
    flag: Option<&'static str>,
}

impl Meant {
    /// What a word was meant to be that does not begin as keywords of tools do; nothing if it is an ordinary word.
    /// Beside the mark of a tool, safety flags are known without their beginning, too.
    fn by(word: &str, is_tool: bool) -> Option<Self> {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let behind =
            word.get(..3).filter(|start| start.eq_ignore_ascii_case("mcp")).map(|_| &word[3..]);
        let flag = match behind {
            Some(_) => closest(word, FLAGS),
            None if is_tool => SAFETY
                .into_iter()
                .find(|flag| closest(word, [*flag, flag.trim_start_matches("mcp-")]).is_some()),
            None => None,
        };
        let is_set_off =
            behind.is_some_and(|behind| behind.starts_with(|c: char| !c.is_alphanumeric()));
        (flag.is_some() || is_set_off).then_some(Self { flag })
    }

    /// A word that is nearly a safety flag must not be passed over.
    fn severity(&self) -> Severity {
        if self.flag.is_some_and(|flag| SAFETY.contains(&flag)) {
            Severity::Error
        } else {
            Severity::Warning
        }
    }

    fn say(&self, message: String, at: usize, remarks: &mut Remarks) {
        let hint = self.flag.map_or_else(
            || format!("known are {} and mcp-category-NAME", FLAGS.join(", ")),
            |flag| format!("did you mean `{flag}`?"),
        );
        remarks.say_as(self.severity(), &UNKNOWN_KEYWORD, at, message, hint);
    }
}
