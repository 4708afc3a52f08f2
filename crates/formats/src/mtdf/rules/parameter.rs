//! Problems of options and positional arguments.

use catalog::{Rule, Severity};

pub(crate) static UNKNOWN_TYPE: Rule = Rule {
    code: "TC040",
    name: "unknown-type",
    severity: Severity::Error,
    why: "The types are `string`, `integer`, `number`, `boolean`, `array` and `object`, in exactly this spelling.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "loud", "type": "bool"}]}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "loud", "type": "boolean"}]}]}"#,
};

pub(crate) static BAD_DEFAULT: Rule = Rule {
    code: "TC041",
    name: "bad-default",
    severity: Severity::Error,
    why: "A default is used as if the caller had passed it, so it must be a valid argument: of the type, in the `enum`, \
          within the bounds, matching the pattern.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "times", "type": "integer", "default": "2"}]}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "times", "type": "integer", "default": 2}]}]}"#,
};

pub(crate) static BAD_ENUM: Rule = Rule {
    code: "TC042",
    name: "bad-enum",
    severity: Severity::Error,
    why: "`enum` lists at least one value, and all have the parameter's type. A caller could never pass a value of another \
          type.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "level", "type": "string", "enum": ["low", 2]}]}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "level", "type": "string", "enum": ["low", "2"]}]}]}"#,
};

pub(crate) static EMPTY_RANGE: Rule = Rule {
    code: "TC044",
    name: "empty-range",
    severity: Severity::Error,
    why: "The lower bound is greater than the upper bound, so no value is valid.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "times", "type": "integer", "minimum": 9, "maximum": 1}]}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "times", "type": "integer", "minimum": 1, "maximum": 9}]}]}"#,
};

pub(crate) static DUPLICATE_PARAMETER: Rule = Rule {
    code: "TC045",
    name: "duplicate-parameter",
    severity: Severity::Error,
    why: "Arguments are passed by name, so a name must be unique among the options and positionals of a leaf and of all \
          nodes above it. With `flag`, a renamed option keeps its spelling on the command line.",
    bad: r#"{"name": "run", "description": "Run", "command": "cargo",
 "subcommand": [{"name": "test", "description": "Test", "options": [{"name": "test", "type": "string"}],
  "positional_args": [{"name": "test", "type": "string"}]}]}"#,
    good: r#"{"name": "run", "description": "Run", "command": "cargo",
 "subcommand": [{"name": "test", "description": "Test", "options": [{"name": "target", "flag": "--test", "type": "string"}],
  "positional_args": [{"name": "test", "type": "string"}]}]}"#,
};

pub(crate) static FLAG_CLASH: Rule = Rule {
    code: "TC046",
    name: "flag-clash",
    severity: Severity::Error,
    why: "Two parameters of one command would be passed by the same flag, so the program could not distinguish them. If a \
          parameter has an `alias`, that is its flag.",
    bad: r#"{"name": "list", "description": "List", "command": "ls",
 "subcommand": [{"name": "default", "description": "List", "options": [{"name": "all", "alias": "a", "type": "boolean"},
  {"name": "author", "alias": "a", "type": "boolean"}]}]}"#,
    good: r#"{"name": "list", "description": "List", "command": "ls",
 "subcommand": [{"name": "default", "description": "List", "options": [{"name": "all", "alias": "a", "type": "boolean"},
  {"name": "author", "type": "boolean"}]}]}"#,
};

pub(crate) static BOUND_ALIAS: Rule = Rule {
    code: "TC047",
    name: "bound-alias",
    severity: Severity::Note,
    why: "`min` and `max` are read as `minimum` and `maximum`, the names that JSON Schema and editors know.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "times", "type": "integer", "min": 1}]}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "times", "type": "integer", "minimum": 1}]}]}"#,
};

pub(crate) static PATH_OR_VALUE: Rule = Rule {
    code: "TC048",
    name: "path-or-value",
    severity: Severity::Note,
    why: "With `format: path-or-value`, a value that looks like a path must be inside the crib's roots; any other value is \
          passed unchanged. If the value is always a path, `path` is safer.",
    bad: r#"{"name": "show", "description": "Show", "command": "git show",
 "subcommand": [{"name": "default", "description": "Show", "options": [{"name": "output", "type": "string", "format": "path-or-value"}]}]}"#,
    good: r#"{"name": "show", "description": "Show", "command": "git show",
 "subcommand": [{"name": "default", "description": "Show", "options": [{"name": "output", "type": "string", "format": "path"}]}]}"#,
};

pub(crate) static UNKNOWN_PARAMETER: Rule = Rule {
    code: "TC049",
    name: "unknown-parameter",
    severity: Severity::Error,
    why: "`argv` declares how properties of the schema are passed to the program. This name is not a property, so its \
          entry would have no effect.",
    bad: r#"{"name": "show", "description": "Show", "command": "cat", "argv": {"flie": {"positional": true}},
 "inputSchema": {"type": "object", "properties": {"file": {"type": "string", "format": "path"}}}}"#,
    good: r#"{"name": "show", "description": "Show", "command": "cat", "argv": {"file": {"positional": true}},
 "inputSchema": {"type": "object", "properties": {"file": {"type": "string", "format": "path"}}}}"#,
};

pub(crate) static BAD_VARIABLE: Rule = Rule {
    code: "TC050",
    name: "bad-variable",
    severity: Severity::Error,
    why: "The name of an environment variable consists of ASCII letters, digits and `_`, and does not begin with a digit.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "lang", "type": "string", "pass_by": "env", "env": "MY LANG"}]}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "lang", "type": "string", "pass_by": "env", "env": "MY_LANG"}]}]}"#,
};

pub(crate) static ACCESS_WITHOUT_PATH: Rule = Rule {
    code: "TC051",
    name: "access-without-path",
    severity: Severity::Error,
    why: "`access` declares what the program does with a file or folder, so it requires `format: path`. It is not allowed \
          for the working directory. Elsewhere it would suggest a restriction that is not enforced.",
    bad: r#"{"name": "show", "description": "Show", "command": "cat",
 "subcommand": [{"name": "default", "description": "Show", "positional_args": [{"name": "file", "type": "string", "access": "read"}]}]}"#,
    good: r#"{"name": "show", "description": "Show", "command": "cat",
 "subcommand": [{"name": "default", "description": "Show", "positional_args": [{"name": "file", "type": "string", "format": "path", "access": "read"}]}]}"#,
};

pub(crate) static WRITING_READER: Rule = Rule {
    code: "TC052",
    name: "writing-reader",
    severity: Severity::Error,
    why: "A tool with `mutates: false` cannot write to any file, so a parameter that it writes to could never be used. One \
          of the two declarations is wrong.",
    bad: r#"{"name": "copy", "description": "Copy", "command": "cp", "mutates": false,
 "subcommand": [{"name": "default", "description": "Copy", "positional_args": [{"name": "to", "type": "string", "format": "path", "access": "write"}]}]}"#,
    good: r#"{"name": "copy", "description": "Copy", "command": "cp", "mutates": true,
 "subcommand": [{"name": "default", "description": "Copy", "positional_args": [{"name": "to", "type": "string", "format": "path", "access": "write"}]}]}"#,
};
