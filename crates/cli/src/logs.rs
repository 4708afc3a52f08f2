//! Logs go to standard error, because standard output belongs to the protocol or to the result.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    Layer, filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};
use workspace::Environment;

use crate::{arguments::Global, error::CommandError, terminal};

/// How much is logged unless somebody says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usual {
    /// What an operator wants to know of a server.
    Server,
    /// What a person at a terminal is not told anyway.
    Command,
}

/// Starts logging, as is usual unless the command line or `TOOLCRIB_LOG` says otherwise.
pub(crate) fn start(
    global: &Global,
    environment: &Environment,
    usual: Usual,
) -> Result<(), CommandError> {
    let (level, calls) =
        match (global.log_level.as_deref().or_else(|| environment.get("TOOLCRIB_LOG")), usual) {
            (Some(word), _) if !word.is_empty() => {
                word.parse().map(|level| (level, level)).map_err(|_| unknown(word))?
            }
            (_, Usual::Server) => (LevelFilter::INFO, LevelFilter::INFO),
            (_, Usual::Command) => (LevelFilter::WARN, LevelFilter::OFF),
        };
    // Below `error` the protocol library logs whole messages, with arguments and results; its errors are about clients
    // that went away.
    let protocol = if level >= LevelFilter::DEBUG { LevelFilter::ERROR } else { LevelFilter::OFF };
    let targets = Targets::new()
        .with_default(level)
        .with_target("rmcp", protocol)
        .with_target(runtime::CALLS, calls);
    let layer = fmt::layer().with_writer(std::io::stderr).with_target(false);
    let layer = if global.log_json {
        layer.json().boxed()
    } else {
        layer.with_ansi(terminal::is_colourful(&std::io::stderr())).compact().boxed()
    };
    tracing_subscriber::registry().with(layer.with_filter(targets)).init();
    Ok(())
}

fn unknown(word: &str) -> CommandError {
    CommandError::machine(format!("`{word}` is not a log level"))
        .hint("use error, warn, info, debug or trace")
}
