//! A program for a tool that has none.

use std::mem;

use catalog::{
    Implementation, Tool,
    implementation::{Binding, PassBy, Piece, Process},
};

/// Gives `tool` a command: its program, its fixed words, and behind them the tool's parameters. If its format
/// knows no command lines, the words are all there is, and arguments and result are JSON.
///
/// A word `{name}` stands for the parameter of that name, as a positional value, which is then
/// not passed a second time; behind a word `--` it may begin with a dash. A tool that has a
/// program keeps it.
pub fn bind(mut tool: Tool, command: &[String]) -> Tool {
    if tool.is_callable() || command.is_empty() {
        return tool;
    }
    let Some(mut unbound) = mem::take(&mut tool.unbound) else {
        let words = command[1..].iter().map(|word| Piece::Word(word.clone()));
        start(&mut tool, &command[0], words.chain([Piece::Json]).collect());
        return tool;
    };
    let mut pieces = Vec::new();
    let mut allow_dash = false;
    for word in &command[1..] {
        allow_dash |= word == "--";
        match placeholder(word).and_then(|name| take(&mut unbound, name)) {
            Some(binding) => {
                let allow_dash = allow_dash || binding.allow_dash;
                pieces.push(Piece::Parameter(Binding {
                    flag: None,
                    pass_by: PassBy::Argument,
                    allow_dash,
                    ..binding
                }));
            }
            None => pieces.push(Piece::Word(word.clone())),
        }
    }
    pieces.append(&mut unbound);
    start(&mut tool, &command[0], pieces);
    tool
}

/// Starts `program`. A shell that is told to run a script can do anything, whatever the tool says.
pub(crate) fn start(tool: &mut Tool, program: &str, mut pieces: Vec<Piece>) {
    pieces.shrink_to_fit();
    let process = Process { program: program.to_owned(), pieces };
    if process.is_shell_script() {
        tool.annotations.dangerous = Some(true);
    }
    tool.implementation = Implementation::Process(process);
}

fn placeholder(word: &str) -> Option<&str> {
    word.strip_prefix('{')?.strip_suffix('}')
}

fn take(pieces: &mut Vec<Piece>, name: &str) -> Option<Binding> {
    let index = pieces.iter().position(
        |piece| matches!(piece, Piece::Parameter(binding) if binding.parameter == name),
    )?;
    match pieces.remove(index) {
        Piece::Parameter(binding) => Some(binding),
        Piece::Word(_) | Piece::DoubleDash | Piece::Json => None,
    }
}
