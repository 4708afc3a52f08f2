//! `init`: a crib to start from.

use std::{
    env, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::ExitCode,
};

use atomic_file::Access;
use import::{Draft, Project, find_drafts};
use serde_json::{Value, json};

use super::{CommandContext, CommandResult, schema::render};
use crate::{error::CommandError, terminal};

/// Paths of the JSON Schemas of definitions and of the configuration, and of the editor settings that
/// refer to the first one.
const SCHEMA: &str = ".vscode/toolcrib-tools.schema.json";
const CONFIG_SCHEMA: &str = ".vscode/toolcrib-config.schema.json";
const EDITOR_SETTINGS: &str = ".vscode/settings.json";
const WORKFLOW: &str = ".github/workflows/toolcrib.yml";

/// Start a crib: find what the folder has (git, Makefile, justfile, package.json, Cargo.toml,
/// pyproject.toml, an R package) and write tools for it.
///
/// Existing files stay as they are, so running it again only adds what is missing. At a terminal it
/// asks what to write, unless the options say so.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder [default: the current one].
    dir: Option<PathBuf>,
    /// Name of the crib, which clients show [default: the name of the folder].
    #[arg(long)]
    name: Option<String>,
    /// Write tools only for these: git, make, just, npm, cargo, pytest, exports, a program of the
    /// Python package; or `none`.
    #[arg(long, value_name = "SOURCE", value_delimiter = ',')]
    with: Option<Vec<String>>,
    /// Write a GitHub workflow that checks the definitions.
    #[arg(long)]
    ci: bool,
    /// Ask nothing.
    #[arg(short, long)]
    yes: bool,
}

/// The files of a folder.
struct Folder(PathBuf);

impl Project for Folder {
    fn exists(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.0.join(path)).ok()
    }
}

/// What to write.
struct Choices {
    name: String,
    drafts: Vec<Draft>,
    has_workflow: bool,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let folder = open_folder(args.dir.as_ref().or(context.global.crib.as_ref()))?;
    let choices = choose(&folder, args)?;
    let r_package = read_package_name(&folder);
    let mut config = include_str!("init/toolcrib.toml").replace("{name}", &choices.name);
    if folder.exists(".vscode") {
        // The notation of the TOML extensions of editors for the schema of a file.
        config.insert_str(0, &format!("#:schema ./{CONFIG_SCHEMA}\n"));
    }
    let mut written = vec![("toolcrib.toml".to_owned(), config)];
    written.extend(choices.drafts.iter().map(|draft| (draft.file(), draft.text())));
    // Nothing was found to draft tools from, so the crib starts with an example to edit.
    if choices.drafts.is_empty() && r_package.is_none() && !folder.exists("tools") {
        written.push(("tools/count.json".to_owned(), include_str!("init/count.json").to_owned()));
    }
    written.extend(editor_files(&folder));
    if choices.has_workflow {
        written.push((WORKFLOW.to_owned(), include_str!("init/workflow.yml").to_owned()));
    }
    for (path, text) in &written {
        create(&folder.0.join(path), path, text)?;
    }
    if folder.exists(".vscode") {
        associate_schema(&folder)?;
    }
    print_next_steps(&folder, &choices, r_package.is_some());
    Ok(ExitCode::SUCCESS)
}

fn open_folder(chosen: Option<&PathBuf>) -> Result<Folder, CommandError> {
    let folder = match chosen {
        Some(folder) => folder.clone(),
        None => env::current_dir()
            .map_err(|error| CommandError::machine(format!("cannot find the folder: {error}")))?,
    };
    fs::create_dir_all(&folder).map_err(|error| CommandError::io("create", &folder, &error))?;
    let folder =
        folder.canonicalize().map_err(|error| CommandError::io("open", &folder, &error))?;
    Ok(Folder(folder))
}

/// Takes the choices from the options, and asks at a terminal for those that are missing.
fn choose(folder: &Folder, args: &Args) -> Result<Choices, CommandError> {
    let found = find_drafts(folder);
    let asks = !args.yes && terminal::has_person();
    let own_name = folder.0.file_name().map_or("crib".into(), |name| name.to_string_lossy());
    let own_name = clients::server_name(&own_name);
    let name = match &args.name {
        Some(name) => name.clone(),
        None if asks && !folder.exists("toolcrib.toml") => {
            terminal::ask(&format!("Name of the crib [{own_name}]: "))
                .filter(|answer| !answer.is_empty())
                .unwrap_or(own_name)
        }
        None => own_name,
    };
    let drafts = match &args.with {
        Some(wanted) => select(&found, wanted)?,
        None if asks && !found.is_empty() => ask_for_drafts(&found)?,
        None => found,
    };
    let has_workflow = args.ci
        || asks
            && !folder.exists(WORKFLOW)
            && terminal::ask("Write a GitHub workflow that checks the tools? [y/N] ")
                .is_some_and(|answer| answer.eq_ignore_ascii_case("y"));
    // Restricted to characters that need no escaping in TOML.
    Ok(Choices { name: clients::server_name(&name), drafts, has_workflow })
}

fn ask_for_drafts(found: &[Draft]) -> Result<Vec<Draft>, CommandError> {
    for draft in found {
        terminal::note(&format!("  {:7} {}", draft.name, draft.summary));
    }
    match terminal::ask("Write tools for which of these? [all] ").as_deref() {
        None | Some("" | "all") => Ok(found.to_vec()),
        Some(answer) => {
            let words = answer.split([',', ' ']).filter(|word| !word.is_empty());
            select(found, &words.map(str::to_owned).collect::<Vec<_>>())
        }
    }
}

fn select(found: &[Draft], wanted: &[String]) -> Result<Vec<Draft>, CommandError> {
    let names = || found.iter().map(|draft| draft.name.as_str());
    let is_known = |name: &str| name == "none" || names().any(|known| known == name);
    if let Some(unknown) = wanted.iter().find(|name| !is_known(name)) {
        let names = names().collect::<Vec<_>>().join(", ");
        let names = if names.is_empty() { "nothing".to_owned() } else { names };
        return Err(CommandError::machine(format!("there is no `{unknown}` in this folder"))
            .hint(format!("found: {names}")));
    }
    let is_wanted = |draft: &&Draft| wanted.contains(&draft.name);
    Ok(found.iter().filter(is_wanted).cloned().collect())
}

/// The package in this folder, if it is an R package.
fn read_package_name(folder: &Folder) -> Option<String> {
    let description = folder.read("DESCRIPTION")?;
    let name = description.lines().find_map(|line| line.strip_prefix("Package:"))?;
    Some(name.trim().to_owned())
}

/// The schemas with which VS Code validates and completes files, if the folder already has VS Code
/// settings.
fn editor_files(folder: &Folder) -> Vec<(String, String)> {
    let mtdf = formats::FORMATS.iter().find(|format| format.name == "mtdf");
    let mtdf = mtdf.and_then(|format| format.schema).map(|schema| (SCHEMA, "mtdf", schema));
    let config: (_, _, fn() -> Value) = (CONFIG_SCHEMA, "config", workspace::config_schema);
    let schemas = mtdf.into_iter().chain([config]).filter(|_| folder.exists(".vscode"));
    schemas.map(|(path, name, schema)| (path.to_owned(), render(name, schema))).collect()
}

/// Adds the schema of definitions to the settings of VS Code, and keeps the rest of them.
fn associate_schema(folder: &Folder) -> Result<(), CommandError> {
    let path = folder.0.join(EDITOR_SETTINGS);
    let before = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => "{}\n".to_owned(),
        Err(error) => return Err(CommandError::io("read", &path, &error)),
    };
    let association = json!({"fileMatch": ["/tools/*.json"], "url": format!("./{SCHEMA}")});
    match clients::add_json_schema(&before, &association) {
        Ok(after) if after == before => {
            terminal::print_line(&format!("kept  {EDITOR_SETTINGS}"));
        }
        Ok(after) => {
            atomic_file::replace(&path, after.as_bytes(), Access::Usual)
                .map_err(|error| CommandError::io("write", &path, &error))?;
            terminal::print_line(&format!("wrote {EDITOR_SETTINGS}"));
        }
        // Completion in an editor is not worth failing for.
        Err(error) => terminal::print_line(&format!("kept  {EDITOR_SETTINGS}: {error}")),
    }
    Ok(())
}

/// Writes a file unless it exists.
fn create(path: &Path, name: &str, text: &str) -> Result<(), CommandError> {
    match atomic_file::create(path, text.as_bytes(), Access::Usual) {
        Ok(()) => terminal::print_line(&format!("wrote {name}")),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            terminal::print_line(&format!("kept  {name}"));
        }
        Err(error) => return Err(CommandError::io("create", path, &error)),
    }
    Ok(())
}

fn print_next_steps(folder: &Folder, choices: &Choices, is_r_package: bool) {
    let is_here = env::current_dir().is_ok_and(|current| current == folder.0);
    let path = folder.0.to_string_lossy();
    let quoted = shlex::try_quote(&path).ok().filter(|_| !is_here);
    let crib = quoted.as_ref().map(|path| format!(" -C {path}")).unwrap_or_default();
    let package = quoted.as_deref().unwrap_or(".");
    let undeclared = choices.drafts.iter().any(|draft| !draft.declares_effects());
    terminal::print_line("\nnext:");
    if is_r_package {
        terminal::print_line(&format!(
            "  toolcrib build {package}   # tools from the roxygen2 comments with `@keywords mcp-tool`"
        ));
    }
    terminal::print_line(&format!("  toolcrib{crib} check"));
    terminal::print_line(&format!(
        "  toolcrib{crib} connect   # lists the clients on this machine; with a name, connects it"
    ));
    if undeclared {
        terminal::print_line(
            "\nWhat the commands of your project change is not known. Declare it in the definitions, with\n`\"mutates\": false` or `true`, and mark what is hard to undo as `\"dangerous\": true`.",
        );
    }
}
