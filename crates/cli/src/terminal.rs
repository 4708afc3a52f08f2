//! The only file that writes to standard output and standard error.

use std::{
    borrow::Cow,
    io::{BufRead, IsTerminal, Write, stderr, stdin, stdout},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use annotate_snippets::{Group, Level, Renderer};
use runtime::{Emphasis, Rendering, escape_controls};
use rustix::termios::tcgetwinsize;
use serde::Serialize;
use workspace::Environment;

use crate::{arguments::Colour, error::CommandError};

static COLOUR: OnceLock<Colour> = OnceLock::new();
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Sets whether output is coloured. As <https://no-color.org> specifies, any non-empty `NO_COLOR`
/// disables colour, unless the command line asks for it.
pub(crate) fn choose_colour(choice: Colour, environment: &Environment) {
    let no_colour = environment.get("NO_COLOR").is_some_and(|value| !value.is_empty());
    let choice = if choice == Colour::Auto && no_colour { Colour::Never } else { choice };
    COLOUR.get_or_init(|| choice);
}

/// Disables progress output.
pub(crate) fn disable_progress() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether output to a stream may be coloured.
pub(crate) fn is_coloured(stream: &impl IsTerminal) -> bool {
    match COLOUR.get().copied().unwrap_or_default() {
        Colour::Auto => stream.is_terminal(),
        Colour::Always => true,
        Colour::Never => false,
    }
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
    Rendering { emphasis, width: width(), ..Rendering::default() }
}

/// Whether standard output is a terminal.
pub(crate) fn is_interactive() -> bool {
    stdout().is_terminal()
}

/// Whether a person reads and types here, as opposed to a script or an agent with pipes.
pub(crate) fn has_person() -> bool {
    stdin().is_terminal() && stdout().is_terminal() && stderr().is_terminal()
}

/// The width of the terminal on standard output, in columns; `None` if it is not a terminal.
pub(crate) fn width() -> Option<usize> {
    let columns = tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col));
    // A pseudo-terminal that was never given a size reports 0 columns.
    columns.filter(|columns| *columns > 0)
}

/// The number of terminal rows that a line takes when it wraps.
pub(crate) fn height(line: &str) -> usize {
    width().map_or(1, |columns| line.chars().count().div_ceil(columns).max(1))
}

/// Prints text on standard output, see [`keep_styles`]. Ignores errors: the reader may have closed the
/// pipe.
pub(crate) fn print(text: &str) {
    // `println!` would panic if a pager has closed the pipe.
    let _ = stdout().lock().write_all(keep_styles(text, &stdout()).as_bytes());
}

/// Moves the cursor of standard output up by this many rows and clears the rest of the screen.
pub(crate) fn clear_rows(rows: usize) {
    let _ = write!(stdout().lock(), "\x1b[{rows}A\x1b[J");
}

/// Escapes control characters on a terminal, except tabs, line breaks, and sequences that set a style:
/// most text quotes files that others wrote. Elsewhere text is printed byte for byte.
fn keep_styles<'t>(text: &'t str, stream: &impl IsTerminal) -> Cow<'t, str> {
    let is_harmless = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if !stream.is_terminal() || text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    for (at, c) in text.char_indices() {
        if is_harmless(c) || begins_style(&text[at..]) {
            kept.push(c);
        } else {
            kept.extend(c.escape_default());
        }
    }
    Cow::Owned(kept)
}

fn begins_style(text: &str) -> bool {
    let codes = text.strip_prefix("\x1b[");
    codes.is_some_and(|codes| {
        codes.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m')
    })
}

/// Escapes hidden characters in a message that may quote untrusted text. A line break stays, unless
/// GitHub would take the next line in the log of a workflow for a command (`::…`).
pub(crate) fn escape_message(text: &str) -> String {
    let mut lines = text.split('\n').map(escape_controls);
    let first = lines.next().unwrap_or_default().into_owned();
    lines.fold(first, |message, line| {
        let is_command = line.trim_start().starts_with("::");
        message + if is_command { "\\n" } else { "\n" } + &line
    })
}

/// Escapes hidden characters and line breaks in a path.
pub(crate) fn escape_path(path: &str) -> String {
    escape_controls(path).replace('\n', "\\n")
}

/// Prints untrusted text, such as the output of a program, on standard output. On a terminal,
/// control characters are escaped, because they could redraw or control it; otherwise the text is
/// printed byte for byte.
pub(crate) fn print_foreign(text: &str) {
    print(&escape_foreign(text, &stdout()));
}

/// Prints untrusted text with a newline at its end, see [`print_foreign`].
pub(crate) fn print_foreign_line(text: &str) {
    print_line(&escape_foreign(text, &stdout()));
}

/// Prints untrusted bytes that may not be text, see [`print_foreign`].
pub(crate) fn print_foreign_bytes(bytes: &[u8]) {
    if stdout().is_terminal() {
        print_foreign(&String::from_utf8_lossy(bytes));
    } else {
        let _ = stdout().lock().write_all(bytes);
    }
}

/// Prints a chunk of untrusted output as it arrives. It may end anywhere in a line.
pub(crate) fn print_foreign_part(text: &str) {
    print_foreign(text);
    let _ = stdout().flush();
}

/// Prints a chunk of untrusted output on standard error.
pub(crate) fn note_foreign_part(text: &str) {
    note_bytes(escape_foreign(text, &stderr()).as_bytes());
}

/// Prints untrusted text on standard error, see [`print_foreign`].
pub(crate) fn note_foreign(text: &str) {
    note(&escape_foreign(text, &stderr()));
}

/// Escapes control characters on a terminal, except tabs and line breaks, which are harmless.
fn escape_foreign<'t>(text: &'t str, stream: &impl IsTerminal) -> Cow<'t, str> {
    if !stream.is_terminal() {
        return Cow::Borrowed(text);
    }
    let parts: Vec<_> = text.split('\t').map(escape_controls).collect();
    Cow::Owned(parts.join("\t"))
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

/// Prints a value as JSON on one line of standard output.
pub(crate) fn json_line(value: &impl Serialize) {
    print_line(
        &serde_json::to_string(value).expect("machine-readable output has only string keys"),
    );
}

/// Prints a line for people on standard error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(stderr().lock(), "{}", keep_styles(text, &stderr()));
}

/// Asks a question on standard error; `None` on EOF.
pub(crate) fn ask(question: &str) -> Option<String> {
    let _ = write!(stderr().lock(), "{question}");
    let mut answer = String::new();
    let read = stdin().lock().read_line(&mut answer).unwrap_or(0);
    (read > 0).then(|| answer.trim().to_owned())
}

/// Prints bytes on standard error as they are.
pub(crate) fn note_bytes(bytes: &[u8]) {
    let mut stream = stderr().lock();
    let _ = stream.write_all(bytes).and_then(|()| stream.flush());
}

/// Whether progress can be drawn: standard error is a terminal, and the output is not quiet.
pub(crate) fn shows_progress() -> bool {
    stderr().is_terminal() && !IS_QUIET.load(Ordering::Relaxed)
}

/// Prints an error and its hint on standard error.
pub(crate) fn print_error(error: &CommandError) {
    let title = Level::ERROR.primary_title(escape_message(&error.message));
    let hint = error.hint.as_deref().filter(|hint| !hint.is_empty());
    let hint = hint.map(|hint| Level::HELP.message(escape_message(hint)));
    let group = Group::with_title(title).elements(hint);
    note(&renderer(&stderr()).render(&[group]));
}

/// The renderer of code excerpts for a stream.
pub(crate) fn renderer(stream: &impl IsTerminal) -> Renderer {
    if is_coloured(stream) { Renderer::styled() } else { Renderer::plain() }
}

#[cfg(test)]
mod tests {
    use super::{begins_style, escape_message, escape_path};

    #[test]
    fn recognizes_sequences_that_set_a_style() {
        for style in ["\x1b[m", "\x1b[0m", "\x1b[1;31mred"] {
            assert!(begins_style(style), "{style:?}");
        }
        for other in ["\x1b[2J", "\x1b]0;title\x07", "\x1b[1", "\x1bc", "\u{9b}31m", "plain"] {
            assert!(!begins_style(other), "{other:?}");
        }
    }

    #[test]
    fn no_line_of_a_message_is_a_workflow_command() {
        assert_eq!(escape_message("a\nb\n  c::d"), "a\nb\n  c::d");
        assert_eq!(escape_message("a\r\n \t::error::b\n::stop"), "a\\r\n \\t::error::b\\n::stop");
        assert_eq!(escape_message("\x1b[2J\u{9b}m"), "\\u{1b}[2J\\u{9b}m");
        assert_eq!(escape_path("a\n::b\x1b"), "a\\n::b\\u{1b}");
    }
}
