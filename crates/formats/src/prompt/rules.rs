//! Problems of prompts and workflows.

use catalog::{Rule, Severity};

/// The rules for prompts and workflows, sorted by code.
pub static PROMPT_RULES: &[&Rule] = &[
    &BROKEN_PROMPT,
    &BROKEN_TEMPLATE,
    &MISSING_SUMMARY,
    &LONG_SUMMARY,
    &UNDESCRIBED_ARGUMENT,
    &MISSPELLED_KEY,
    &DUPLICATE_PROMPT,
    &BROKEN_WORKFLOW,
    &UNKNOWN_PROMPT_TOOL,
];

pub(super) static BROKEN_PROMPT: Rule = Rule {
    code: "TC711",
    name: "broken-prompt",
    severity: Severity::Error,
    why: "The file or its front matter is invalid, so the prompt is not served. Front matter is YAML between two lines of \
          `---`, with the keys `description`, `arguments` or `args`, `usage` and `examples`.",
    bad: "---\ndescription: Review a change\narguments: path\n---\nReview it.\n",
    good: "---\ndescription: Review a change\narguments:\n  - name: path\n    description: The file to review\n---\nReview {{ path }}.\n",
};

pub(super) static BROKEN_TEMPLATE: Rule = Rule {
    code: "TC712",
    name: "broken-prompt-template",
    severity: Severity::Error,
    why: "The body of a prompt is a template: `{{ path }}` inserts a value, `{% if flags.short %}` begins a condition. A \
          prompt with an invalid template is not served. Put text with literal braces inside `{% raw %}`.",
    bad: "---\ndescription: Review a change\n---\n{% if short %}Be brief.\n",
    good: "---\ndescription: Review a change\n---\n{% if flags.short %}Be brief.{% endif %}\n",
};

pub(super) static MISSING_SUMMARY: Rule = Rule {
    code: "TC713",
    name: "missing-prompt-description",
    severity: Severity::Warning,
    why: "Users choose a prompt by its description. Without one, clients show only its name.",
    bad: "---\ntitle: Review\n---\nReview the change.\n",
    good: "---\ndescription: Review a change\n---\nReview the change.\n",
};

pub(super) static LONG_SUMMARY: Rule = Rule {
    code: "TC714",
    name: "long-prompt-summary",
    severity: Severity::Warning,
    why: "Clients list prompts by the first line of the description. Limit it to 50 characters, and put details below it.",
    bad: "---\ndescription: Review a change with an eye to names, tests and everything else that matters\n---\nReview it.\n",
    good: "---\ndescription: |\n  Review a change\n\n  With an eye to names, tests and everything else that matters.\n---\nReview it.\n",
};

pub(super) static UNDESCRIBED_ARGUMENT: Rule = Rule {
    code: "TC715",
    name: "undescribed-prompt-argument",
    severity: Severity::Warning,
    why: "Clients ask users for the arguments of a prompt one by one, and show the description of each.",
    bad: "---\ndescription: Review a change\narguments:\n  - name: path\n---\nReview {{ path }}.\n",
    good: "---\ndescription: Review a change\narguments:\n  - name: path\n    description: The file to review\n---\nReview {{ path }}.\n",
};

pub(super) static MISSPELLED_KEY: Rule = Rule {
    code: "TC716",
    name: "misspelled-prompt-key",
    severity: Severity::Warning,
    why: "The key is unknown but similar to a known one, so it is probably misspelled. It has no effect.",
    bad: "---\ndescription: Review a change\nexample: []\n---\nReview it.\n",
    good: "---\ndescription: Review a change\nexamples: []\n---\nReview it.\n",
};

/// Two prompts with the same name. Reported by the caller, which has all prompts.
pub static DUPLICATE_PROMPT: Rule = Rule {
    code: "TC717",
    name: "duplicate-prompt",
    severity: Severity::Error,
    why: "Clients select prompts by name. Of several prompts with the same name the first is served: those in `prompts/` \
          precede those in other folders, and those precede workflows.",
    bad: "",
    good: "",
};

pub(super) static BROKEN_WORKFLOW: Rule = Rule {
    code: "TC718",
    name: "broken-workflow",
    severity: Severity::Error,
    why: "A workflow is YAML with a `name` and usually `jobs`, whose `steps` refer to tools. An invalid workflow is not served \
          as a prompt.",
    bad: "description: Load a data set\n",
    good: "name: load_data\ndescription: Load a data set\n",
};

/// A reference to an unknown tool. Reported by the caller, which has all tools.
pub static UNKNOWN_PROMPT_TOOL: Rule = Rule {
    code: "TC719",
    name: "unknown-prompt-tool",
    severity: Severity::Warning,
    why: "A workflow directs a model to tools, and a prompt may call tools itself. With an unknown tool, the model fails to \
          follow the workflow and the prompt fails to render. Refer to tools without the prefix under which they are served.",
    bad: "",
    good: "",
};
