//! `convert`: the same tools in another format.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::ValueEnum;
use formats::{Converted, ConvertedFile, Loss, Target};
use host::count;
use serde::Serialize;
use workspace::{StandaloneFile, read_standalone_file};

use super::{CommandContext, CommandResult};
use crate::{
    error::{CommandError, Kind},
    terminal,
};

/// Write the tools of a definition in another format, and say what of them could not be carried.
///
/// Exits with 0 if at least one tool was converted, 1 if none was, 2 if it could not run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The definition, in any format, or a saved answer to `tools/list`.
    file: PathBuf,
    /// The format to write.
    #[arg(long, value_enum)]
    to: To,
    /// The file to write, or a folder where the tools need several; without it, standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How the report is printed: as notes on standard error, or with everything else as one JSON object.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum To {
    /// Command-line tools as JSON; several files if the tools' names have no beginning in common.
    Mtdf,
    /// R functions as YAML, one file each.
    Rave,
    /// A Markdown specification.
    Spec,
    /// What MCP's `tools/list` answers with.
    Mcp,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Human,
    /// For programs: one versioned object.
    Json,
}

pub(crate) fn run(_: &CommandContext<'_>, args: &Args) -> CommandResult {
    let read = read_standalone_file(&args.file)?;
    let converted = formats::convert(&read.tools, target(args.to), &name(&args.file));
    if converted.tools == 0 {
        tell_losses(&converted);
        return Err(nothing(&args.file, &read));
    }
    let places = places(&converted.files, args)?;
    for (file, place) in converted.files.iter().zip(&places) {
        write(file, place)?;
    }
    match args.format {
        Format::Human => tell(&converted, &places, &read, args),
        Format::Json => terminal::json(&document(&converted, &places)),
    }
    Ok(ExitCode::SUCCESS)
}

fn target(to: To) -> Target {
    match to {
        To::Mtdf => Target::Mtdf,
        To::Rave => Target::Rave,
        To::Spec => Target::Specification,
        To::Mcp => Target::Mcp,
    }
}

/// The name of a file without its extension; a specification is named after its folder, as they all have one name.
fn name(file: &Path) -> String {
    let text = |part: Option<&std::ffi::OsStr>| {
        part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let stem = text(file.file_stem());
    let folder = fs::canonicalize(file)
        .ok()
        .and_then(|path| path.parent().map(|folder| text(folder.file_name())));
    match stem.eq_ignore_ascii_case("mcp_tool_specification") {
        true => folder.filter(|folder| !folder.is_empty()).unwrap_or(stem),
        false => stem,
    }
}

fn nothing(file: &Path, read: &StandaloneFile) -> CommandError {
    let hint = match read.tools.len() {
        0 => format!("`toolcrib check {}` says why", file.display()),
        _ => "none of its tools can be said in that format".to_owned(),
    };
    CommandError::new(
        Kind::ToolFailed,
        format!("`{}` has no tools that could be converted", file.display()),
    )
    .hint(hint)
}

/// Where each file goes; nowhere, if it is printed.
fn places(files: &[ConvertedFile], args: &Args) -> Result<Vec<Option<PathBuf>>, CommandError> {
    let Some(out) = &args.out else {
        return Ok(vec![None; files.len()]);
    };
    let is_folder = out.is_dir() || out.as_os_str().to_string_lossy().ends_with('/');
    match (is_folder, files.len()) {
        (true, _) => Ok(files.iter().map(|file| Some(out.join(&file.name))).collect()),
        (false, 1) => Ok(vec![Some(out.clone())]),
        (false, several) => {
            let message = format!("the tools need {several} files, `{}` is one", out.display());
            Err(CommandError::machine(message)
                .hint("name a folder with --out, ending in `/` if it is to be made"))
        }
    }
}

fn write(file: &ConvertedFile, place: &Option<PathBuf>) -> Result<(), CommandError> {
    let Some(path) = place else { return Ok(()) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|error| CommandError::io("make", folder, &error))?;
    }
    fs::write(path, &file.text).map_err(|error| CommandError::io("write", path, &error))
}

fn tell(converted: &Converted, places: &[Option<PathBuf>], read: &StandaloneFile, args: &Args) {
    if args.out.is_none() {
        let between = if matches!(args.to, To::Rave) { "---\n" } else { "" };
        let texts: Vec<&str> = converted.files.iter().map(|file| file.text.as_str()).collect();
        terminal::print(&texts.join(between));
    }
    if args.out.is_none() && converted.files.len() > 1 {
        let files = count(converted.files.len(), "file");
        terminal::note(&format!(
            "note: these are {files}, one after the other; `--out DIR` writes them"
        ));
    }
    tell_losses(converted);
    let errors = read.diagnostics.iter().filter(|found| found.is_error()).count();
    if errors > 0 {
        let (errors, file) = (count(errors, "error"), args.file.display());
        terminal::note(&format!(
            "{errors} in {file}: what has one is left out; `toolcrib check {file}` shows them"
        ));
    }
    let tools = count(converted.tools, "tool");
    let written: Vec<String> =
        places.iter().flatten().map(|path| path.display().to_string()).collect();
    match written.as_slice() {
        [] => {}
        [one] => terminal::note(&format!("{tools} in {one}")),
        several => terminal::note(&format!("{tools} in {} files", several.len())),
    }
}

fn tell_losses(converted: &Converted) {
    for Loss { tool, field, message } in &converted.losses {
        terminal::note(&format!("note: `{tool}`: `{field}`: {message}"));
    }
}

/// What is printed for programs.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tools: usize,
    files: Vec<File<'a>>,
    losses: Vec<Lost<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    name: String,
    /// Absent where it was written to a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

#[derive(Serialize)]
struct Lost<'a> {
    tool: &'a str,
    field: &'a str,
    message: &'a str,
}

fn document<'a>(converted: &'a Converted, places: &[Option<PathBuf>]) -> Document<'a> {
    let file = |(file, place): (&'a ConvertedFile, &Option<PathBuf>)| match place {
        Some(path) => File { name: path.display().to_string(), text: None },
        None => File { name: file.name.clone(), text: Some(&file.text) },
    };
    let lost =
        |loss: &'a Loss| Lost { tool: &loss.tool, field: loss.field, message: &loss.message };
    Document {
        version: 1,
        tools: converted.tools,
        files: converted.files.iter().zip(places).map(file).collect(),
        losses: converted.losses.iter().map(lost).collect(),
    }
}
