//! Problems of the text itself, before it means anything.

use catalog::{Rule, Severity};

pub(crate) static NOT_UTF8: Rule = Rule {
    code: "TC001",
    name: "not-utf8",
    severity: Severity::Error,
    why: "Definitions are UTF-8. A file in another encoding cannot be read without guessing, so it is not read. Save it \
          as UTF-8.",
    bad: r#"{"name": "caf<byte E9>", "description": "Saved as Latin-1"}"#,
    good: r#"{"name": "cafe", "description": "Café, saved as UTF-8", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static FILE_TOO_LARGE: Rule = Rule {
    code: "TC002",
    name: "file-too-large",
    severity: Severity::Error,
    why: "A definition of more than 16 MiB is a mistake or an attack, and reading it would cost memory that the server \
          needs. Split it, or move it out of the folder of definitions.",
    bad: "(more than 16 MiB of anything)",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static EMPTY_FILE: Rule = Rule {
    code: "TC003",
    name: "empty-file",
    severity: Severity::Error,
    why: "A file without content defines nothing; most often a write was cut short. Write the definition or remove the \
          file.",
    bad: "\n",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BROKEN_JSON: Rule = Rule {
    code: "TC004",
    name: "broken-json",
    severity: Severity::Error,
    why: "The text is not JSON. Reading goes on where the meaning is clear, so that all such places are named at once, \
          but a file with one of them gives no tools.",
    bad: r#"{"name": "say" "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static NUL: Rule = Rule {
    code: "TC005",
    name: "nul-character",
    severity: Severity::Error,
    why: "No program can be given a NUL character, and a file with one in it is most often damaged or not text at all.",
    bad: "{\"name\": \"say\", \"description\": \"Speak\0\", \"command\": \"echo\", \"subcommand\": [{\"name\": \"default\", \"description\": \"Say it\"}]}",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static BYTE_ORDER_MARK: Rule = Rule {
    code: "TC006",
    name: "byte-order-mark",
    severity: Severity::Note,
    why: "The invisible character U+FEFF at the start is read over here, but other JSON readers refuse it. Save the file \
          as UTF-8 without a byte order mark.",
    bad: "\u{feff}{\"name\": \"say\", \"description\": \"Speak\", \"command\": \"echo\", \"subcommand\": [{\"name\": \"default\", \"description\": \"Say it\"}]}",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static COMMENT: Rule = Rule {
    code: "TC007",
    name: "comment",
    severity: Severity::Note,
    why: "Comments are read over, because definitions in the wild have them. JSON has none, so other programs may refuse \
          the file. Said once for each file.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", // the program
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static RAW_CONTROL: Rule = Rule {
    code: "TC008",
    name: "raw-control-character",
    severity: Severity::Warning,
    why: "A line break or tab stands in a text as it is. It is taken as meant, but JSON asks for `\\n` or `\\t`, and other \
          programs will not read the file.",
    bad: "{\"name\": \"say\", \"description\": \"Speak\nup\", \"command\": \"echo\", \"subcommand\": [{\"name\": \"default\", \"description\": \"Say it\"}]}",
    good: r#"{"name": "say", "description": "Speak\nup", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static TRAILING_COMMA: Rule = Rule {
    code: "TC009",
    name: "trailing-comma",
    severity: Severity::Warning,
    why: "A comma before a closing bracket is read over, but JSON does not allow it, and other programs will not read the \
          file.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}],}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static DUPLICATE_KEY: Rule = Rule {
    code: "TC010",
    name: "duplicate-key",
    severity: Severity::Error,
    why: "An object has one key twice. Readers disagree about which one counts, so what was reviewed may not be what runs. \
          Keep one of the two.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "command": "printf", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static TOO_DEEP: Rule = Rule {
    code: "TC011",
    name: "too-deep",
    severity: Severity::Error,
    why: "Arrays and objects may nest 128 deep. No command line needs more, and unbounded depth is a way to crash readers.",
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
    why: "One file may have 1,000 problems, 5,000 tools and 32 MiB of tools after inheritance. What lies beyond is \
          counted, not kept, so that one file cannot use up the server's memory. Split the file.",
    bad: "(more than 5,000 subcommands)",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};

pub(crate) static NOT_A_DEFINITION: Rule = Rule {
    code: "TC013",
    name: "not-a-definition",
    severity: Severity::Error,
    why: "A definition is a JSON object with a `name`. The file holds something else: correct it or move it out of the \
          folder of definitions.",
    bad: r#"["say", "drop"]"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "subcommand": [{"name": "default", "description": "Say it"}]}"#,
};
