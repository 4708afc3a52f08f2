//! Problems of written schemas.

use catalog::{Rule, Severity};

pub(crate) static BAD_PATTERN: Rule = Rule {
    code: "TC043",
    name: "bad-pattern",
    severity: Severity::Error,
    why: "The pattern is not a regular expression, so no value could be checked against it. In JSON a backslash is written \
          twice.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "word", "type": "string", "pattern": "^(a"}]}]}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "subcommand": [{"name": "default", "description": "Say it", "options": [{"name": "word", "type": "string", "pattern": "^(a)"}]}]}"#,
};

pub(crate) static NOT_AN_OBJECT_SCHEMA: Rule = Rule {
    code: "TC060",
    name: "not-an-object-schema",
    severity: Severity::Error,
    why: "Arguments are passed by name, as an object. The root of `inputSchema` must say so by `\"type\": \"object\"`; clients \
          refuse anything else.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo", "inputSchema": {"type": "string"}}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "inputSchema": {"type": "object"}}"#,
};

pub(crate) static BAD_SCHEMA: Rule = Rule {
    code: "TC061",
    name: "bad-schema",
    severity: Severity::Error,
    why: "A keyword of the schema holds what JSON Schema does not allow there, so that no call could be checked.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": "word"}}"#,
    good: r#"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}}"#,
};

pub(crate) static REMOTE_REFERENCE: Rule = Rule {
    code: "TC062",
    name: "remote-reference",
    severity: Severity::Error,
    why: "Nothing is fetched while tools are read or called. Copy what the reference means into `$defs`.",
    bad: r#"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"$ref": "https://example.com/word.json"}}}}"#,
    good: r##"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"$ref": "#/$defs/word"}}, "$defs": {"word": {"type": "string"}}}}"##,
};

pub(crate) static UNRESOLVED_REFERENCE: Rule = Rule {
    code: "TC063",
    name: "unresolved-reference",
    severity: Severity::Error,
    why: "The reference leads to a place that the schema does not have.",
    bad: r##"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"$ref": "#/$defs/wrod"}}, "$defs": {"word": {"type": "string"}}}}"##,
    good: r##"{"name": "say", "description": "Speak", "command": "echo",
 "inputSchema": {"type": "object", "properties": {"word": {"$ref": "#/$defs/word"}}, "$defs": {"word": {"type": "string"}}}}"##,
};

pub(crate) static REFERENCE_LOOP: Rule = Rule {
    code: "TC064",
    name: "reference-loop",
    severity: Severity::Error,
    why: "A schema that is defined as itself says nothing and would be followed for ever. It may contain itself in a property \
          or an item.",
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
    why: "A schema for arguments may have 200 references. More of them are beyond what a model can follow, and long chains can \
          bring down validators.",
    bad: "(a schema with more than 200 references)",
    good: r#"{"name": "say", "description": "Speak", "command": "echo", "inputSchema": {"type": "object", "properties": {}}}"#,
};
