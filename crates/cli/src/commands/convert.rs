//! `convert`: rewrite a definition in another format.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use atomic_file::Access;
use catalog::{Diagnostic, Severity};
use clap::{ValueEnum, builder::TypedValueParser};
use formats::{Converted, FORMATS, Loss, Writer, WrittenFile};
use host::count;
use serde::Serialize;
use workspace::{StandaloneFile, read_standalone_file};

use super::{CommandContext, CommandResult};
use crate::{
    choice::{self, Choice},
    error::{CommandError, ErrorKind},
    terminal,
};

/// Convert a definition to another format, and report what that format cannot express.
///
/// Exits with 0 if at least one tool was converted, 1 if none was, 2 if it could not run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Definition in any format, or a saved `tools/list` result.
    file: PathBuf,
    /// Format to write.
    #[arg(long, value_name = "FORMAT", value_parser = writer_parser())]
    to: &'static Writer,
    /// File to write, or folder if the tools need several files [default: standard output].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How to report: as notes on standard error, or together with the definitions as one JSON
    /// object.
    #[arg(long, value_enum, default_value_t = ConvertReport::Human)]
    format: ConvertReport,
}

/// Accepts every format that tools can be written in.
fn writer_parser() -> impl TypedValueParser<Value = &'static Writer> {
    let of_format = |format: &&'static formats::Format| {
        let writer = format.writer.as_ref()?;
        Some(Choice { name: format.name, help: writer.help, value: writer })
    };
    choice::parser(FORMATS.iter().filter_map(of_format).collect())
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ConvertReport {
    /// For people.
    Human,
    /// For programs: one versioned object.
    Json,
}

pub(crate) fn run(_: &CommandContext<'_>, args: &Args) -> CommandResult {
    let read = read_standalone_file(&args.file)?;
    let converted = formats::convert(&read.tools, args.to, &source_name(&args.file));
    if converted.tools == 0 {
        // Printed even if nothing was converted, because the losses are the reason.
        match args.format {
            ConvertReport::Human => print_losses(&converted, &read),
            ConvertReport::Json => terminal::json(&build_document(&converted, &[], &read)),
        }
        return Err(no_tools_error(&args.file, &read));
    }
    let paths = output_paths(&converted.files, args)?;
    for (file, path) in converted.files.iter().zip(&paths) {
        write(file, path.as_deref(), args)?;
    }
    match args.format {
        ConvertReport::Human => print(&converted, &paths, &read, args),
        ConvertReport::Json => terminal::json(&build_document(&converted, &paths, &read)),
    }
    Ok(ExitCode::SUCCESS)
}

/// The stem of a file. Files of a format with a fixed name all have the same, so they are named
/// after their folder.
fn source_name(file: &Path) -> String {
    let text = |part: Option<&std::ffi::OsStr>| {
        part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let stem = text(file.file_stem());
    let folder = fs::canonicalize(file)
        .ok()
        .and_then(|path| path.parent().map(|folder| text(folder.file_name())));
    let file_name = text(file.file_name());
    let fixed = FORMATS.iter().filter_map(|format| format.file_name);
    if fixed.into_iter().any(|fixed| fixed.eq_ignore_ascii_case(&file_name)) {
        folder.filter(|folder| !folder.is_empty()).unwrap_or(stem)
    } else {
        stem
    }
}

fn no_tools_error(file: &Path, read: &StandaloneFile) -> CommandError {
    let hint = match read.tools.len() {
        0 => format!("run `toolcrib check {}` to see why", file.display()),
        _ => "that format can express none of its tools".to_owned(),
    };
    CommandError::new(
        ErrorKind::ToolFailed,
        format!("no tool of `{}` could be converted", file.display()),
    )
    .hint(hint)
}

/// The path of each file; `None` if it is printed.
fn output_paths(files: &[WrittenFile], args: &Args) -> Result<Vec<Option<PathBuf>>, CommandError> {
    let Some(out) = &args.out else {
        return Ok(vec![None; files.len()]);
    };
    let is_folder = out.is_dir() || out.as_os_str().to_string_lossy().ends_with('/');
    match (is_folder, files.len()) {
        (true, _) => Ok(files.iter().map(|file| Some(out.join(&file.name))).collect()),
        (false, 1) => Ok(vec![Some(out.clone())]),
        (false, several) => {
            let message =
                format!("the tools need {several} files, and `{}` is one file", out.display());
            Err(CommandError::machine(message)
                .hint("pass a folder with --out; end it with `/` to create it"))
        }
    }
}

fn write(file: &WrittenFile, path: Option<&Path>, args: &Args) -> Result<(), CommandError> {
    let Some(path) = path else { return Ok(()) };
    let text = file.text.as_bytes();
    if args.out.as_deref() == Some(path) {
        // The person has named this file, so a link is meant.
        return atomic_file::replace(path, text, Access::Usual)
            .map_err(|error| CommandError::io("write", path, &error));
    }
    atomic_file::replace_all(&[(path, text)], Access::Usual)
        .map_err(|(path, error)| CommandError::io("write", &path, &error))
}

fn print(converted: &Converted, paths: &[Option<PathBuf>], read: &StandaloneFile, args: &Args) {
    if args.out.is_none() {
        let texts: Vec<&str> = converted.files.iter().map(|file| file.text.as_str()).collect();
        terminal::print(&texts.join(args.to.separator));
    }
    if args.out.is_none() && converted.files.len() > 1 {
        let files = count(converted.files.len(), "file");
        terminal::note(&format!(
            "note: the output is {files} in a row; pass `--out DIR` to write them"
        ));
    }
    print_losses(converted, read);
    let errors = read.diagnostics.iter().filter(|found| found.is_error()).count();
    if errors > 0 {
        let (errors, file) = (count(errors, "error"), args.file.display());
        terminal::note(&format!(
            "{errors} in {file}: tools with errors are left out; run `toolcrib check {file}` to see them"
        ));
    }
    let tools = count(converted.tools, "tool");
    let written: Vec<String> =
        paths.iter().flatten().map(|path| path.display().to_string()).collect();
    match written.as_slice() {
        [] => {}
        [one] => terminal::note(&format!("wrote {tools} to {one}")),
        several => terminal::note(&format!("wrote {tools} to {} files", several.len())),
    }
}

fn print_losses(converted: &Converted, read: &StandaloneFile) {
    // Parts that could not be read are not losses of the target format.
    for found in ignored_parts(read) {
        note(&format!("note: {}: {}", found.origin.source, found.message));
    }
    for Loss { tool, field, message } in &converted.losses {
        note(&format!("note: `{tool}`: `{field}`: {message}"));
    }
}

fn note(text: &str) {
    terminal::note(&terminal::escape_message(text));
}

/// The warnings about the source: fields that are unknown or misplaced, and therefore left out.
fn ignored_parts(read: &StandaloneFile) -> impl Iterator<Item = &Diagnostic> {
    read.diagnostics.iter().filter(|found| found.severity == Severity::Warning)
}

/// The machine-readable output.
#[derive(Serialize)]
struct ConvertJson<'a> {
    version: u32,
    tools: usize,
    files: Vec<File<'a>>,
    losses: Vec<LossJson<'a>>,
    /// The errors and warnings about the source, whose parts are left out.
    diagnostics: Vec<Problem<'a>>,
}

#[derive(Serialize)]
struct Problem<'a> {
    code: &'a str,
    severity: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct File<'a> {
    name: String,
    /// Absent if it was written to a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

#[derive(Serialize)]
struct LossJson<'a> {
    tool: &'a str,
    field: &'a str,
    message: &'a str,
}

fn build_document<'a>(
    converted: &'a Converted,
    paths: &[Option<PathBuf>],
    read: &'a StandaloneFile,
) -> ConvertJson<'a> {
    let file = |(file, path): (&'a WrittenFile, &Option<PathBuf>)| match path {
        Some(path) => File { name: path.display().to_string(), text: None },
        None => File { name: file.name.clone(), text: Some(&file.text) },
    };
    let lost =
        |loss: &'a Loss| LossJson { tool: &loss.tool, field: loss.field, message: &loss.message };
    let problems = read.diagnostics.iter().filter(|found| found.severity != Severity::Note);
    let problem = |found: &'a Diagnostic| Problem {
        code: found.code,
        severity: found.severity.as_str(),
        message: &found.message,
    };
    ConvertJson {
        version: 1,
        tools: converted.tools,
        files: converted.files.iter().zip(paths).map(file).collect(),
        losses: converted.losses.iter().map(lost).collect(),
        diagnostics: problems.map(problem).collect(),
    }
}
