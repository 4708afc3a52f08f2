//! Servers with small sets of native tools.

use std::{path::Path, sync::Arc};

use catalog::{Catalog, Policy};
use runtime::{Runtime, Settings};
use serde_json::{Value, json};
use server::{Identity, OutputSchemas, Server, Snapshot, SnapshotOptions};
use testing::schema;
use toolkit::{Content, Native, Outcome, Schema, Tool};

/// A server of these tools.
pub(crate) fn server_with(natives: Vec<Native>) -> Server {
    server_on(Runtime::new(Settings::new(std::env::temp_dir())), natives)
}

/// A server with the tool `echo` and a store in this folder.
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

/// A snapshot of these tools under the default policy.
pub(crate) fn snapshot(tools: impl IntoIterator<Item = Tool>) -> Snapshot {
    snapshot_with_policy(tools, Policy::default())
}

/// A snapshot of these tools under a policy.
pub(crate) fn snapshot_with_policy(
    tools: impl IntoIterator<Item = Tool>,
    policy: Policy,
) -> Snapshot {
    let options = SnapshotOptions {
        crib: "shop".into(),
        full_names: false,
        describe: |tool| tool.description.text.clone(),
        output_schemas: OutputSchemas::Auto,
        policy,
        clients: Vec::new(),
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

/// An outcome with structured content only.
pub(crate) fn structured(value: Value) -> Outcome {
    Outcome::structured(Vec::<Content>::new(), value)
}
