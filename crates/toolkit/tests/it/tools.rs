//! Tools that the tests use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Context, Native, Reply, declare};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Greet {
    /// Whom to greet.
    pub(crate) name: String,
    /// How loudly, if that matters.
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
        ("", _) => Reply::failure("there is nobody to greet", "no_name"),
        (name, Some(Volume::Loud)) => Reply::ok(format!("HELLO {name}")),
        (name, _) => Reply::ok(format!("hello {name}")),
    }
}

pub(crate) fn greeter(name: &str) -> Native {
    Native::typed(name, greet)
        .purpose("Greets somebody by name.")
        .example(Greet { name: "Ada".to_owned(), volume: None }, "Greets Ada.")
        .read_only()
}

pub(crate) fn one() -> Native {
    greeter("zz_greet")
}

pub(crate) fn other() -> Native {
    greeter("aa_greet")
}

declare!(one);
declare!(other);
