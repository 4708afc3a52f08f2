//! `doctor`: what this machine has of all that rendering can use.

use runtime::render::Component;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{Content, Context, Naming, Native, Reply};

use super::{super::CATEGORY, Rendering};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct Doctor {}

/// What there is.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Findings {
    /// Everything that rendering can use.
    components: Vec<Finding>,
}

/// Something that rendering can use.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct Finding {
    /// Its name.
    name: String,
    /// What it is for.
    purpose: String,
    /// Its version, if it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    /// What to do if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl From<Component> for Finding {
    fn from(component: Component) -> Self {
        let Component { name, purpose, found, hint } = component;
        Self { name: name.to_owned(), purpose: purpose.to_owned(), found, hint }
    }
}

impl Finding {
    fn line(&self) -> String {
        match (&self.found, &self.hint) {
            (Some(found), _) => format!("ok       {}: {found}", self.name),
            (None, hint) => format!("missing  {}: {}; {}", self.name, self.purpose, hint.as_deref().unwrap_or_default()),
        }
    }
}

const PURPOSE: &str = "Says what can render documents here.\n\nR, its packages, pandoc, TeX, Docker, Compose and Quarto: the \
                       version of what is there, and what to install for the rest.";

pub(super) fn native(rendering: &Rendering) -> Native {
    let rendering = rendering.clone();
    Native::typed("doctor", move |_: Doctor, _: Context| {
        let rendering = rendering.clone();
        async move {
            let components = rendering.renderer().components().await.into_iter().map(Finding::from).collect::<Vec<_>>();
            let text = components.iter().map(Finding::line).collect::<Vec<_>>().join("\n");
            Reply::ok(Findings { components }).content(vec![Content::Text(text)])
        }
    })
    .title("What can render documents")
    .purpose(PURPOSE)
    .category(CATEGORY)
    .naming(Naming::Bare)
    .read_only()
}
