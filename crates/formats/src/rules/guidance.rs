//! Problems of guidance files and of what refers to them.

use catalog::{Rule, Severity};

pub(crate) static UNKNOWN_GUIDANCE: Rule = Rule {
    code: "TC080",
    name: "unknown-guidance",
    severity: Severity::Warning,
    why: "`guidance_key` names a text of `tool_guidance.json`, and there is none of this name: the tool is served without it. \
          Said once for each name in a file.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "guidance_key": "asink_behavior",
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BAD_GUIDANCE: Rule = Rule {
    code: "TC081",
    name: "bad-guidance",
    severity: Severity::Error,
    why: "`guidance_blocks` is an object of texts, `templates` an object of texts and groups of texts, and any other block an \
          object with a text under `guidance`. What is something else cannot stand before a description.",
    bad: r#"{"guidance_blocks": {"async_behavior": 3}}"#,
    good: r#"{"guidance_blocks": {"async_behavior": "The result follows."}}"#,
};

pub(crate) static NO_GUIDANCE: Rule = Rule {
    code: "TC082",
    name: "no-guidance",
    severity: Severity::Note,
    why: "The file has none of the texts that a `guidance_key` can name: no `guidance_blocks`, no `templates`, and no block \
          with `guidance`.",
    bad: r#"{"general_guidance": {"default": "Look around."}}"#,
    good: r#"{"guidance_blocks": {"default": "Look around."}}"#,
};
