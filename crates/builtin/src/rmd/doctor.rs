//! `doctor`: reports what this machine can render documents with.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{BoxFuture, Content, Context, Naming, Native, Reply};

use super::CATEGORY;

/// Inspects this machine.
pub type Doctor = Arc<dyn Fn() -> BoxFuture<'static, Vec<Ability>> + Send + Sync>;

/// A renderer, or a program that rendering needs.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Ability {
    /// Name of the program or renderer.
    pub name: String,
    /// Whether it is available and allowed.
    pub ok: bool,
    /// Its version, or why it is not available.
    pub detail: String,
    /// How to make it available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct DoctorArguments {}

const PURPOSE: &str = "Reports what can render documents here.\n\nLists the programs that rendering needs (R, pandoc, TeX, \
                       containers), whether each is available and allowed, and how to fix what is missing.";

pub(super) fn native(doctor: &Doctor) -> Native {
    let doctor = Arc::clone(doctor);
    Native::typed("doctor", move |_: DoctorArguments, _: Context| {
        let doctor = Arc::clone(&doctor);
        async move { build_reply(doctor().await) }
    })
    .title("What can render documents here")
    .purpose(PURPOSE)
    .usage("Call it when rendering fails for a reason outside the document.")
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}

fn build_reply(abilities: Vec<Ability>) -> Reply<Vec<Ability>> {
    let line = |one: &Ability| {
        let hint = one.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{} {}: {}{hint}", if one.ok { "ok" } else { "missing" }, one.name, one.detail)
    };
    let text = abilities.iter().map(line).collect::<Vec<_>>().join("\n");
    Reply::ok(abilities).content(vec![Content::Text(text)])
}
