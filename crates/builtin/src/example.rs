//! `example`: a tool that shows how tools are written. Listed only if it is asked for.
//!
//! How to write one: crates/toolkit/templates/tool.md.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Context, Naming, Native, Reply};

use crate::PREFIX;

const PURPOSE: &str = "Shows how a native tool is written.\n\nIt does nothing but answer what it was given, in the way every \
                       tool of this server answers. Use it to try out a client; it is of no other use.";

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct Example {
    /// What to show.
    action: Action,
    /// A text to answer with.
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

/// What the example answers.
#[derive(Debug, JsonSchema, Serialize)]
struct Shown {
    /// The message that was given.
    message: String,
    /// What there is to see.
    shows: Vec<&'static str>,
}

/// The tool. It is not declared: a declaration would add it to every program that links this crate.
pub(crate) fn native() -> Native {
    Native::typed("example", example)
        .title("Example")
        .purpose(PURPOSE)
        .usage("Pass an action, and a message if you like. Nothing is changed.")
        .example(
            Example { action: Action::Demo, message: "Grüße".to_owned() },
            "Answers the message and what the tool shows.",
        )
        .example(
            Example { action: Action::Validate, message: greeting() },
            "Fails, to show what a failure looks like.",
        )
        .category("example")
        .naming(Naming::Prefixed(PREFIX))
        .read_only()
}

async fn example(given: Example, _: Context) -> Reply<Shown> {
    if given.action == Action::Validate {
        return Reply::failure("this is what a failure looks like", "validation_error")
            .message("Nothing is wrong: it was asked to fail.")
            .instruction("Do not try to mend this.");
    }
    let shows = vec![
        "typed arguments",
        "a generated schema",
        "the result envelope",
        "a message",
        "an instruction",
    ];
    Reply::ok(Shown { message: given.message, shows })
        .message("This is the example tool.")
        .instruction("Tell the user what the example shows; do nothing else.")
}

fn greeting() -> String {
    "Hello".to_owned()
}
