//! Renders the tools of a crib as the snapshot that a server lists.

use std::{collections::BTreeMap, sync::Arc};

use catalog::{Catalog, Switch, Tool, name};
use server::{OutputSchemas, Snapshot, SnapshotOptions};
use workspace::{Crib, Descriptions, ServedOutputSchemas};

/// How a call is matched to the session whose state it works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sessions {
    /// By its connection: there is only one.
    #[default]
    ByConnection,
    /// By a handle argument as well. Over HTTP, clients of newer protocol revisions have no lasting
    /// connection.
    ByHandle,
}

/// Renders tools as the crib's configuration asks for. `absent` are tools that a switch turns off:
/// calling one reports why it is missing. A `profile` that no longer exists has no tools.
pub(crate) fn render(
    crib: &Crib,
    catalog: &Catalog,
    absent: &[(Arc<Tool>, &Switch)],
    sessions: Sessions,
    profile: Option<&str>,
) -> Snapshot {
    let options = SnapshotOptions {
        crib: crib.name(),
        full_names: crib.config.crib.full_names,
        describe: describer(crib),
        output_schemas: output_schemas(crib),
        policy: crib.policy.clone(),
        clients: crib.config.serve.clients.iter().map(|client| client.0.name).collect(),
    };
    let of_profile = |name| crib.profiles.iter().find(|profile| profile.name == name);
    let is_included = |tool: &Tool| {
        profile.is_none_or(|name| of_profile(name).is_some_and(|profile| profile.includes(tool)))
    };
    let absent = absent.iter().filter(|(tool, _)| is_included(tool));
    let snapshot = Snapshot::new(catalog, &options)
        .with_only(is_included)
        .with_unconfined(&missing_restrictions(crib))
        .with_unavailable(absence_reasons(crib, absent));
    match sessions {
        Sessions::ByConnection => snapshot,
        // State may not follow a connection there: 2026-07-28 requires an explicit handle.
        Sessions::ByHandle => snapshot.with_session_handles(),
    }
}

/// The reason why each switched-off tool is absent, by served name.
fn absence_reasons<'a>(
    crib: &Crib,
    absent: impl Iterator<Item = &'a (Arc<Tool>, &'a Switch)>,
) -> BTreeMap<String, String> {
    let reason = |switch: &Switch| format!("it is switched off until {switch}");
    absent.map(|(tool, switch)| (served_name(crib, &tool.name), reason(switch))).collect()
}

/// The name under which a crib serves its tool `name`.
pub fn served_name(crib: &Crib, name: &str) -> String {
    if crib.config.crib.full_names { name::qualify(&crib.name(), name) } else { name.to_owned() }
}

/// The function that writes the descriptions of a crib's tools for clients.
pub fn describer(crib: &Crib) -> fn(&Tool) -> String {
    match crib.config.crib.descriptions {
        None => docs::describe,
        Some(Descriptions::Full) => docs::DescriptionSize::Full.describer(),
        Some(Descriptions::Concise) => docs::DescriptionSize::Concise.describer(),
        Some(Descriptions::SchemaLess) => docs::DescriptionSize::SchemaLess.describer(),
    }
}

fn output_schemas(crib: &Crib) -> OutputSchemas {
    match crib.config.serve.output_schemas {
        ServedOutputSchemas::Auto => OutputSchemas::Auto,
        ServedOutputSchemas::All => OutputSchemas::All,
        ServedOutputSchemas::None => OutputSchemas::None,
    }
}

/// The restrictions that tools run without, because the configuration or the kernel lacks them.
pub(crate) fn missing_restrictions(crib: &Crib) -> Vec<String> {
    if crib.config.confine.enabled {
        runtime::sandbox_support().missing.clone()
    } else {
        let message =
            "a sandbox (turned off in toolcrib.toml): they can access everything that you can";
        vec![message.to_owned()]
    }
}

/// Finds a tool by its own name, by its name without the package prefix, or by its full served
/// name.
pub fn find_tool<'c>(catalog: &'c Catalog, crib: &Crib, name: &str) -> Option<&'c Arc<Tool>> {
    let by_bare_name =
        || catalog.tools().iter().find(|tool| tool.bare_name.as_deref() == Some(name));
    let by_full_name =
        || name.strip_prefix(&name::qualify(&crib.name(), "")).and_then(|name| catalog.get(name));
    // The exact name first: a bare name of one package may be the full name of another tool.
    catalog.get(name).or_else(by_bare_name).or_else(by_full_name)
}
