//! A tool that greets, declared under two names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Context, Native, Reply, declare};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Greet {
    /// The name of the person.
    pub(crate) name: String,
    /// How loudly to greet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) volume: Option<Volume>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Volume {
    Soft,
    Loud,
}

pub(crate) async fn greet(args: Greet, _: Context) -> Reply<String> {
    match (args.name.as_str(), args.volume) {
        ("", _) => Reply::failure("the name is empty", "no_name"),
        (name, Some(Volume::Loud)) => Reply::ok(format!("HELLO {name}")),
        (name, _) => Reply::ok(format!("hello {name}")),
    }
}

/// A valid tool that runs [`greet`].
pub(crate) fn greeter(name: &str) -> Native {
    Native::typed(name, greet)
        .purpose("Greets a person by name.")
        .example(Greet { name: "Ada".to_owned(), volume: None }, "Greets Ada.")
        .read_only()
}

pub(crate) fn zz_greet() -> Native {
    greeter("zz_greet")
}

pub(crate) fn aa_greet() -> Native {
    greeter("aa_greet")
}

// Declared in the reverse order of their names.
declare!(zz_greet);
declare!(aa_greet);
