//! A server with one tool, prompt or resource for each feature that a client can use.
//!
//! It uses the public crates the way a product with its own native tools would, so its tools go
//! through the same catalog, validation and server code as any other tool. The official conformance
//! suite and the benchmarks run against it.

mod fixtures;

use std::{error::Error, net::SocketAddr, sync::Arc, time::Duration};

use catalog::{Catalog, Policy};
use clap::Parser;
use runtime::{Runtime, Settings};
use server::{
    HttpOptions, Identity, OutputSchemas, Server, Snapshot, SnapshotOptions, serve_http,
    serve_stdio_until,
};
use tokio::{net::TcpListener, signal::unix};
use tokio_util::sync::CancellationToken;
use toolkit::{Native, Tool};

/// Serve one tool, prompt or resource for each MCP feature, on stdio or over HTTP
#[derive(Parser)]
struct Args {
    /// Serve streamable HTTP at this address, with the path /mcp
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Add this many echo tools
    #[arg(long, value_name = "N", default_value_t = 0)]
    tools: usize,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let server = build_server(args.tools)?;
    let shutdown = shutdown_token()?;
    match args.http {
        Some(address) => {
            serve_http(server, HttpOptions::new(TcpListener::bind(address).await?), shutdown)
                .await?
        }
        None => serve_stdio_until(server, shutdown).await?,
    }
    Ok(())
}

fn build_server(extra_tools: usize) -> Result<Server, Box<dyn Error>> {
    // Short, so that even a brief tool becomes an operation in the conformance tests.
    let settings = Settings {
        answer_within: Duration::from_millis(50),
        ..Settings::new(std::env::current_dir()?)
    };
    let runtime = Runtime::new(settings);
    let mut natives = fixtures::tools();
    natives.extend(builtin::operation_tools(&runtime.operations()));
    natives.extend((0..extra_tools).map(|number| fixtures::echo(format!("tool_{number:04}"))));
    let (catalog, problems) =
        Catalog::merge(natives.iter().map(|native: &Native| native.tool.clone()));
    if let Some(problem) = problems.first() {
        return Err(problem.message.clone().into());
    }
    let options = SnapshotOptions {
        crib: "everything".into(),
        full_names: false,
        describe: description_text,
        output_schemas: OutputSchemas::Auto,
        policy: Policy::default(),
        clients: Vec::new(),
    };
    let runtime = runtime.with_natives(natives);
    let identity = Identity {
        name: "everything".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        instructions: None,
    };
    Ok(Server::new(identity, Arc::new(runtime), Snapshot::new(&catalog, &options))
        .with_resources(Arc::new(fixtures::TestResources))
        .with_prompts(Arc::new(fixtures::TestPrompts)))
}

fn description_text(tool: &Tool) -> String {
    tool.description.text.clone()
}

/// A token that is cancelled on SIGTERM or SIGINT.
fn shutdown_token() -> Result<CancellationToken, std::io::Error> {
    let token = CancellationToken::new();
    for kind in [unix::SignalKind::terminate(), unix::SignalKind::interrupt()] {
        let mut signal = unix::signal(kind)?;
        let token = token.clone();
        tokio::spawn(async move {
            signal.recv().await;
            token.cancel();
        });
    }
    Ok(token)
}
