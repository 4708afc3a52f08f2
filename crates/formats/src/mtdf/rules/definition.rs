//! Problems of tools, subcommands and sequences.

use catalog::{Rule, Severity};

pub(crate) static BAD_PROGRAM: Rule = Rule {
    code: "TC026",
    name: "program-outside",
    severity: Severity::Error,
    why: "A program is given by its name, or as a path inside the crib. A path that leaves the crib can be a different \
          program on each machine.",
    bad: r#"{"name": "say", "description": "Speak", "command": "../bin/say", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "./bin/say", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static ABSOLUTE_PROGRAM: Rule = Rule {
    code: "TC027",
    name: "absolute-program",
    severity: Severity::Warning,
    why: "An absolute path works only on machines that have the program in the same folder. Give the name of the program, \
          which is then looked up in `PATH`.",
    bad: r#"{"name": "say", "description": "Speak", "command": "/usr/bin/echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static NO_ARGUMENTS: Rule = Rule {
    code: "TC028",
    name: "no-arguments",
    severity: Severity::Warning,
    why: "A command without `subcommand` is one tool, with the `options` and `positional_args` of the definition. Without those \
          it takes no arguments, which few programs are useful with. An empty list of options declares that on purpose.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo"}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "positional_args": [{"name": "word", "type": "string"}]}"#,
};

/// A definition that names no program.
pub static MISSING_COMMAND: Rule = Rule {
    code: "TC029",
    name: "missing-command",
    severity: Severity::Note,
    why: "A definition without `command` describes a tool but not how to run it. The tool is documented but not served, \
          unless a `[[bind]]` in `toolcrib.toml` binds it to a command.",
    bad: r#"{"name": "say", "description": "Speak", "inputSchema": {"type": "object", "properties": {}}}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "inputSchema": {"type": "object", "properties": {}}}"#,
};

pub(crate) static BUILT_IN_NAME: Rule = Rule {
    code: "TC030",
    name: "built-in-name",
    severity: Severity::Note,
    why: "`status`, `await`, `cancel` and `read_output` are built in. A definition with such a name sets the description of the built-in \
          tool; its command is never run. Choose another name for a tool of your own.",
    bad: r#"{"name": "status", "description": "Look at operations", "command": "status", "subcommand": [{"name": "default", "description": "Look"}]}"#,
    good: r#"{"name": "git_status", "description": "Look at files", "command": "git status", "subcommand": [{"name": "default", "description": "Look"}]}"#,
};

pub(crate) static TIMEOUT_OUT_OF_RANGE: Rule = Rule {
    code: "TC031",
    name: "timeout-out-of-range",
    severity: Severity::Error,
    why: "`timeout_seconds` is an integer from 1 to 86400 (one day). Every call has a timeout.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "timeout_seconds": 0, "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "timeout_seconds": 60, "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static OUTPUT_OUT_OF_RANGE: Rule = Rule {
    code: "TC059",
    name: "output-out-of-range",
    severity: Severity::Error,
    why: "`output_bytes` is an integer from 1024 to 1048576 (1 MiB): how much of each output stream a result has. The rest \
          can be read with the tool `read_output`.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "output_bytes": 10, "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "output_bytes": 4096, "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static CONTRADICTION: Rule = Rule {
    code: "TC032",
    name: "contradiction",
    severity: Severity::Error,
    why: "Two fields contradict each other, so one of them must be a mistake. Neither is preferred silently.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "synchronous": true, "asynchronous": true,
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "synchronous": true,
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static ENABLED_UNDER_DISABLED: Rule = Rule {
    code: "TC033",
    name: "enabled-under-disabled",
    severity: Severity::Warning,
    why: "`enabled: false` disables a node and all nodes below it. An `enabled: true` below it has no effect.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "enabled": false,
 "subcommand": [{"name": "default", "description": "Say it", "enabled": true}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "enabled": false,
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static UNSUPPORTED_FIELD: Rule = Rule {
    code: "TC034",
    name: "unsupported-field",
    severity: Severity::Error,
    why: "The field requests an unsupported feature without which the tool would behave differently: a shell template \
          (`args_template`), a log watched by a model (`livelog`), or a schema or command inside a subcommand.",
    bad: r#"{"name": "say", "description": "Speak", "command": "bash",
 "subcommand": [{"name": "default", "description": "Say it", "args_template": "-c 'echo {{word}}'"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "positional_args": [{"name": "word", "type": "string"}]}]}"#,
};

pub(crate) static EMPTY_SEQUENCE: Rule = Rule {
    code: "TC037",
    name: "empty-sequence",
    severity: Severity::Error,
    why: "A sequence without steps would do nothing and report success.",
    bad: r#"{"name": "all", "description": "Everything", "command": "sequence", "sequence": []}"#,
    good: r#"{"name": "all", "description": "Everything", "command": "sequence", "sequence": [{"tool": "say", "subcommand": "default"}]}"#,
};

pub(crate) static USELESS_PARAMETER: Rule = Rule {
    code: "TC038",
    name: "useless-parameter",
    severity: Severity::Warning,
    why: "The steps of a sequence have their own `args`; a parameter of the sequence is passed to none of them. It is left \
          out of the served schema.",
    bad: r#"{"name": "all", "description": "Everything", "command": "sequence", "sequence": [{"tool": "say"}],
 "options": [{"name": "word", "type": "string"}]}"#,
    good: r#"{"name": "all", "description": "Everything", "command": "sequence", "sequence": [{"tool": "say", "args": {"word": "hello"}}]}"#,
};

pub(crate) static SHELL_SYNTAX: Rule = Rule {
    code: "TC067",
    name: "shell-syntax",
    severity: Severity::Error,
    why: "`command` is a program and words, split at white space; no shell reads it. The program would get `|`, `&&`, `$HOME`, \
          `~` or quotes as words. Put several commands into a script in the crib, or use `sequence`.",
    bad: r#"{"name": "count", "description": "Count files", "command": "ls | wc -l", "subcommand": [{"name": "default", "description": "Count them"}]}"#,
    good: r#"{"name": "count", "description": "Count files", "command": "./count.sh", "subcommand": [{"name": "default", "description": "Count them"}]}"#,
};

pub(crate) static SCHEMA_ALIAS: Rule = Rule {
    code: "TC065",
    name: "schema-alias",
    severity: Severity::Note,
    why: "`input_schema` is read as `inputSchema`, the name that MCP uses.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "input_schema": {"type": "object", "properties": {}}}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "inputSchema": {"type": "object", "properties": {}}}"#,
};

pub(crate) static UNKNOWN_GUIDANCE: Rule = Rule {
    code: "TC080",
    name: "unknown-guidance",
    severity: Severity::Warning,
    why: "`guidance_key` refers to a text in `tool_guidance.json` that does not exist, so the tool is served without it. \
          Reported once per key and file.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "guidance_key": "asink_behavior",
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};
