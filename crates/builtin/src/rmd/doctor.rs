//! `doctor`: what this machine can render documents with.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{BoxFuture, Content, Context, Naming, Native, Reply};

use super::CATEGORY;

/// Looks at this machine.
pub type Doctor = Arc<dyn Fn() -> BoxFuture<'static, Vec<Ability>> + Send + Sync>;

/// Something that rendering needs, or that can render.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Ability {
    /// What it is.
    pub name: String,
    /// Whether it is there and can be used.
    pub ok: bool,
    /// Which it is, or why it cannot be used.
    pub detail: String,
    /// What to do about it, if it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct Examine {}

const PURPOSE: &str = "Tells what can render documents here.\n\nLists what rendering needs (R, pandoc, TeX, containers), whether it \
                       is there and allowed, and what to do where it is not.";

pub(super) fn native(doctor: &Doctor) -> Native {
    let doctor = Arc::clone(doctor);
    Native::typed("doctor", move |_: Examine, _: Context| {
        let doctor = Arc::clone(&doctor);
        async move { reply(doctor().await) }
    })
    .title("What can render documents here")
    .purpose(PURPOSE)
    .usage("Call it when rendering fails for a reason that is not in the document.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}

fn reply(abilities: Vec<Ability>) -> Reply<Vec<Ability>> {
    let line = |one: &Ability| {
        let hint = one.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{} {}: {}{hint}", if one.ok { "ok" } else { "missing" }, one.name, one.detail)
    };
    let told = abilities.iter().map(line).collect::<Vec<_>>().join("\n");
    Reply::ok(abilities).content(vec![Content::Text(told)])
}
