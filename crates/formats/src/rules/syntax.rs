//! Problems of encoding, size and syntax.

use catalog::{Rule, Severity};

pub(crate) static NOT_UTF8: Rule = Rule {
    code: "TC001",
    name: "not-utf8",
    severity: Severity::Error,
    why: "Definitions are UTF-8. A file in another encoding cannot be decoded without guessing, so it is not read. Save it \
          as UTF-8.",
    bad: r#"{"name": "caf<byte E9>", "description": "Saved as Latin-1"}"#,
    good: r#"{"name": "cafe", "description": "Café, saved as UTF-8", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static FILE_TOO_LARGE: Rule = Rule {
    code: "TC002",
    name: "file-too-large",
    severity: Severity::Error,
    why: "A definition of more than 16 MiB is a mistake or an attack, and reading it would use memory that the server \
          needs. Split it, or move it out of the folder of definitions.",
    bad: "(more than 16 MiB of anything)",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static EMPTY_FILE: Rule = Rule {
    code: "TC003",
    name: "empty-file",
    severity: Severity::Error,
    why: "A file without content defines nothing; most often a write was interrupted. Write the definition or remove the \
          file.",
    bad: "\n",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BROKEN_JSON: Rule = Rule {
    code: "TC004",
    name: "broken-json",
    severity: Severity::Error,
    why: "The text is not valid JSON. The parser recovers where the meaning is clear, so that it reports all errors at \
          once, but a file with an error gives no tools.",
    bad: r#"{"name": "say" "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static NUL: Rule = Rule {
    code: "TC005",
    name: "nul-character",
    severity: Severity::Error,
    why: "Programs cannot receive NUL characters in arguments, and a file that contains one is most often damaged or \
          binary.",
    bad: "{\"name\": \"say\", \"description\": \"Speak\0\", \"command\": \"echo\", \"subcommand\": [{\"name\": \"default\", \"description\": \"Say it\"}]}",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BYTE_ORDER_MARK: Rule = Rule {
    code: "TC006",
    name: "byte-order-mark",
    severity: Severity::Note,
    why: "The file begins with U+FEFF, an invisible character. It is skipped here, but other JSON parsers reject it. Save \
          the file as UTF-8 without a byte order mark.",
    bad: "\u{feff}{\"name\": \"say\", \"description\": \"Speak\", \"command\": \"echo\", \"subcommand\": [{\"name\": \"default\", \"description\": \"Say it\"}]}",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static COMMENT: Rule = Rule {
    code: "TC007",
    name: "comment",
    severity: Severity::Note,
    why: "Comments are skipped, because many definitions have them. JSON does not allow comments, so other programs may \
          reject the file. Reported once per file.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", // the program
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static RAW_CONTROL: Rule = Rule {
    code: "TC008",
    name: "raw-control-character",
    severity: Severity::Warning,
    why: "A string contains a line break or a tab. It is accepted, but JSON requires `\\n` or `\\t`, and other programs \
          reject the file.",
    bad: "{\"name\": \"say\", \"description\": \"Speak\nup\", \"command\": \"echo\", \"subcommand\": [{\"name\": \"default\", \"description\": \"Say it\"}]}",
    good: r#"{"name": "say", "description": "Speak\nup", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static TRAILING_COMMA: Rule = Rule {
    code: "TC009",
    name: "trailing-comma",
    severity: Severity::Warning,
    why: "A comma before a closing bracket is skipped, but JSON does not allow it, and other programs reject the file.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}],}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static DUPLICATE_KEY: Rule = Rule {
    code: "TC010",
    name: "duplicate-key",
    severity: Severity::Error,
    why: "An object has the same key twice. Parsers disagree about which one applies, so a reviewed definition may run \
          something else. Keep one of the two.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "command": "printf", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static TOO_DEEP: Rule = Rule {
    code: "TC011",
    name: "too-deep",
    severity: Severity::Error,
    why: "Arrays and objects may be nested 128 levels deep. No command line needs more, and unbounded depth can crash \
          parsers.",
    bad: concat!(
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
        "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    ),
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static TOO_MUCH: Rule = Rule {
    code: "TC012",
    name: "too-much",
    severity: Severity::Error,
    why: "A file may have 1,000 problems, 5,000 tools and 32 MiB of tools after inheritance, a Markdown document 300,000 \
          lines, marks and table cells. The rest is not read, so that one file cannot exhaust the memory of the server. \
          Split the file.",
    bad: "(more than 5,000 subcommands)",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static NOT_A_DEFINITION: Rule = Rule {
    code: "TC013",
    name: "not-a-definition",
    severity: Severity::Error,
    why: "A definition is a JSON object with a `name`. This file contains something else: correct it or move it out of the \
          folder of definitions.",
    bad: r#"["say", "drop"]"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};
