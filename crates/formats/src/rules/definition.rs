//! Problems of fields and names that several formats share.

use catalog::{Rule, Severity};

pub(crate) static MISSING_FIELD: Rule = Rule {
    code: "TC020",
    name: "missing-field",
    severity: Severity::Error,
    why: "A tool and each of its subcommands need a `name` and a `description`, a parameter needs a `name` and a `type`. \
          Without them a caller cannot know what to call and how.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static WRONG_TYPE: Rule = Rule {
    code: "TC021",
    name: "wrong-type",
    severity: Severity::Error,
    why: "The value of the field has the wrong type. It is not converted, because a guess could change what is run.",
    bad: r#"{"name": "say", "description": "Speak", "command": ["echo"], "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static UNKNOWN_FIELD: Rule = Rule {
    code: "TC022",
    name: "unknown-field",
    severity: Severity::Warning,
    why: "The field is ignored. The rest of the definition is read, so that files for later versions load. If the field is \
          misspelled, correct it.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "colour": "red", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static MISREAD_FIELD: Rule = Rule {
    code: "TC023",
    name: "misread-field",
    severity: Severity::Error,
    why: "The field is unknown, but similar to one that decides what is run, or to a safety annotation such as `dangerous`. \
          Ignoring it could run something else than the author intended, or run it without asking, so it is an error and \
          the tool is not served. Correct the spelling.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommands": [{"name": "default", "description": "Say it"}],
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

/// A name that clients do not accept.
pub static BAD_NAME: Rule = Rule {
    code: "TC024",
    name: "bad-name",
    severity: Severity::Error,
    why: "Clients accept names of 1 to 64 ASCII letters, digits, `_`, `-` and `.`. The name of a tool consists of the \
          names on the path to it, joined by `_`. The name of a parameter has no whitespace.",
    bad: r#"{"name": "say it", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say_it", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BLANK: Rule = Rule {
    code: "TC025",
    name: "blank-text",
    severity: Severity::Error,
    why: "The field requires text, but it is empty or contains only whitespace.",
    bad: r#"{"name": "say", "description": "Speak", "command": " ", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static IGNORED_FIELD: Rule = Rule {
    code: "TC035",
    name: "ignored-field",
    severity: Severity::Note,
    why: "The field is known but has no effect here. The tool is served without it.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "monitor_level": "error",
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BAD_CHOICE: Rule = Rule {
    code: "TC036",
    name: "bad-choice",
    severity: Severity::Error,
    why: "The field accepts only certain values, and this is not one of them.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "concurrency": "readonly",
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "concurrency": "read_only",
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BAD_DESTINATION: Rule = Rule {
    code: "TC039",
    name: "bad-destination",
    severity: Severity::Error,
    why: "A list in `network` names each destination as `host:port`. The host is a name, `*.` and a name, an IPv4 address or \
          an IPv6 address in brackets; the port is a number. An entry that cannot be enforced as written is not guessed.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "network": ["https://example.org/"],
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "network": ["example.org:443"],
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BAD_CONSTRAINT: Rule = Rule {
    code: "TC068",
    name: "bad-constraint",
    severity: Severity::Error,
    why: "A constraint is a CEL condition over `args` that must hold for every call, with the message for a call that violates \
          it. A condition that cannot be compiled, or reads an argument that does not exist, would check nothing.",
    bad: r#"{"name": "cut", "description": "Cut", "command": "echo", "constraints": [{"rule": "args.from <= args.too"}],
 "subcommand": [{"name": "default", "description": "Cut it", "options": [{"name": "from", "type": "integer"}, {"name": "to", "type": "integer"}]}]}"#,
    good: r#"{"name": "cut", "description": "Cut", "command": "echo", "constraints": [{"rule": "args.from <= args.to"}],
 "subcommand": [{"name": "default", "description": "Cut it", "options": [{"name": "from", "type": "integer"}, {"name": "to", "type": "integer"}]}]}"#,
};

pub(crate) static DECLARES_NO_TOOLS: Rule = Rule {
    code: "TC801",
    name: "declares-no-tools",
    severity: Severity::Note,
    why: "The document declares that its module has no tools, so no tools are read from it. If it has tools now, describe \
          them and remove that sentence.",
    bad: "# Crypto - MCP Tool Specification\n\nNo MCP tools are exposed by this module.\n",
    good: "# Crypto - MCP Tool Specification\n\n## Tool: `hash_text`\n\n### 1. Tool Purpose and Description\n\nHash a text.\n\n\
           ### 3. Input Schema (Parameters)\n\n| Parameter Name | Type | Required | Description |\n\
           | :--- | :--- | :--- | :--- |\n| `text` | `string` | Yes | Text to hash |\n",
};
