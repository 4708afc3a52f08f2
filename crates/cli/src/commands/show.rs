//! `show`: one tool.

use std::{process::ExitCode, sync::Arc};

use catalog::{Catalog, Tool};
use runtime::Runtime;

use super::{CallServices, CommandResult};
use crate::{
    error::{CommandError, Kind},
    guide::Material,
    keeper, terminal,
};

/// Show one tool: what it does, its arguments, the command line it becomes, where it is defined.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tool's name.
    name: String,
}

pub(crate) fn run(here: &CallServices<'_>, args: &Args) -> CommandResult {
    let (crib, loaded) = here.load()?;
    let flags = keeper::flags(&crib, here.environment, keeper::nobody());
    let material = Material::new(&crib, &loaded, &flags);
    let natives =
        keeper::natives(&crib, here.environment, &Runtime::new(crib.settings()), &material, None)?;
    let all = keeper::with_built_ins(&crib, &loaded.catalog, &natives);
    let tool = find(&all, &crib.name(), &args.name)?;
    terminal::line(&docs::terminal(&tool));
    Ok(ExitCode::SUCCESS)
}

/// The tool of a name: its own, without its prefix, or as served by a crib with full names.
pub(super) fn find(catalog: &Catalog, crib: &str, name: &str) -> Result<Arc<Tool>, CommandError> {
    let undecorated = name.strip_prefix(&catalog::name::qualify(crib, ""));
    let bare = || catalog.tools().iter().find(|tool| tool.bare_name.as_deref() == Some(name));
    let found =
        catalog.get(name).or_else(bare).or_else(|| undecorated.and_then(|name| catalog.get(name)));
    found.cloned().ok_or_else(|| {
        let hint = match catalog.closest(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "`toolcrib list` shows the tools, `toolcrib check` why one is missing".to_owned()
            }
        };
        CommandError::new(Kind::NoSuchTool, format!("there is no tool `{name}`")).hint(hint)
    })
}
