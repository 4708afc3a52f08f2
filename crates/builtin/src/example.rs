//! `example`: a template for tool authors. Served only with [`toolkit::Examples::Shown`].
//!
//! How to write one: crates/toolkit/templates/tool.md.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Context, Naming, Native, Reply};

use crate::PREFIX;

const PURPOSE: &str = "Shows how a native tool is written.\n\nReturns its arguments in the result envelope of this server's \
                       tools and has no effect. Use it to try out a client.";

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct Example {
    /// What to demonstrate.
    action: Action,
    /// The text to return.
    #[serde(default = "greeting")]
    message: String,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Demo,
    Test,
    Validate,
}

/// The result of the example.
#[derive(Debug, JsonSchema, Serialize)]
struct ExampleResult {
    /// The message from the arguments.
    message: String,
    /// The features that the tool demonstrates.
    shows: Vec<&'static str>,
}

/// The tool. It is not declared: a declaration would add it to every program that links this crate.
pub(crate) fn native() -> Native {
    Native::typed("example", example)
        .title("Example")
        .purpose(PURPOSE)
        .usage("Pass an action and, optionally, a message. Nothing is changed.")
        .example(
            Example { action: Action::Demo, message: "Grüße".to_owned() },
            "Returns the message and the features that the tool demonstrates.",
        )
        .example(
            Example { action: Action::Validate, message: greeting() },
            "Fails, to show what a failure looks like.",
        )
        .category("example")
        .demonstration()
        .naming(Naming::Prefixed(PREFIX))
        .read_only()
}

async fn example(given: Example, _: Context) -> Reply<ExampleResult> {
    if given.action == Action::Validate {
        return Reply::failure("this is what a failure looks like", "validation_error")
            .message("Nothing is wrong: the call asked for a failure.")
            .instruction("Do not try to fix this.");
    }
    let shows = vec![
        "typed arguments",
        "a generated schema",
        "the result envelope",
        "a message",
        "an instruction",
    ];
    Reply::ok(ExampleResult { message: given.message, shows })
        .message("This is the example tool.")
        .instruction("Tell the user what the example shows; do nothing else.")
}

fn greeting() -> String {
    "Hello".to_owned()
}
