//! A server with one tool, whole: `cargo run -p native-tool`. How to write more: docs/native-tools.md.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::{Identity, Server, serve_stdio_until};
use tokio_util::sync::CancellationToken;
use toolkit::{Context, Declarations, Native, Presentation, Reply, Toolset, declare};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct Count {
    /// The text whose words are counted.
    text: String,
}

declare!(tool);

fn tool() -> Native {
    Native::typed("count_words", count)
        .purpose("Counts the words of a text.\n\nWords are what stands between blanks.")
        .example(Count { text: "to be or not to be".to_owned() }, "Answers 6.")
        .read_only()
}

async fn count(Count { text }: Count, _: Context) -> Reply<usize> {
    match text.split_whitespace().count() {
        0 => Reply::failure("the text has no words", "empty_text")
            .instruction("Ask the user for a text."),
        words => Reply::ok(words),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let natives = Toolset::default()
        .with_declared(&Declarations::default())
        .build(&Presentation::default())?;
    let identity = Identity {
        name: "words".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        instructions: None,
    };
    serve_stdio_until(Server::of(identity, natives, docs::description), CancellationToken::new())
        .await?;
    Ok(())
}
