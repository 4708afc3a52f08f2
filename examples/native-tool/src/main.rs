//! A complete server with one tool: `cargo run -p native-tool`. See docs/native-tools.md for more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::{Identity, Server, serve_stdio};
use toolkit::{Context, Declarations, Native, Reply, Toolset, ToolsetOptions, declare};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct Count {
    /// The text whose words are counted.
    text: String,
}

declare!(tool);

fn tool() -> Native {
    Native::typed("count_words", count)
        .purpose("Counts the words of a text.\n\nWords are separated by whitespace.")
        .example(Count { text: "to be or not to be".to_owned() }, "Returns 6.")
        .read_only()
}

async fn count(Count { text }: Count, _: Context) -> Reply<usize> {
    match text.split_whitespace().count() {
        0 => Reply::failure("the text has no words", "empty_text").instruction("Ask for a text."),
        words => Reply::ok(words),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let identity = Identity { name: "words".to_owned(), version, instructions: None };
    let tools = Toolset::default().with_declared(&Declarations::default());
    let options = ToolsetOptions::from_variables(|name| std::env::var(name).ok())?;
    let server = Server::of(identity, tools.build(&options)?, docs::describe);
    Ok(serve_stdio(server).await?)
}
