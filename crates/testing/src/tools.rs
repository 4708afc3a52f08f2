//! Tools of the model, built by hand.

use catalog::{
    Annotations, Implementation, Origin, Policy, Schema, SourceId, Tool,
    implementation::{Piece, Process},
    policy::{Clause, Effect},
};
use serde_json::{Map, Value, json};

/// The members of a JSON object.
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        other => panic!("not an object: {other}"),
    }
}

/// A schema from a JSON object.
pub fn schema(value: Value) -> Schema {
    Schema::new(object(value))
}

/// A tool that accepts any arguments and runs a program.
pub fn process_tool(program: &str, pieces: Vec<Piece>) -> Tool {
    let process = Process { program: program.to_owned(), pieces };
    let schema = schema(json!({"type": "object"}));
    let origin = Origin::whole_file(&SourceId::new("tool.json"));
    Tool::new("tool", "A tool", schema, Implementation::Process(process), origin)
}

/// A tool that accepts any arguments and runs a script in a shell.
pub fn script_tool(shell: &str, script: &str) -> Tool {
    process_tool(shell, ["-c", script].map(|word| Piece::Word(word.to_owned())).into())
}

/// A tool without parameters that runs `echo`, and about which no rule reports anything.
pub fn echo_tool(name: &str) -> Tool {
    let process = Process { program: "echo".to_owned(), pieces: Vec::new() };
    let mut tool = Tool::new(
        name,
        "Do something that is well described",
        Schema::empty(),
        Implementation::Process(process),
        Origin::value(&SourceId::new(format!("tools/{name}.json")), ""),
    );
    tool.annotations = Annotations { mutates: Some(false), ..Annotations::default() };
    tool
}

/// A policy that allows every call; the default one asks about shell scripts.
pub fn allow_all() -> Policy {
    let clause = Clause {
        tools: "*".to_owned(),
        when: None,
        effect: Effect::Allow,
        until: None,
        reason: None,
    };
    Policy::compile([clause]).expect("a valid clause")
}
