//! Problems of JSON Schemas.

use catalog::{Rule, Severity};

pub(crate) static BAD_PATTERN: Rule = Rule {
    code: "TC043",
    name: "bad-pattern",
    severity: Severity::Error,
    why: "The pattern is not a valid regular expression, so no value could be checked against it. In JSON, a backslash is \
          written twice.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "word", "type": "string", "pattern": "^(a"}]}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "word", "type": "string", "pattern": "^(a)"}]}]}"#,
};

pub(crate) static NOT_AN_OBJECT_SCHEMA: Rule = Rule {
    code: "TC060",
    name: "not-an-object-schema",
    severity: Severity::Error,
    why: "Arguments are passed by name, as an object. The root of `inputSchema` must declare that with `\"type\": \
          \"object\"`; clients reject anything else.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "inputSchema": {"type": "string"}}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "inputSchema": {"type": "object"}}"#,
};

pub(crate) static BAD_SCHEMA: Rule = Rule {
    code: "TC061",
    name: "bad-schema",
    severity: Severity::Error,
    why: "The value of a keyword is not valid JSON Schema, so no call could be validated.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": "word"}}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}}"#,
};

pub(crate) static REMOTE_REFERENCE: Rule = Rule {
    code: "TC062",
    name: "remote-reference",
    severity: Severity::Error,
    why: "References are not fetched, neither when tools are read nor when they are called. Copy the referenced schema \
          into `$defs`.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"$ref": "https://example.com/word.json"}}}}"#,
    good: r##"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"$ref": "#/$defs/word"}}, "$defs": {"word": {"type": "string"}}}}"##,
};

pub(crate) static UNRESOLVED_REFERENCE: Rule = Rule {
    code: "TC063",
    name: "unresolved-reference",
    severity: Severity::Error,
    why: "The reference points to a part of the schema that does not exist.",
    bad: r##"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"$ref": "#/$defs/wrod"}}, "$defs": {"word": {"type": "string"}}}}"##,
    good: r##"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"$ref": "#/$defs/word"}}, "$defs": {"word": {"type": "string"}}}}"##,
};

pub(crate) static REFERENCE_LOOP: Rule = Rule {
    code: "TC064",
    name: "reference-loop",
    severity: Severity::Error,
    why: "A schema that is defined as itself has no meaning, and resolving it would never end. It may contain itself in a \
          property or an item.",
    bad: r##"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}}"##,
    good: r##"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"$ref": "#/$defs/a"}},
  "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}}}"##,
};

pub(crate) static TOO_MANY_REFERENCES: Rule = Rule {
    code: "TC066",
    name: "too-many-references",
    severity: Severity::Error,
    why: "A schema for arguments may have 200 references. Models cannot follow more, and long chains overflow the stack of \
          validators.",
    bad: "(a schema with more than 200 references)",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "inputSchema": {"type": "object", "properties": {}}}"#,
};
