//! Logging to standard error: standard output is for the protocol or for results.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    Layer, filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};
use workspace::Environment;

use crate::{arguments::Global, error::CommandError, terminal};

/// The log level if neither the command line nor `TOOLCRIB_LOG` sets one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultLevel {
    /// `info`, with every call: for the operator of a server.
    Server,
    /// `warn`, without calls: the command itself reports the rest.
    Command,
}

/// Starts logging.
pub(crate) fn start(
    global: &Global,
    environment: &Environment,
    default: DefaultLevel,
) -> Result<(), CommandError> {
    if global.quiet {
        terminal::disable_progress();
    }
    let (level, calls) =
        match (global.log_level.as_deref().or_else(|| environment.get("TOOLCRIB_LOG")), default) {
            (Some(word), _) if !word.is_empty() => {
                word.parse().map(|level| (level, level)).map_err(|_| unknown_level_error(word))?
            }
            _ if global.quiet => (LevelFilter::ERROR, LevelFilter::OFF),
            _ if global.verbose > 1 => (LevelFilter::TRACE, LevelFilter::TRACE),
            (_, DefaultLevel::Server) if global.verbose > 0 => {
                (LevelFilter::DEBUG, LevelFilter::DEBUG)
            }
            (_, DefaultLevel::Server) => (LevelFilter::INFO, LevelFilter::INFO),
            (_, DefaultLevel::Command) if global.verbose > 0 => {
                (LevelFilter::INFO, LevelFilter::INFO)
            }
            (_, DefaultLevel::Command) => (LevelFilter::WARN, LevelFilter::OFF),
        };
    // Below `error` the protocol library logs whole messages, with the arguments and results of
    // calls. Its errors are about clients that disconnected, which matters only when debugging.
    let protocol = if level >= LevelFilter::DEBUG { LevelFilter::ERROR } else { LevelFilter::OFF };
    let targets = Targets::new()
        .with_default(level)
        .with_target("rmcp", protocol)
        .with_target(runtime::CALLS, calls);
    let layer = fmt::layer().with_writer(std::io::stderr).with_target(false);
    let layer = if global.log_json {
        layer.json().boxed()
    } else {
        layer.with_ansi(terminal::is_coloured(&std::io::stderr())).compact().boxed()
    };
    tracing_subscriber::registry().with(layer.with_filter(targets)).init();
    Ok(())
}

fn unknown_level_error(word: &str) -> CommandError {
    CommandError::machine(format!("`{word}` is not a log level"))
        .hint("use error, warn, info, debug or trace")
}
