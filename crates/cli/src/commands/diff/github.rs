//! Changes as annotations of a GitHub workflow: a warning for each change that may break callers, an
//! error for each version that is too low.

use compat::{Class, ToolComparison};

use super::human::display_name;
use crate::{report::github::annotate, terminal};

/// Prints one workflow command for each.
pub(super) fn print(tools: &[ToolComparison]) {
    for tool in tools {
        let name = display_name(tool);
        let counts = |change: &&compat::Change| {
            change.allowed.is_none() && change.effect.class() == Class::Breaking
        };
        for change in tool.changes.iter().filter(counts) {
            let title = format!("{name}: {}", change.rule.name);
            terminal::print_line(&annotate("warning", &title, &change.message));
        }
        let version = tool.check_version();
        if !version.ok {
            let message = version.message.unwrap_or_default();
            terminal::print_line(&annotate("error", &format!("{name}: version"), &message));
        }
    }
}
