//! The only file that writes to standard output and standard error.

use std::{
    io::{IsTerminal, Write, stderr, stdin, stdout},
    sync::OnceLock,
};

use annotate_snippets::{Group, Level, Renderer};
use runtime::{Emphasis, Rendering};
use rustix::termios::tcgetwinsize;
use serde::Serialize;
use workspace::Environment;

use crate::error::CommandError;

static COLOURLESS: OnceLock<bool> = OnceLock::new();

/// Reads `NO_COLOR`. By <https://no-color.org>, any value but an empty one turns colour off.
pub(crate) fn detect_colour(environment: &Environment) {
    COLOURLESS.get_or_init(|| environment.get("NO_COLOR").is_some_and(|value| !value.is_empty()));
}

/// Whether output to a stream may be coloured.
pub(crate) fn is_coloured(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && COLOURLESS.get() != Some(&true)
}

/// A colour or weight on standard output.
#[derive(Clone, Copy)]
pub(crate) enum Paint {
    Red,
    Yellow,
    Green,
    Bold,
    Dim,
}

/// Colours a word, if standard output may be coloured.
pub(crate) fn paint(word: &str, paint: Paint) -> String {
    let code = match paint {
        Paint::Red => 31,
        Paint::Yellow => 33,
        Paint::Green => 32,
        Paint::Bold => 1,
        Paint::Dim => 2,
    };
    if is_coloured(&stdout()) { format!("\x1b[{code}m{word}\x1b[0m") } else { word.to_owned() }
}

/// How plans are rendered on standard output.
pub(crate) fn stdout_rendering() -> Rendering {
    plan_rendering(&stdout())
}

/// How plans are rendered on standard error.
pub(crate) fn stderr_rendering() -> Rendering {
    plan_rendering(&stderr())
}

/// Command lines are bold if the stream may be coloured.
fn plan_rendering(stream: &impl IsTerminal) -> Rendering {
    let emphasis = if is_coloured(stream) { Emphasis::Bold } else { Emphasis::None };
    Rendering { emphasis, ..Rendering::default() }
}

/// Whether standard output is a terminal.
pub(crate) fn is_interactive() -> bool {
    stdout().is_terminal()
}

/// Whether a person reads and types here, as opposed to a script or an agent with pipes.
pub(crate) fn has_person() -> bool {
    stdin().is_terminal() && stdout().is_terminal() && stderr().is_terminal()
}

/// How many rows of the terminal a line takes, with wrapping.
pub(crate) fn height(line: &str) -> usize {
    let columns = tcgetwinsize(stdout()).map_or(0, |size| usize::from(size.ws_col));
    if columns == 0 { 1 } else { line.chars().count().div_ceil(columns).max(1) }
}

/// Prints text on standard output as it is. Ignores errors: the reader may have closed the pipe.
pub(crate) fn print(text: &str) {
    // `println!` would panic if a pager has closed the pipe.
    let _ = stdout().lock().write_all(text.as_bytes());
}

/// Prints bytes on standard output as they are.
pub(crate) fn print_bytes(bytes: &[u8]) {
    let _ = stdout().lock().write_all(bytes);
}

/// Prints text on standard output, with a newline at its end.
pub(crate) fn print_line(text: &str) {
    print(text);
    if !text.ends_with('\n') {
        print("\n");
    }
}

/// Prints a value as JSON on standard output: indented for a person, on one line for a program.
pub(crate) fn json(value: &impl Serialize) {
    let text = if stdout().is_terminal() {
        serde_json::to_string_pretty(value)
    } else {
        serde_json::to_string(value)
    };
    print_line(&text.expect("machine-readable output has only string keys"));
}

/// Prints a line for people on standard error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(stderr().lock(), "{text}");
}

/// Prints an error and its hint on standard error.
pub(crate) fn print_error(error: &CommandError) {
    let title = Level::ERROR.primary_title(error.message.as_str());
    let hint =
        error.hint.as_deref().filter(|hint| !hint.is_empty()).map(|hint| Level::HELP.message(hint));
    let group = Group::with_title(title).elements(hint);
    note(&renderer(&stderr()).render(&[group]));
}

/// The renderer of code excerpts for a stream.
pub(crate) fn renderer(stream: &impl IsTerminal) -> Renderer {
    if is_coloured(stream) { Renderer::styled() } else { Renderer::plain() }
}
