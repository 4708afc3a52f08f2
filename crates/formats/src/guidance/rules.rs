//! Problems of guidance files.

use catalog::{Rule, Severity};

pub(super) static RULES: &[&Rule] = &[&BAD_GUIDANCE, &NO_GUIDANCE];

pub(crate) static BAD_GUIDANCE: Rule = Rule {
    code: "TC081",
    name: "bad-guidance",
    severity: Severity::Error,
    why: "`guidance_blocks` is an object of strings, `templates` an object of strings and groups of strings, and any other \
          block an object with a string `guidance`. Any other value cannot precede a description.",
    bad: r#"{"guidance_blocks": {"async_behavior": 3}}"#,
    good: r#"{"guidance_blocks": {"async_behavior": "The result follows."}}"#,
};

pub(crate) static NO_GUIDANCE: Rule = Rule {
    code: "TC082",
    name: "no-guidance",
    severity: Severity::Note,
    why: "The file has no text that a `guidance_key` can refer to: no `guidance_blocks`, no `templates`, and no block with \
          `guidance`.",
    bad: r#"{"general_guidance": {"default": "Look around."}}"#,
    good: r#"{"guidance_blocks": {"default": "Look around."}}"#,
};
