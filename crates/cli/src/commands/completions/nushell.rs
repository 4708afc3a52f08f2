//! Dynamic completion for Nushell, for which `clap_complete` supports only static completion.

use std::{ffi::OsString, io, path::Path};

use clap_complete::{CompletionCandidate, engine, env::EnvCompleter};
use serde_json::{Value, json};

pub(super) struct Nushell;

impl EnvCompleter for Nushell {
    fn name(&self) -> &'static str {
        "nushell"
    }

    fn is(&self, name: &str) -> bool {
        name == "nushell" || name == "nu"
    }

    /// Writes an external completer that passes all other commands to the completer that was
    /// registered before it.
    fn write_registration(
        &self,
        variable: &str,
        _name: &str,
        program: &str,
        completer: &str,
        buffer: &mut dyn io::Write,
    ) -> io::Result<()> {
        write!(
            buffer,
            r#"$env.config.completions.external.enable = true
$env.config.completions.external.completer = (
    do {{|previous|
        {{|spans|
            if ($spans | first | path basename) == "{program}" {{
                with-env {{{variable}: nushell}} {{ ^{completer} -- ...$spans }} | from json
            }} else if $previous != null {{
                do $previous $spans
            }}
        }}
    }} $env.config.completions.external.completer?
)
"#
        )
    }

    /// Writes the proposals for the last word.
    fn write_complete(
        &self,
        command: &mut clap::Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        buffer: &mut dyn io::Write,
    ) -> io::Result<()> {
        let last = words.len().saturating_sub(1);
        let candidates = engine::complete(command, words, last, folder)?;
        let records: Vec<_> = candidates.iter().map(to_record).collect();
        write!(buffer, "{}", Value::Array(records))
    }
}

fn to_record(candidate: &CompletionCandidate) -> Value {
    let value = candidate.get_value().to_string_lossy();
    match candidate.get_help() {
        Some(help) => json!({"value": value, "description": help.to_string()}),
        None => json!({"value": value}),
    }
}
