//! The tools, prompts and resources of the server. The conformance suite expects these names and
//! texts.

mod client_input;
mod prompts;
mod resources;
mod tasks;
mod tools;

use base64::{Engine, engine::general_purpose::STANDARD};
pub(crate) use prompts::TestPrompts;
pub(crate) use resources::TestResources;
use serde_json::Value;
use toolkit::{Native, Schema};
pub(crate) use tools::echo;

pub(crate) fn tools() -> Vec<Native> {
    let mut all = tools::all();
    all.extend(client_input::all());
    all.extend(tasks::all());
    all
}

/// A PNG image with one pixel.
fn png_image() -> Vec<u8> {
    decode_base64(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    )
}

/// A WAV file without samples.
fn wav_audio() -> Vec<u8> {
    decode_base64("UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=")
}

fn decode_base64(text: &str) -> Vec<u8> {
    STANDARD.decode(text).expect("the constants in this file are valid base64")
}

fn schema(value: Value) -> Schema {
    match value {
        Value::Object(object) => Schema::new(object),
        _ => unreachable!("all schemas in this example are objects"),
    }
}
