//! Problems of a definition's nodes: tools, subcommands, sequences.

use catalog::{Rule, Severity};

pub(crate) static MISSING_FIELD: Rule = Rule {
    code: "TC020",
    name: "missing-field",
    severity: Severity::Error,
    why: "A tool and each of its subcommands need a `name` and a `description`, a parameter needs a `name` and a `type`. \
          Without them a caller cannot know what there is.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static WRONG_TYPE: Rule = Rule {
    code: "TC021",
    name: "wrong-type",
    severity: Severity::Error,
    why: "A field holds a value of another type than it should. It is not converted, because a guess could change what is \
          run.",
    bad: r#"{"name": "say", "description": "Speak", "command": ["echo"], "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static UNKNOWN_FIELD: Rule = Rule {
    code: "TC022",
    name: "unknown-field",
    severity: Severity::Warning,
    why: "The field is not read. The rest of the definition is, so that files for later versions load; if it is a \
          misspelling, correct it.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "colour": "red", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static MISREAD_FIELD: Rule = Rule {
    code: "TC023",
    name: "misread-field",
    severity: Severity::Error,
    why: "The field is unknown, but so near to one that decides what is run that passing it over would make another tool of \
          this one. Correct the spelling.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommands": [{"name": "default", "description": "Say it"}],
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

/// A name that clients do not accept.
pub static BAD_NAME: Rule = Rule {
    code: "TC024",
    name: "bad-name",
    severity: Severity::Error,
    why: "Clients take names of 1 to 64 ASCII letters, digits, `_`, `-` and `.`. A tool's name is made of the names on the \
          way to it, joined by `_`; a parameter's name has no blanks.",
    bad: r#"{"name": "say it", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say_it", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BLANK: Rule = Rule {
    code: "TC025",
    name: "blank-text",
    severity: Severity::Error,
    why: "A text that must say something is empty or has only blanks.",
    bad: r#"{"name": "say", "description": "Speak", "command": " ", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BAD_PROGRAM: Rule = Rule {
    code: "TC026",
    name: "program-outside",
    severity: Severity::Error,
    why: "A program is named, or given as a path inside the crib. A path that climbs out of it can mean another program on \
          each machine.",
    bad: r#"{"name": "say", "description": "Speak", "command": "../bin/say", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "./bin/say", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static ABSOLUTE_PROGRAM: Rule = Rule {
    code: "TC027",
    name: "absolute-program",
    severity: Severity::Warning,
    why: "An absolute path works on machines where the program lies just there. Name the program, and it is looked up.",
    bad: r#"{"name": "say", "description": "Speak", "command": "/usr/bin/echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static MISSING_SUBCOMMAND: Rule = Rule {
    code: "TC028",
    name: "missing-subcommand",
    severity: Severity::Warning,
    why: "A command without `subcommand` is taken as one tool. To say that this is meant, give it one subcommand named \
          `default`, which adds nothing to the command line.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo"}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

/// A definition that names no program.
pub static MISSING_COMMAND: Rule = Rule {
    code: "TC029",
    name: "missing-command",
    severity: Severity::Note,
    why: "A definition without `command` says what a tool is, not how it is run: it is documented and not served, unless a \
          `[[bind]]` in `toolcrib.toml` gives it a command.",
    bad: r#"{"name": "say", "description": "Speak", "inputSchema": {"type": "object", "properties": {}}}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "inputSchema": {"type": "object", "properties": {}}}"#,
};

pub(crate) static BUILT_IN_NAME: Rule = Rule {
    code: "TC030",
    name: "built-in-name",
    severity: Severity::Note,
    why: "`status`, `await` and `cancel` are built in. A definition of such a name gives the tool its text; its command is \
          never run. Choose another name for a tool of your own.",
    bad: r#"{"name": "status", "description": "Look at operations", "command": "status", "subcommand": [{"name": "default", "description": "Look"}]}"#,
    good: r#"{"name": "git_status", "description": "Look at files", "command": "git status", "subcommand": [{"name": "default", "description": "Look"}]}"#,
};

pub(crate) static TIMEOUT_OUT_OF_RANGE: Rule = Rule {
    code: "TC031",
    name: "timeout-out-of-range",
    severity: Severity::Error,
    why: "`timeout_seconds` is a whole number of seconds from 1 to 86400, a day. Every run has an end.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "timeout_seconds": 0, "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "timeout_seconds": 60, "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static CONTRADICTION: Rule = Rule {
    code: "TC032",
    name: "contradiction",
    severity: Severity::Error,
    why: "Two fields exclude each other, so that one of them must be a mistake. Neither is preferred silently.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "synchronous": true, "asynchronous": true,
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "synchronous": true,
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static ENABLED_UNDER_DISABLED: Rule = Rule {
    code: "TC033",
    name: "enabled-under-disabled",
    severity: Severity::Warning,
    why: "`enabled: false` removes a node and everything below it. An `enabled: true` below it has no effect.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "enabled": false,
 "subcommand": [{"name": "default", "description": "Say it", "enabled": true}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "enabled": false,
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static UNSUPPORTED_FIELD: Rule = Rule {
    code: "TC034",
    name: "unsupported-field",
    severity: Severity::Error,
    why: "The field asks for something that is not done here, and without it the tool would be another one: a shell \
          template (`args_template`), a log watched by a model (`livelog`), a schema or command inside a subcommand.",
    bad: r#"{"name": "say", "description": "Speak", "command": "bash",
 "subcommand": [{"name": "default", "description": "Say it", "args_template": "-c 'echo {{word}}'"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "positional_args": [{"name": "word", "type": "string"}]}]}"#,
};

pub(crate) static IGNORED_FIELD: Rule = Rule {
    code: "TC035",
    name: "ignored-field",
    severity: Severity::Note,
    why: "The field is known and has no effect here. The tool is served without it.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "monitor_level": "error",
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BAD_CHOICE: Rule = Rule {
    code: "TC036",
    name: "bad-choice",
    severity: Severity::Error,
    why: "The field takes one of a few words, and this is none of them.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "concurrency": "readonly",
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "concurrency": "read_only",
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static EMPTY_SEQUENCE: Rule = Rule {
    code: "TC037",
    name: "empty-sequence",
    severity: Severity::Error,
    why: "A sequence without steps does nothing, and would say that all went well.",
    bad: r#"{"name": "all", "description": "Everything", "command": "sequence", "sequence": []}"#,
    good: r#"{"name": "all", "description": "Everything", "command": "sequence", "sequence": [{"tool": "say", "subcommand": "default"}]}"#,
};

pub(crate) static USELESS_PARAMETER: Rule = Rule {
    code: "TC038",
    name: "useless-parameter",
    severity: Severity::Warning,
    why: "The steps of a sequence have their own `args`; a parameter of the sequence reaches none of them. It is left out of \
          what is served.",
    bad: r#"{"name": "all", "description": "Everything", "command": "sequence", "sequence": [{"tool": "say"}],
 "options": [{"name": "word", "type": "string"}]}"#,
    good: r#"{"name": "all", "description": "Everything", "command": "sequence", "sequence": [{"tool": "say", "args": {"word": "hello"}}]}"#,
};
