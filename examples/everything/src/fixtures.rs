//! What the server has. Names and texts are those that the conformance suite looks for.

mod asking;
mod prompts;
mod resources;
mod tasks;
mod tools;

use base64::{Engine, engine::general_purpose::STANDARD};
pub(crate) use prompts::Openings;
pub(crate) use resources::Things;
use serde_json::Value;
use toolkit::{Native, Schema};
pub(crate) use tools::echo;

/// All tools.
pub(crate) fn tools() -> Vec<Native> {
    let mut all = tools::all();
    all.extend(asking::all());
    all.extend(tasks::all());
    all
}

/// A picture of one pixel.
fn picture() -> Vec<u8> {
    decoded(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    )
}

/// A sound of no length.
fn sound() -> Vec<u8> {
    decoded("UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=")
}

fn decoded(text: &str) -> Vec<u8> {
    STANDARD.decode(text).expect("the text is base64")
}

fn schema(value: Value) -> Schema {
    match value {
        Value::Object(object) => Schema::new(object),
        _ => unreachable!("schemas here are objects"),
    }
}
