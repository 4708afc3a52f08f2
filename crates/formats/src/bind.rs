//! Binds a tool without a program to a command.

use std::mem;

use catalog::{
    Implementation, Tool,
    implementation::{Binding, PassBy, Piece, Process},
};

/// Binds `tool` to a command, as `[[bind]]` in `toolcrib.toml` does. A tool that has a program
/// keeps it.
///
/// If the definition declares how parameters are passed, they follow the words of the command.
/// Otherwise the program gets the arguments as JSON on stdin and returns JSON.
///
/// A word `{name}` is replaced by the value of that parameter, which is then not passed a second
/// time. After a word `--` the value may begin with a dash, since the program cannot take it for an
/// option.
pub fn bind(mut tool: Tool, command: &[String]) -> Tool {
    if tool.is_callable() || command.is_empty() {
        return tool;
    }
    let Some(mut unbound) = mem::take(&mut tool.unbound) else {
        let words = command[1..].iter().map(|word| Piece::Word(word.clone()));
        set_process(&mut tool, &command[0], words.chain([Piece::Json]).collect());
        return tool;
    };
    let mut pieces = Vec::new();
    let mut allow_dash = false;
    for word in &command[1..] {
        allow_dash |= word == "--";
        match parse_placeholder(word).and_then(|name| take_binding(&mut unbound, name)) {
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
    set_process(&mut tool, &command[0], pieces);
    tool
}

/// Sets the program of a tool. A tool that runs a shell script is dangerous whatever it declares:
/// the script can do anything.
pub(crate) fn set_process(tool: &mut Tool, program: &str, mut pieces: Vec<Piece>) {
    pieces.shrink_to_fit();
    let process = Process { program: program.to_owned(), pieces };
    if process.is_shell_script() {
        tool.annotations.dangerous = Some(true);
    }
    tool.implementation = Implementation::Process(process);
}

fn parse_placeholder(word: &str) -> Option<&str> {
    word.strip_prefix('{')?.strip_suffix('}')
}

fn take_binding(pieces: &mut Vec<Piece>, name: &str) -> Option<Binding> {
    let index = pieces.iter().position(
        |piece| matches!(piece, Piece::Parameter(binding) if binding.parameter == name),
    )?;
    match pieces.remove(index) {
        Piece::Parameter(binding) => Some(binding),
        Piece::Word(_) | Piece::DoubleDash | Piece::Json => None,
    }
}
