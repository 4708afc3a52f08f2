//! `man`: the manual pages.

use std::{fs, path::PathBuf, process::ExitCode};

use atomic_file::Access;
use clap::Command;
use clap_mangen::Man;

use super::{CommandContext, CommandResult};
use crate::{
    error::{CommandError, ErrorKind},
    terminal,
};

/// Print the manual page of the program, or of a command, for `man -l -`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The command [default: the program].
    command: Option<String>,
    /// Write all pages to this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn run(_: &CommandContext<'_>, args: &Args) -> CommandResult {
    let pages = list_pages();
    if let Some(folder) = &args.out {
        fs::create_dir_all(folder).map_err(|error| CommandError::io("create", folder, &error))?;
        for (name, page) in pages {
            let file = folder.join(format!("{name}.1"));
            atomic_file::replace(&file, &page, Access::Usual)
                .map_err(|error| CommandError::io("write", &file, &error))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let wanted =
        args.command.as_ref().map_or("toolcrib".to_owned(), |name| format!("toolcrib-{name}"));
    let page = pages.into_iter().find(|(name, _)| *name == wanted).ok_or_else(|| {
        CommandError::new(ErrorKind::NotFound, format!("there is no page `{wanted}`"))
            .hint("run `toolcrib help` to see the commands")
    })?;
    terminal::print(&String::from_utf8_lossy(&page.1));
    Ok(ExitCode::SUCCESS)
}

/// The page of the program, and one for each command.
fn list_pages() -> Vec<(String, Vec<u8>)> {
    let mut program = super::command().disable_help_subcommand(true);
    program.build();
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set());
    let commands = commands.map(|command| {
        // Global options are described only in the page of the program.
        let hide = |option: clap::Arg| {
            let is_global = option.is_global_set();
            option.hide(is_global)
        };
        render_page(format!("toolcrib-{}", command.get_name()), command.clone().mut_args(hide))
    });
    let pages: Vec<_> = commands.collect();
    [render_page("toolcrib".to_owned(), program)].into_iter().chain(pages).collect()
}

fn render_page(name: String, command: Command) -> (String, Vec<u8>) {
    let mut page = Vec::new();
    Man::new(command).title(&name).render(&mut page).expect("writing to memory");
    (name, page)
}
