//! `new`: a definition or document to start from.

use std::{fs, io::Write, path::Path, process::ExitCode};

use builtin::rmd::DocumentName;
use clap::ValueEnum;
use workspace::Crib;

use super::{CommandContext, CommandResult};
use crate::{error::CommandError, terminal};

/// Write a definition or document to start from; never overwrites a file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Format of the file.
    #[arg(value_enum)]
    format: Format,
    /// Name of the tool or document.
    name: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// A command-line tool as JSON, in tools/.
    Mtdf,
    /// A function of an R package as YAML, in tools/. The name is PACKAGE-FUNCTION.
    Rave,
    /// A Markdown specification, in a folder of its own in tools/. `check` reports what is left to fill in.
    Spec,
    /// A report in R Markdown, in the folder of documents. The name may contain folders.
    Rmd,
}

pub(crate) fn run(context: &CommandContext<'_>, args: &Args) -> CommandResult {
    let crib = context.crib()?;
    let name = &args.name;
    match args.format {
        Format::Mtdf => {
            let text = include_str!("new/mtdf.json").replace("NAME", name);
            let next = format!("change its command, then run `toolcrib call {name}`");
            definition(&crib, name, &format!("{name}.json"), &text, &next)
        }
        Format::Rave => {
            let next =
                format!("describe the function's parameters, then run `toolcrib call {name}`");
            definition(&crib, name, &format!("{name}.yaml"), &rave(name)?, &next)
        }
        Format::Spec => {
            let text = include_str!("new/spec.md").replace("NAME", name);
            let next = "fill in the parts in brackets; run `toolcrib check` to see what is left";
            definition(&crib, name, &format!("{name}/MCP_TOOL_SPECIFICATION.md"), &text, next)
        }
        Format::Rmd => document(&crib, name),
    }
}

fn definition(crib: &Crib, name: &str, file: &str, text: &str, next: &str) -> CommandResult {
    if let Err(problem) = catalog::name::check(name) {
        return Err(CommandError::machine(format!("`{name}` is not a valid tool name: {problem}"))
            .hint("use letters, digits, `_` and `-`"));
    }
    let path = crib.folder.join("tools").join(file);
    write(&path, text)?;
    terminal::note(&format!("wrote {}: {next}", path.display()));
    Ok(ExitCode::SUCCESS)
}

fn document(crib: &Crib, name: &str) -> CommandResult {
    let name = DocumentName::new(name).map_err(|failure| CommandError::machine(failure.message))?;
    let title = name.stem().rsplit('/').next().unwrap_or_default().replace(['-', '_'], " ");
    let path = crib.documents_folder().join(name.as_str());
    write(&path, &formats::rmd::titled(include_str!("new/report.Rmd"), &title).text)?;
    let next = match crib.documents {
        Some(_) => "its parts describe what to write there",
        None => "to serve it, set `enabled = true` in `[documents]` of toolcrib.toml",
    };
    terminal::note(&format!("wrote {}: {next}", path.display()));
    Ok(ExitCode::SUCCESS)
}

/// Writes a new file; fails if it exists.
fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| CommandError::io("create", folder, &error))?;
    let mut file = fs::File::create_new(path).map_err(|error| {
        CommandError::io("create", path, &error).hint("choose another name, or remove the file")
    })?;
    file.write_all(text.as_bytes()).map_err(|error| CommandError::io("write", path, &error))
}

fn rave(name: &str) -> Result<String, CommandError> {
    let Some((package, function)) = name
        .split_once('-')
        .filter(|(package, function)| !package.is_empty() && !function.is_empty())
    else {
        return Err(CommandError::machine(format!("`{name}` is not the name of an R function"))
            .hint("use PACKAGE-FUNCTION, such as `stats-median`"));
    };
    Ok(include_str!("new/rave.yaml").replace("PACKAGE", package).replace("FUNCTION", function))
}
