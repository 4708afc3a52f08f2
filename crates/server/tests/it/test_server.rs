//! Servers to test: small sets of native tools behind the whole of the server.

use std::{path::Path, sync::Arc};

use catalog::Catalog;
use runtime::{Runtime, Settings};
use serde_json::{Value, json};
use server::{Identity, Server, Snapshot, SnapshotOptions};
use toolkit::{Content, Native, Outcome, Schema, Tool};

/// A server of these tools.
pub(crate) fn server_with(natives: Vec<Native>) -> Server {
    server_on(Runtime::new(Settings::new(std::env::temp_dir())), natives)
}

/// A server with the tool `echo` that keeps an audit in this folder.
pub(crate) fn server_with_store(folder: &Path) -> Server {
    let store = Arc::new(store::Store::open(folder).expect("a store"));
    server_on(Runtime::with_journal(Settings::new(folder.to_owned()), store), vec![echo("echo")])
}

/// A server of these tools on a runtime.
pub(crate) fn server_on(runtime: Runtime, natives: Vec<Native>) -> Server {
    let snapshot = snapshot(natives.iter().map(|native| native.tool.clone()));
    let identity = Identity {
        name: "workshop".into(),
        version: "1.2.3".into(),
        instructions: Some("Be careful.".into()),
    };
    Server::new(identity, Arc::new(runtime.with_natives(natives)), snapshot)
}

/// A server with the tool `echo`.
pub(crate) fn echo_server() -> Server {
    server_with(vec![echo("echo")])
}

/// What is served of these tools.
pub(crate) fn snapshot(tools: impl IntoIterator<Item = Tool>) -> Snapshot {
    let options = SnapshotOptions {
        crib: "shop".into(),
        full_names: false,
        describe: |tool| tool.description.text.clone(),
        policy: catalog::Policy::default(),
    };
    Snapshot::new(&Catalog::merge(tools).0, &options)
}

/// A tool that returns its argument.
pub(crate) fn echo(name: &str) -> Native {
    let input = json!({
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
        "additionalProperties": false,
    });
    Native::new(name, "Echo", schema(input), async |arguments: toolkit::Arguments, _| {
        Ok(Outcome::text(arguments["message"].as_str().unwrap_or_default()))
    })
    .read_only()
}

/// A tool without arguments.
pub(crate) fn tool(name: &str, handler: impl toolkit::Handler) -> Native {
    Native::new(name, format!("The tool {name}"), Schema::empty(), handler)
}

pub(crate) fn schema(value: Value) -> Schema {
    Schema::new(value.as_object().expect("an object").clone())
}

/// An outcome that is only structured.
pub(crate) fn structured(value: Value) -> Outcome {
    Outcome::structured(Vec::<Content>::new(), value)
}
