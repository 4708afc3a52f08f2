//! `new`: a definition to start from.

use std::{fs, io::Write, process::ExitCode};

use clap::ValueEnum;

use super::{CommandResult, Surroundings};
use crate::{error::CommandError, terminal};

/// Write a filled-in definition to start from.
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
}

pub(crate) fn run(here: &Surroundings<'_>, args: &Args) -> CommandResult {
    if let Err(problem) = catalog::name::check(&args.name) {
        return Err(CommandError::machine(format!("`{}` cannot name a tool: {problem}", args.name))
            .hint("use letters, digits, `_` and `-`"));
    }
    let folder = here.crib()?.folder.join("tools");
    let (extension, text) = match args.format {
        Format::Mtdf => ("json", include_str!("new/mtdf.json").replace("NAME", &args.name)),
        Format::Rave => ("yaml", rave(&args.name)?),
    };
    let path = folder.join(format!("{}.{extension}", args.name));
    fs::create_dir_all(&folder).map_err(|error| CommandError::io("make", &folder, &error))?;
    let mut file = fs::File::create_new(&path)
        .map_err(|error| CommandError::io("make", &path, &error).hint("choose another name, or remove the file"))?;
    file.write_all(text.as_bytes()).map_err(|error| CommandError::io("write", &path, &error))?;
    let change = match args.format {
        Format::Mtdf => "change its command",
        Format::Rave => "describe the function's parameters",
    };
    terminal::note(&format!("wrote {}: {change}, then try `toolcrib call {}`", path.display(), args.name));
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
