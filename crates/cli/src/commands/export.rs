//! `export`: packages of the crib.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use atomic_file::Access;
use catalog::Catalog;
use clap::{Args as Group, Subcommand};
use export::{BundleError, EntryError, File, Package};
use host::{Assembly, Options, count, read_crib_files, served_name};

use super::{CommandContext, CommandResult};
use crate::{error::CommandError, terminal};

/// Pack the crib for others.
///
/// A package has the configuration, definitions, prompts, code, content and documents of the crib.
/// Other files of the folder are left out. `[export]` in `toolcrib.toml` has its name and version.
/// Existing files are never replaced.
#[derive(clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    form: Form,
}

#[derive(Subcommand)]
enum Form {
    /// A plugin folder for Claude Code, Codex, Copilot CLI and Gemini CLI, with the crib and a
    /// skill.
    Plugin(Destination),
    /// A skill: when an agent uses which tool.
    Skill(Destination),
    /// The entry for the MCP registry, `server.json`.
    ServerJson(BundleArgs),
    /// A bundle (`.mcpb`) with the crib and `toolcrib`, which clients install with a click.
    Mcpb(BundleArgs),
}

#[derive(Group)]
struct Destination {
    /// Folder to write to; created if missing.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Group)]
struct BundleArgs {
    #[command(flatten)]
    to: Destination,
    /// The `toolcrib` to put into the bundle, for Linux or macOS [default: this one].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let assembly = context.assemble(Options::default())?;
    let catalog = served_tools(&assembly);
    let package = make_package(&assembly, &catalog)?;
    let (out, files, next) = match &args.form {
        Form::Plugin(to) => (&to.out, export::make_plugin(&package), plugin_hint(&to.out)),
        Form::Skill(to) => (&to.out, export::make_skill(&package), String::new()),
        Form::ServerJson(args) => {
            (&args.to.out, vec![make_entry(&assembly, &package, args)?], String::new())
        }
        Form::Mcpb(args) => {
            let path = format!("{}.mcpb", package.short_name());
            let content = pack_bundle(&package, args)?;
            (&args.to.out, vec![File { path, content, is_executable: false }], String::new())
        }
    };
    write(out, &files)?;
    terminal::note(&format!("{} in {}{next}", count(files.len(), "file"), out.display()));
    Ok(ExitCode::SUCCESS)
}

/// The crib's own tools, named as clients see them.
fn served_tools(assembly: &Assembly) -> Catalog {
    let own = assembly.loaded().catalog.tools().iter();
    let named = own.map(|tool| {
        let mut tool = tool.as_ref().clone();
        tool.name = served_name(assembly.crib(), &tool.name);
        tool
    });
    Catalog::merge(named).0
}

fn make_package<'a>(
    assembly: &Assembly,
    catalog: &'a Catalog,
) -> Result<Package<'a>, CommandError> {
    let contents = read_crib_files(assembly)
        .map_err(|(path, error)| CommandError::io("read", &path, &error))?;
    for folder in &contents.outside {
        let folder = folder.display();
        terminal::note(&format!("`{folder}` is not in the crib, so the package lacks it"));
    }
    let crib = assembly.crib();
    let export = &crib.config.export;
    Ok(Package {
        name: export.name.clone().unwrap_or_else(|| crib.name()),
        version: export.version.clone(),
        description: export.description.clone(),
        catalog,
        files: contents.files,
    })
}

fn plugin_hint(out: &Path) -> String {
    format!("; try it with `claude --plugin-dir {}`", out.display())
}

fn make_entry(
    assembly: &Assembly,
    package: &Package<'_>,
    args: &BundleArgs,
) -> Result<File, CommandError> {
    let download = assembly.crib().config.export.download.as_deref();
    let content = export::make_registry_entry(package, || pack_bundle(package, args), download);
    let content = content.map_err(|error| match error {
        EntryError::NoNamespace => CommandError::machine(format!(
            "the registry accepts only names with a namespace, and `{}` has none",
            package.name
        ))
        .hint("set `name = \"io.github.YOU/NAME\"` in `[export]` of toolcrib.toml"),
        EntryError::NoDownload => CommandError::machine(
            "the entry needs the address of the bundle",
        )
        .hint(
            "set `download` in `[export]` of toolcrib.toml to where you publish the `.mcpb` file",
        ),
        EntryError::Bundle(error) => error,
    })?;
    Ok(File { path: "server.json".to_owned(), content: content.into_bytes(), is_executable: false })
}

fn pack_bundle(package: &Package<'_>, args: &BundleArgs) -> Result<Vec<u8>, CommandError> {
    let path = match &args.program {
        Some(program) => program.clone(),
        None => env::current_exe()
            .map_err(|error| CommandError::machine(format!("cannot find this program: {error}")))?,
    };
    let program = fs::read(&path).map_err(|error| CommandError::io("read", &path, &error))?;
    export::pack_bundle(package, program).map_err(|error| match error {
        BundleError::NotAProgram => {
            let path = path.display();
            CommandError::machine(format!("`{path}` is not a program for Linux or macOS"))
        }
        BundleError::Archive(error) => {
            CommandError::machine(format!("cannot pack the bundle: {error}"))
        }
    })
}

/// Writes the files, unless one of them exists: a package must not be mixed with the files of an
/// older one.
fn write(out: &Path, files: &[File]) -> Result<(), CommandError> {
    if let Some(path) = files.iter().map(|file| out.join(&file.path)).find(|path| path.exists()) {
        return Err(CommandError::machine(format!("`{}` exists", path.display()))
            .hint("choose a new folder, or remove the old package first"));
    }
    let contents: Vec<_> = files.iter().map(|file| (out.join(&file.path), &file.content)).collect();
    atomic_file::replace_all(&contents, Access::Usual)
        .map_err(|(path, error)| CommandError::io("write", &path, &error))?;
    for file in files.iter().filter(|file| file.is_executable) {
        let path = out.join(&file.path);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
            .map_err(|error| CommandError::io("change the permissions of", &path, &error))?;
    }
    Ok(())
}
