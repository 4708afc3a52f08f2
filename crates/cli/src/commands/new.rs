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
}

pub(crate) fn run(here: &Surroundings<'_>, args: &Args) -> CommandResult {
    if let Err(problem) = catalog::name::check(&args.name) {
        return Err(CommandError::machine(format!("`{}` cannot name a tool: {problem}", args.name))
            .hint("use letters, digits, `_` and `-`"));
    }
    let folder = here.crib()?.folder.join("tools");
    let path = folder.join(format!("{}.json", args.name));
    let text = match args.format {
        Format::Mtdf => include_str!("new/mtdf.json").replace("NAME", &args.name),
    };
    fs::create_dir_all(&folder).map_err(|error| CommandError::io("make", &folder, &error))?;
    let mut file = fs::File::create_new(&path)
        .map_err(|error| CommandError::io("make", &path, &error).hint("choose another name, or remove the file"))?;
    file.write_all(text.as_bytes()).map_err(|error| CommandError::io("write", &path, &error))?;
    terminal::note(&format!("wrote {}: change its command, then try `toolcrib call {}`", path.display(), args.name));
    Ok(ExitCode::SUCCESS)
}
