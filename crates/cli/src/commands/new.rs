//! `new`: a definition to start from.

use std::{fs, io::Write, process::ExitCode};

use clap::ValueEnum;

use super::{CommandResult, Surroundings};
use crate::{error::CommandError, terminal};

/// Write a definition to start from; nothing that exists is overwritten.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// In which format.
    #[arg(value_enum)]
    format: Format,
    /// The tool's name.
    name: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// A command-line tool as JSON, in tools/.
    Mtdf,
    /// A function of an R package as YAML, in tools/. The name is PACKAGE-FUNCTION.
    Rave,
    /// A Markdown specification, in a folder of its own in tools/. What is to be filled in is told by `check`.
    Spec,
}

pub(crate) fn run(here: &Surroundings<'_>, args: &Args) -> CommandResult {
    if let Err(problem) = catalog::name::check(&args.name) {
        return Err(CommandError::machine(format!("`{}` cannot name a tool: {problem}", args.name))
            .hint("use letters, digits, `_` and `-`"));
    }
    let tools = here.crib()?.folder.join("tools");
    let (path, text) = match args.format {
        Format::Mtdf => (format!("{}.json", args.name), include_str!("new/mtdf.json").replace("NAME", &args.name)),
        Format::Rave => (format!("{}.yaml", args.name), rave(&args.name)?),
        Format::Spec => {
            (format!("{}/MCP_TOOL_SPECIFICATION.md", args.name), include_str!("new/spec.md").replace("NAME", &args.name))
        }
    };
    let path = tools.join(path);
    let folder = path.parent().unwrap_or(&tools);
    fs::create_dir_all(folder).map_err(|error| CommandError::io("make", folder, &error))?;
    let mut file = fs::File::create_new(&path)
        .map_err(|error| CommandError::io("make", &path, &error).hint("choose another name, or remove the file"))?;
    file.write_all(text.as_bytes()).map_err(|error| CommandError::io("write", &path, &error))?;
    let next = match args.format {
        Format::Mtdf => format!("change its command, then try `toolcrib call {}`", args.name),
        Format::Rave => format!("describe the function's parameters, then try `toolcrib call {}`", args.name),
        Format::Spec => "fill in what stands in brackets; `toolcrib check` tells what is left".to_owned(),
    };
    terminal::note(&format!("wrote {}: {next}", path.display()));
    Ok(ExitCode::SUCCESS)
}

fn rave(name: &str) -> Result<String, CommandError> {
    let Some((package, function)) =
        name.split_once('-').filter(|(package, function)| !package.is_empty() && !function.is_empty())
    else {
        return Err(CommandError::machine(format!("`{name}` does not name an R function"))
            .hint("write PACKAGE-FUNCTION, such as `stats-median`"));
    };
    Ok(include_str!("new/rave.yaml").replace("PACKAGE", package).replace("FUNCTION", function))
}
