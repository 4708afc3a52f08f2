//! Prints the result of a call.

use catalog::{Content, Outcome};
use docs::PublishedBook;
use serde_json::{Value, json};

use crate::{
    error::{CommandError, ErrorKind},
    terminal,
};

/// The part of a program's output that was already printed while it ran.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Printed {
    Nothing,
    Streams,
}

/// Prints the result; a failure with a link to its error type in the book.
pub(super) fn print_outcome(outcome: &Outcome, printed: Printed, book: Option<&PublishedBook>) {
    match failure(outcome) {
        Some((structured, message)) => {
            print_streams(structured, printed);
            // For a function, the text has more than the message: class, location and the value
            // itself.
            let details = &structured["error_details"];
            let is_function = details.get("traceback").or(details.get("mismatches")).is_some();
            let mut texts = outcome.content.iter().filter_map(to_text).filter(|_| is_function);
            let message = texts.next().unwrap_or(message);
            let error = CommandError::new(ErrorKind::ToolFailed, message);
            let link = book.zip(outcome.error_type()).map(|(book, kind)| book.error_type(kind));
            terminal::print_error(&match link {
                Some(link) => error.hint(format!("see {link}")),
                None => error,
            });
            texts.for_each(|text| terminal::note(text.trim_end()));
        }
        None => {
            let program = outcome.structured.as_ref().filter(|_| is_program_output(outcome));
            program.into_iter().for_each(|structured| print_streams(structured, printed));
            // The texts of a program's result are its streams, labelled for a model, which were
            // printed above.
            let others = |content: &&Content| program.is_none() || to_text(content).is_none();
            outcome.content.iter().filter(others).for_each(print_content);
        }
    }
}

/// Prints the streams of a program that were not printed while it ran.
fn print_streams(structured: &Value, printed: Printed) {
    if printed == Printed::Streams {
        return;
    }
    terminal::print_foreign(structured["stdout"].as_str().unwrap_or_default());
    if let Some(stderr) = structured["stderr"].as_str().filter(|stderr| !stderr.is_empty()) {
        terminal::note_foreign(stderr.trim_end());
    }
}

/// The structured result of a failed call, and the message in it.
fn failure(outcome: &Outcome) -> Option<(&Value, &str)> {
    let structured = outcome.structured.as_ref().filter(|_| outcome.failed)?;
    let message = structured.get("error_message").or(structured.get("error"))?;
    Some((structured, message.as_str()?))
}

/// Whether the outcome is that of a program, whose output is printed byte for byte.
fn is_program_output(outcome: &Outcome) -> bool {
    outcome.structured.as_ref().is_some_and(|structured| structured.get("exit_code").is_some())
}

fn print_content(content: &Content) {
    match content {
        Content::Text(text) | Content::Resource { text, .. } => {
            terminal::print_foreign_line(text);
        }
        Content::Link { uri, .. } if runtime::is_long_output(uri) => {
            terminal::note(&format!("full output: {uri}"))
        }
        Content::Link { uri, name, .. } => terminal::note_foreign(&format!("{name}: {uri}")),
        Content::Image { data, mime_type } | Content::Audio { data, mime_type } => {
            let size = data.len();
            terminal::note(&format!("({size} bytes of {mime_type}; `--save DIR` writes them)"));
        }
    }
}

fn to_text(content: &Content) -> Option<&str> {
    match content {
        Content::Text(text) => Some(text),
        _ => None,
    }
}

/// Prints the structured result.
pub(super) fn print_json(outcome: &Outcome) {
    let texts = || outcome.content.iter().filter_map(to_text).collect::<Vec<_>>().join("\n");
    terminal::json(&outcome.structured.clone().unwrap_or_else(|| json!({"text": texts()})));
}
