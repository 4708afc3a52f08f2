//! What can be wrong with prompts.

use catalog::{Rule, Severity};

/// Every problem that reading prompts can find, by code.
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
    why: "The file, or what stands between the lines of `---` at its top, cannot be read as a prompt. The prompt is not \
          served. Front matter is YAML: `description`, `arguments` or `args`, `usage` and `examples`.",
    bad: "---\ndescription: Review a change\narguments: path\n---\nReview it.\n",
    good: "---\ndescription: Review a change\narguments:\n  - name: path\n    description: The file to review\n---\nReview {{ path }}.\n",
};

pub(super) static BROKEN_TEMPLATE: Rule = Rule {
    code: "TC712",
    name: "broken-prompt-template",
    severity: Severity::Error,
    why: "The body of a prompt is a template: `{{ path }}` stands for a value, `{% if options.short %}` begins a condition. \
          One that cannot be parsed is not served. Write `{% raw %}` around text that has braces of its own.",
    bad: "---\ndescription: Review a change\n---\n{% if short %}Be brief.\n",
    good: "---\ndescription: Review a change\n---\n{% if flags.short %}Be brief.{% endif %}\n",
};

pub(super) static MISSING_SUMMARY: Rule = Rule {
    code: "TC713",
    name: "missing-prompt-description",
    severity: Severity::Warning,
    why: "People choose a prompt by its description. Without one they have its name only.",
    bad: "---\ntitle: Review\n---\nReview the change.\n",
    good: "---\ndescription: Review a change\n---\nReview the change.\n",
};

pub(super) static LONG_SUMMARY: Rule = Rule {
    code: "TC714",
    name: "long-prompt-summary",
    severity: Severity::Warning,
    why: "The first line of a description is what lists show. Keep it to 50 characters, and write the rest below it.",
    bad: "---\ndescription: Review a change with an eye to names, tests and everything else that matters\n---\nReview it.\n",
    good: "---\ndescription: |\n  Review a change\n\n  With an eye to names, tests and everything else that matters.\n---\nReview it.\n",
};

pub(super) static UNDESCRIBED_ARGUMENT: Rule = Rule {
    code: "TC715",
    name: "undescribed-prompt-argument",
    severity: Severity::Warning,
    why: "Clients ask people for the arguments of a prompt one by one, and show the description of each.",
    bad: "---\ndescription: Review a change\narguments:\n  - name: path\n---\nReview {{ path }}.\n",
    good: "---\ndescription: Review a change\narguments:\n  - name: path\n    description: The file to review\n---\nReview {{ path }}.\n",
};

pub(super) static MISSPELLED_KEY: Rule = Rule {
    code: "TC716",
    name: "misspelled-prompt-key",
    severity: Severity::Warning,
    why: "A key that is nearly one that means something is probably a slip, and what it says has no effect.",
    bad: "---\ndescription: Review a change\nexample: []\n---\nReview it.\n",
    good: "---\ndescription: Review a change\nexamples: []\n---\nReview it.\n",
};

/// Two prompts of one name; whoever sees all of them finds it.
pub static DUPLICATE_PROMPT: Rule = Rule {
    code: "TC717",
    name: "duplicate-prompt",
    severity: Severity::Error,
    why: "Prompts are chosen by name. Of two with the same name the first one found is served: those in `prompts/` come \
          before those of other folders, and these before workflows.",
    bad: "",
    good: "",
};

pub(super) static BROKEN_WORKFLOW: Rule = Rule {
    code: "TC718",
    name: "broken-workflow",
    severity: Severity::Error,
    why: "A workflow is YAML with a `name` and, usually, `jobs` whose `steps` name tools. One that cannot be read is not \
          served as a prompt.",
    bad: "description: Load a data set\n",
    good: "name: load_data\ndescription: Load a data set\n",
};

/// A prompt that names a tool which is not there; whoever knows all tools finds it.
pub static UNKNOWN_PROMPT_TOOL: Rule = Rule {
    code: "TC719",
    name: "unknown-prompt-tool",
    severity: Severity::Warning,
    why: "A workflow tells a model which tools to call, and a prompt may call tools itself. A tool that does not exist sends \
          the one astray and breaks the other. Tools are named without the prefix under which they are served.",
    bad: "",
    good: "",
};
