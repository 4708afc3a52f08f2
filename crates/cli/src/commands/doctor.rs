//! `doctor`: what this machine can run, and what to do about the rest.

use std::process::ExitCode;

use builtin::rmd::renderer;
use catalog::Diagnostic;
use host::{Assembly, Options};
use render::Component;
use workspace::Crib;

use super::{CommandContext, CommandResult};
use crate::{error::Kind, executor::block_on, terminal};

/// Say what this machine can run, how well it can confine it, and what to install.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(context: &CommandContext<'_>, _: &Args) -> CommandResult {
    // What is wrong with its configuration does not keep the machine from being looked at.
    let (crib, wrong) = Crib::open_lenient(context.global.crib.as_deref(), context.environment)?;
    let assembly = Assembly::new(crib, context.environment, Options::default());
    let crib = assembly.crib();
    terminal::line(&format!("crib          {} ({})", crib.name(), crib.folder.display()));
    terminal::line(&format!("state         {}", crib.state_folder().display()));
    if !wrong.is_empty() {
        terminal::print("\nConfiguration\n");
        wrong.iter().for_each(print_wrong);
        terminal::line("  what follows is told as if that were not there");
    }
    terminal::print("\nConfinement of tools\n");
    match crib.config.confine.enabled {
        true => print_support(runtime::sandbox_support()),
        false => terminal::line(
            "  switched off in toolcrib.toml ([confine] enabled = false): tools can touch what you can",
        ),
    }
    let runtime = assembly.bare_runtime()?;
    terminal::print("\nPrograms\n");
    terminal::line(&match runtime.r_program() {
        Some(path) => format!("  R         {}", path.display()),
        None => "  R         not found; tools that are R functions need it (Debian, Ubuntu: apt install r-base-core)".to_owned(),
    });
    terminal::line(&match runtime.python_program() {
        Some(path) => format!("  Python    {}", path.display()),
        None => "  Python    not found; tools that are Python functions need it (Debian, Ubuntu: apt install python3)".to_owned(),
    });
    if crib.documents.is_some() || !wrong.is_empty() {
        terminal::print("\nRendering of documents\n");
        block_on(renderer(&runtime, crib.render_settings()).components())?
            .iter()
            .for_each(print_component);
    }
    let tools: Vec<_> =
        assembly.loaded().catalog.tools().iter().filter(|tool| tool.is_callable()).collect();
    if !tools.is_empty() {
        terminal::print("\nTools\n");
    }
    let mut missing = 0;
    for tool in tools {
        match block_on(runtime.available(tool))? {
            Ok(()) => terminal::line(&format!("  ok       {}", tool.name)),
            Err(failure) => {
                missing += 1;
                terminal::line(&format!("  missing  {}: {}", tool.name, failure.message));
            }
        }
    }
    Ok(match wrong.is_empty() {
        true => ExitCode::from(u8::from(missing > 0)),
        false => Kind::Machine.exit_code(),
    })
}

fn print_wrong(diagnostic: &Diagnostic) {
    let hint = diagnostic.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    terminal::line(&format!("  {}: {}{hint}", diagnostic.origin.source, diagnostic.message));
}

fn print_component(component: &Component) {
    let Component { name, purpose, found, hint } = component;
    terminal::line(&match (found, hint) {
        (Some(found), _) => format!("  {name:<9} {found}"),
        (None, hint) => {
            format!("  {name:<9} not found ({purpose}); {}", hint.as_deref().unwrap_or_default())
        }
    });
}

fn print_support(support: &runtime::SandboxSupport) {
    let version =
        support.landlock.map_or_else(|| "none".to_owned(), |version| format!("version {version}"));
    let yes = |held: bool| {
        if held { "held to what they may touch" } else { "not held" }
    };
    terminal::line(&format!("  Landlock  {version}"));
    terminal::line(&format!("  files     {}", yes(support.files)));
    terminal::line(&format!("  network   {}", yes(support.network)));
    terminal::line(&format!("  signals   {}", yes(support.signals)));
    for missing in &support.missing {
        terminal::line(&format!("  missing   {missing}"));
    }
}
