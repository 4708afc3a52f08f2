//! `doctor`: what this machine can run, and what to install.

use std::{collections::BTreeMap, process::ExitCode};

use builtin::rmd::renderer;
use catalog::{Diagnostic, Implementation, Tool};
use host::{Assembly, Options, background::Background};
use render::Component;
use runtime::{ResourceControl, Runtime, SandboxLevel};
use workspace::{Crib, RenderBackend, UNUSABLE_MODULE, missing_r_packages};

use super::{CommandContext, CommandResult};
use crate::{
    error::{CommandError, ErrorKind},
    executor::block_on,
    terminal::{self, Paint},
    wrap::wrap,
};

/// Column of the text after a label.
const INDENT: usize = 12;

/// Report what this machine can run, how well it can sandbox it, and what to install.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(context: &CommandContext<'_>, _: &Args) -> CommandResult {
    // A broken configuration is reported, and the machine is examined all the same.
    let (crib, problems) = Crib::open_lenient(context.global.crib.as_deref(), context.environment)?;
    let assembly = Assembly::new(crib, context.environment, Options::default());
    let crib = assembly.crib();
    print_row(&format!("crib          {} ({})", crib.name(), crib.folder.display()));
    print_row(&format!("state         {}", crib.state_folder().display()));
    if let Ok(Some(status)) = block_on(Background::of(crib).status())? {
        terminal::print_line(&format!("background    process {}", status.pid));
    }
    if !problems.is_empty() {
        print_heading("Configuration");
        problems.iter().for_each(print_problem);
        terminal::print_line("  the rest of this report ignores these parts");
    }
    print_sandbox(crib);
    let runtime = assembly.bare_runtime()?;
    print_interpreters(&runtime);
    print_profiles(&assembly);
    // With a broken configuration it is unknown whether documents are served.
    if crib.documents.is_some() || !problems.is_empty() {
        print_heading("Rendering of documents");
        let components = block_on(renderer(&runtime, crib.render_settings()).components())?;
        components.iter().for_each(print_component);
        print_row(&format!("  renders with {}", describe_backend(crib, &components)));
    }
    print_held(&assembly);
    let missing = print_tools(&assembly, &runtime)?;
    Ok(if problems.is_empty() {
        ExitCode::from(u8::from(missing > 0))
    } else {
        ErrorKind::Machine.exit_code()
    })
}

fn print_heading(heading: &str) {
    terminal::print_line(&format!("\n{}", terminal::paint(heading, Paint::Bold)));
}

/// Prints a row that starts with a label.
fn print_row(row: &str) {
    terminal::print_line(&wrap(row, INDENT));
}

fn print_problem(diagnostic: &Diagnostic) {
    let hint = diagnostic.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    let text = format!("{}: {}{hint}", diagnostic.origin.source, diagnostic.message);
    print_row(&format!("  {}", terminal::escape_message(&text)));
}

fn print_sandbox(crib: &Crib) {
    print_heading("Sandbox");
    if !crib.config.confine.enabled {
        return print_row(
            "  turned off in toolcrib.toml ([confine] enabled = false): tools can access everything that you can",
        );
    }
    let support = runtime::sandbox_support();
    let version =
        support.landlock.map_or_else(|| "none".to_owned(), |version| format!("version {version}"));
    let enforced = |is_enforced: bool| if is_enforced { "restricted" } else { "not restricted" };
    print_row(&format!("  level     {}", runtime::sandbox_level()));
    print_row(&format!("  Landlock  {version}"));
    print_row(&format!("  files     {}", enforced(support.files)));
    let lists = runtime::list_enforcement(runtime::sandbox_level());
    print_row(&format!(
        "  network   {}; in a list of destinations, {}",
        enforced(support.network),
        lists.as_str()
    ));
    print_row(&format!("  signals   {}", enforced(support.signals)));
    print_limits();
    for missing in &support.missing {
        print_row(&format!("  {}   {missing}", terminal::paint("missing", Paint::Red)));
    }
}

/// Describes how the limits of a call as a whole are enforced.
fn print_limits() {
    let interval = runtime::WATCH_INTERVAL.as_millis();
    let control = match runtime::resource_control() {
        ResourceControl::Cgroup => "a control group for each call".to_owned(),
        ResourceControl::Watched => format!("a check of each call every {interval} ms"),
        ResourceControl::None => {
            return print_row("  limits    time and output only, because the others need Linux");
        }
    };
    let places = match runtime::sandbox_level() {
        SandboxLevel::Namespaces => ", /tmp and /dev/shm by their size",
        SandboxLevel::Landlock | SandboxLevel::None => "",
    };
    print_row(&format!("  memory    limited by {control}, and for each process"));
    print_row(&format!("  processes limited by {control}"));
    print_row(&format!(
        "  disk      $TMPDIR limited by a check of each call every {interval} ms{places}"
    ));
}

fn print_interpreters(runtime: &Runtime) {
    print_heading("Programs");
    print_row(&match runtime.r_program() {
        Some(path) => format!("  R         {}", path.display()),
        None => "  R         not found; tools that are R functions need it (Debian, Ubuntu: apt install r-base-core)".to_owned(),
    });
    print_row(&match runtime.python_program() {
        Some(path) => format!("  Python    {}", path.display()),
        None => "  Python    not found; tools that are Python functions need it (Debian, Ubuntu: apt install python3)".to_owned(),
    });
}

/// Prints which of the user's files and variables each program gets.
fn print_profiles(assembly: &Assembly) {
    let programs = assembly.settings().programs;
    let mut profiles = BTreeMap::<_, Vec<_>>::new();
    for tool in assembly.loaded().catalog.tools() {
        let Implementation::Process(process) = &tool.implementation else { continue };
        let profile = programs.grant_of(&process.program, tool).describe();
        let tools = profiles.entry(&process.program).or_default();
        tools.push((profile, &tool.name));
    }
    let mut rows = Vec::new();
    for (program, tools) in profiles {
        let mut distinct: Vec<_> =
            tools.iter().filter_map(|(profile, _)| profile.as_ref()).collect();
        distinct.sort();
        distinct.dedup();
        for profile in distinct {
            let having = tools.iter().filter(|(other, _)| other.as_ref() == Some(profile));
            let having: Vec<_> = having.map(|(_, name)| name.as_str()).collect();
            let is_shared = having.len() == tools.len();
            let who = if is_shared { String::new() } else { format!(" ({})", having.join(", ")) };
            rows.push(format!("  {program:<9} {profile}{who}"));
        }
    }
    if !rows.is_empty() {
        print_heading("Profiles of programs");
        rows.iter().for_each(|row| print_row(row));
    }
}

fn print_component(component: &Component) {
    let Component { name, purpose, found, hint } = component;
    print_row(&match (found, hint) {
        (Some(found), _) => format!("  {name:<9} {found}"),
        (None, hint) => {
            format!("  {name:<9} not found ({purpose}); {}", hint.as_deref().unwrap_or_default())
        }
    });
}

/// Describes the backend that would render a document, or why no backend is available.
fn describe_backend(crib: &Crib, components: &[Component]) -> String {
    let has = |name: &str| components.iter().any(|one| one.name == name && one.found.is_some());
    let documents = &crib.config.documents;
    let local = || {
        let missing: Vec<_> =
            ["R", "rmarkdown", "knitr", "pandoc"].into_iter().filter(|name| !has(name)).collect();
        if !documents.allow_local {
            Err("`allow_local` in `[documents]` is off".to_owned())
        } else if !missing.is_empty() {
            Err(format!("without {}", missing.join(", ")))
        } else if has("tex") {
            Ok("R on this machine".to_owned())
        } else {
            Ok("R on this machine, but nothing to PDF, because TeX was not found".to_owned())
        }
    };
    let docker =
        || has("docker").then(|| "Docker".to_owned()).ok_or("Docker does not answer".to_owned());
    let compose = || {
        let found = has("compose").then(|| "Docker Compose".to_owned());
        found.ok_or("Docker Compose does not answer".to_owned())
    };
    let concluded = match documents.backend.get_ref() {
        RenderBackend::Docker => docker(),
        RenderBackend::Compose => compose(),
        RenderBackend::Local => local(),
        RenderBackend::Auto => docker()
            .or_else(|docker| compose().map_err(|_| docker))
            .or_else(|docker| local().map_err(|local| format!("{docker} and {local}"))),
    };
    concluded.unwrap_or_else(|reason| format!("nothing, because {reason}"))
}

fn print_held(assembly: &Assembly) {
    if assembly.held().is_empty() {
        return;
    }
    print_heading("Held back until you run `toolcrib lock --accept NAME`");
    assembly.held().iter().for_each(|drift| print_row(&format!("  {drift}")));
}

/// Prints whether each tool can run. Returns how many cannot.
fn print_tools(assembly: &Assembly, runtime: &Runtime) -> Result<usize, CommandError> {
    let tools = assembly.loaded().catalog.filter(|tool| tool.is_callable());
    let is_held = |name: &str| assembly.held().iter().any(|drift| drift.held_tool() == Some(name));
    if !tools.tools().is_empty() {
        print_heading("Tools");
    }
    block_on(async {
        let mut missing = 0;
        for tool in tools.tools() {
            let state = match runtime.available(tool).await {
                Ok(()) if is_held(&tool.name) => ToolState::Held,
                Ok(()) => examine(assembly, tool),
                Err(failure) => ToolState::Missing(failure.message),
            };
            missing += usize::from(matches!(state, ToolState::Missing(_) | ToolState::Broken(_)));
            print_row(&format!("  {}", state.describe(&tool.name)));
        }
        missing
    })
}

/// The result of examining a tool.
enum ToolState {
    Ok,
    Held,
    /// A program or package is not installed.
    Missing(String),
    /// The definition or code has this error.
    Broken(String),
    /// This cannot be determined without running the tool's code.
    Unknown(String),
}

impl ToolState {
    fn describe(&self, tool: &str) -> String {
        let line = |word: &str, paint: Paint, width: usize, reason: &str| {
            let space = " ".repeat(width - word.len());
            let reason = terminal::escape_message(reason);
            format!("{}{space}{tool}: {reason}", terminal::paint(word, paint))
        };
        match self {
            Self::Ok => format!("ok       {tool}"),
            Self::Held => format!("{}     {tool}", terminal::paint("held", Paint::Yellow)),
            Self::Missing(reason) => line("missing", Paint::Red, 9, reason),
            Self::Broken(reason) => line("broken", Paint::Red, 9, reason),
            Self::Unknown(reason) => line("unknown", Paint::Yellow, 9, reason),
        }
    }
}

/// Examines a tool whose program is installed.
fn examine(assembly: &Assembly, tool: &Tool) -> ToolState {
    let of_tool = |found: &&Diagnostic| found.tool.as_deref() == Some(&tool.name);
    let diagnostics = || assembly.loaded().diagnostics.iter().filter(of_tool);
    if let Some(found) = diagnostics().find(|found| found.is_error()) {
        return ToolState::Broken(found.message.clone());
    }
    let packages = missing_r_packages(assembly.crib(), tool);
    if !packages.is_empty() {
        let quoted: Vec<_> = packages.iter().map(|name| format!("\"{name}\"")).collect();
        return ToolState::Missing(format!(
            "R packages are not installed: {}; run install.packages(c({})) in R",
            packages.join(", "),
            quoted.join(", ")
        ));
    }
    match diagnostics().find(|found| found.code == UNUSABLE_MODULE.code) {
        Some(found) => ToolState::Unknown(format!("{}; it may be installed", found.message)),
        None => ToolState::Ok,
    }
}
