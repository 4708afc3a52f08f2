//! `doctor`: what this machine can run, and what to install.

use std::process::ExitCode;

use builtin::rmd::renderer;
use catalog::Diagnostic;
use host::{Assembly, Options};
use render::Component;
use runtime::{ResourceControl, Runtime, SandboxLevel};
use workspace::Crib;

use super::{CommandContext, CommandResult};
use crate::{
    error::{CommandError, Kind},
    executor::block_on,
    terminal,
};

/// Report what this machine can run, how well it can sandbox it, and what to install.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(context: &CommandContext<'_>, _: &Args) -> CommandResult {
    // A broken configuration is reported, and the machine is examined all the same.
    let (crib, problems) = Crib::open_lenient(context.global.crib.as_deref(), context.environment)?;
    let assembly = Assembly::new(crib, context.environment, Options::default());
    let crib = assembly.crib();
    terminal::print_line(&format!("crib          {} ({})", crib.name(), crib.folder.display()));
    terminal::print_line(&format!("state         {}", crib.state_folder().display()));
    if !problems.is_empty() {
        terminal::print("\nConfiguration\n");
        problems.iter().for_each(print_problem);
        terminal::print_line("  the rest of this report ignores these parts");
    }
    print_sandbox(crib);
    let runtime = assembly.bare_runtime()?;
    print_interpreters(&runtime);
    // With a broken configuration it is unknown whether documents are served.
    if crib.documents.is_some() || !problems.is_empty() {
        terminal::print("\nRendering of documents\n");
        block_on(renderer(&runtime, crib.render_settings()).components())?
            .iter()
            .for_each(print_component);
    }
    print_held(&assembly);
    let missing = print_tools(&assembly, &runtime)?;
    Ok(if problems.is_empty() {
        ExitCode::from(u8::from(missing > 0))
    } else {
        Kind::Machine.exit_code()
    })
}

fn print_problem(diagnostic: &Diagnostic) {
    let hint = diagnostic.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    terminal::print_line(&format!("  {}: {}{hint}", diagnostic.origin.source, diagnostic.message));
}

fn print_sandbox(crib: &Crib) {
    terminal::print("\nSandbox\n");
    if !crib.config.confine.enabled {
        return terminal::print_line(
            "  turned off in toolcrib.toml ([confine] enabled = false): tools can access everything that you can",
        );
    }
    let support = runtime::sandbox_support();
    let version =
        support.landlock.map_or_else(|| "none".to_owned(), |version| format!("version {version}"));
    let enforced = |is_enforced: bool| if is_enforced { "restricted" } else { "not restricted" };
    terminal::print_line(&format!("  level     {}", runtime::sandbox_level()));
    terminal::print_line(&format!("  Landlock  {version}"));
    terminal::print_line(&format!("  files     {}", enforced(support.files)));
    let lists = runtime::list_enforcement(runtime::sandbox_level());
    terminal::print_line(&format!(
        "  network   {}; in a list of destinations, {}",
        enforced(support.network),
        lists.as_str()
    ));
    terminal::print_line(&format!("  signals   {}", enforced(support.signals)));
    print_limits();
    for missing in &support.missing {
        terminal::print_line(&format!("  missing   {missing}"));
    }
}

/// What enforces the limits of a call as a whole.
fn print_limits() {
    let interval = runtime::WATCH_INTERVAL.as_millis();
    let control = match runtime::resource_control() {
        ResourceControl::Cgroup => "a control group for each call".to_owned(),
        ResourceControl::Watched => format!("a check of each call every {interval} ms"),
    };
    let places = match runtime::sandbox_level() {
        SandboxLevel::Namespaces => ", /tmp and /dev/shm by their size",
        SandboxLevel::Landlock | SandboxLevel::None => "",
    };
    terminal::print_line(&format!("  memory    limited by {control}, and for each process"));
    terminal::print_line(&format!("  processes limited by {control}"));
    terminal::print_line(&format!(
        "  disk      $TMPDIR limited by a check of each call every {interval} ms{places}"
    ));
}

fn print_interpreters(runtime: &Runtime) {
    terminal::print("\nPrograms\n");
    terminal::print_line(&match runtime.r_program() {
        Some(path) => format!("  R         {}", path.display()),
        None => "  R         not found; tools that are R functions need it (Debian, Ubuntu: apt install r-base-core)".to_owned(),
    });
    terminal::print_line(&match runtime.python_program() {
        Some(path) => format!("  Python    {}", path.display()),
        None => "  Python    not found; tools that are Python functions need it (Debian, Ubuntu: apt install python3)".to_owned(),
    });
}

fn print_component(component: &Component) {
    let Component { name, purpose, found, hint } = component;
    terminal::print_line(&match (found, hint) {
        (Some(found), _) => format!("  {name:<9} {found}"),
        (None, hint) => {
            format!("  {name:<9} not found ({purpose}); {}", hint.as_deref().unwrap_or_default())
        }
    });
}

fn print_held(assembly: &Assembly) {
    if assembly.held().is_empty() {
        return;
    }
    terminal::print("\nHeld back until you run `toolcrib lock --accept NAME`\n");
    assembly.held().iter().for_each(|drift| terminal::print_line(&format!("  {drift}")));
}

/// Prints whether each tool can run. Returns how many cannot.
fn print_tools(assembly: &Assembly, runtime: &Runtime) -> Result<usize, CommandError> {
    let tools = assembly.loaded().catalog.filter(|tool| tool.is_callable());
    let is_held = |name: &str| assembly.held().iter().any(|drift| drift.held_tool() == Some(name));
    if !tools.tools().is_empty() {
        terminal::print("\nTools\n");
    }
    block_on(async {
        let mut missing = 0;
        for tool in tools.tools() {
            match runtime.available(tool).await {
                Ok(()) if is_held(&tool.name) => {
                    terminal::print_line(&format!("  held     {}", tool.name));
                }
                Ok(()) => terminal::print_line(&format!("  ok       {}", tool.name)),
                Err(failure) => {
                    missing += 1;
                    terminal::print_line(&format!("  missing  {}: {}", tool.name, failure.message));
                }
            }
        }
        missing
    })
}
