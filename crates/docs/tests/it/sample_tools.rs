//! Tools to document.

use std::time::Duration;

use catalog::{
    Annotations, Implementation, Location, Origin, Parameter, Schema, SourceId, Tool,
    implementation::{
        Binding, Items, PassBy, Piece, Process, Separator, Sequence, Step, ValueKind,
    },
};
use serde_json::{Value, json};

pub(crate) fn schema(value: Value) -> Schema {
    Schema::new(value.as_object().expect("an object").clone())
}

/// A tool without parameters that runs `true`.
pub(crate) fn plain_tool(name: &str) -> Tool {
    let implementation =
        Implementation::Process(Process { program: "true".into(), pieces: Vec::new() });
    let origin = Origin::value(&SourceId::new("tools/plain.json"), "");
    let mut tool =
        Tool::new(name, "Do nothing. Successfully.", Schema::empty(), implementation, origin);
    tool.annotations.mutates = Some(false);
    tool
}

/// A command-line tool with every kind of parameter.
pub(crate) fn grep_tool() -> Tool {
    let input = schema(json!({
        "type": "object",
        "properties": {
            "ignore-case": {"type": "boolean", "default": false, "description": "Ignore the case of letters"},
            "max-count": {"type": "integer", "minimum": 1, "maximum": 999, "description": "Stop after this many lines"},
            "colour": {"type": "string", "enum": ["auto", "never"], "description": "When to use colours"},
            "include": {"type": "array", "items": {"type": "string", "pattern": "^(a|b)$"}, "description": "Only files with these names"},
            "pattern": {"type": "string", "minLength": 1, "description": "The pattern to search for"},
            "files": {"type": "array", "items": {"type": "string", "format": "path"}, "minItems": 1, "description": "The files to search"},
            "working_directory": {"type": "string", "format": "path", "description": "The folder to run in"},
        },
        "required": ["pattern", "files"],
        "additionalProperties": false,
    }));
    let pieces = vec![
        Piece::Word("--line-number".into()),
        Piece::Parameter(Binding {
            negate: Some("--no-ignore-case".into()),
            ..Binding::option("ignore-case", "-i")
        }),
        Piece::Parameter(Binding {
            separator: Separator::Equals,
            ..Binding::option("max-count", "--max-count")
        }),
        Piece::Parameter(Binding {
            pass_by: PassBy::Env("GREP_COLOUR".into()),
            ..Binding::positional("colour")
        }),
        Piece::Parameter(Binding {
            items: Items::Joined(",".into()),
            ..Binding::option("include", "--include")
        }),
        Piece::Parameter(Binding {
            pass_by: PassBy::Folder,
            ..Binding::positional("working_directory")
        }),
        Piece::DoubleDash,
        Piece::Parameter(Binding::positional("pattern")),
        Piece::Parameter(Binding { kind: ValueKind::Path, ..Binding::positional("files") }),
    ];
    let implementation = Implementation::Process(Process { program: "grep".into(), pieces });
    let origin = Origin::value(&SourceId::new("tools/search.json"), "/subcommand/0");
    let mut tool =
        Tool::new("search_grep", "Find lines that match a pattern.", input, implementation, origin);
    tool.title = Some("Search".into());
    tool.description.guidance = Some("**Note:** runs at once.".into());
    tool.description.install = Some("apt install grep".into());
    tool.parameters = vec![Parameter {
        name: "ignore-case".into(),
        alias: Some("i".into()),
        location: Location::Whole,
    }];
    tool.annotations = Annotations {
        mutates: Some(false),
        network: Some(false.into()),
        version: Some("1.2.0".into()),
        ..Annotations::default()
    };
    tool.timeout = Some(Duration::from_secs(30));
    tool
}

/// A tool that calls others.
pub(crate) fn sequence_tool() -> Tool {
    let step = |tool: &str, arguments, skip: Option<&str>| Step {
        tool: tool.into(),
        arguments,
        description: None,
        skip_if_exists: skip.map(str::to_owned),
        skip_if_missing: None,
    };
    let steps = vec![
        step("fmt", json!({"check": true}), None),
        step("build", json!({}), Some("target/done")),
    ];
    let mut tool = plain_tool("release");
    tool.implementation = Implementation::Sequence(Sequence { steps, delay_ms: 100 });
    tool.annotations = Annotations {
        mutates: Some(true),
        dangerous: Some(true),
        requires_approval: Some(true),
        ..Annotations::default()
    };
    tool
}
