//! Tools that are bound to other tools, which may be bound to others in turn.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use catalog::{Annotations, Diagnostic, Implementation, Origin, Tool, closest, name};

use super::{CIRCULAR_BIND, UNKNOWN_TARGET};
use crate::GUIDE_TOOLS;

/// The tools that are bound to what is not there, or in a circle, and what is said about each; `bound` is where each was
/// bound.
pub(super) fn lost(
    tools: &[Arc<Tool>],
    bound: &HashMap<String, Origin>,
) -> Vec<(String, Diagnostic)> {
    let by_name: HashMap<&str, &Tool> =
        tools.iter().map(|tool| (tool.name.as_str(), &**tool)).collect();
    let mut seen = HashSet::new();
    let others = tools.iter().filter_map(|tool| match &tool.implementation {
        Implementation::Tool(other) if seen.insert(&tool.name) => Some((tool, other)),
        _ => None,
    });
    let judged = others.filter_map(|(tool, other)| {
        let origin = bound.get(&tool.name)?.clone();
        let found = match end(&tool.name, other, &by_name) {
            End::Callable(_) => return None,
            End::Circle => Diagnostic::new(
                &CIRCULAR_BIND,
                origin,
                format!("`{}` is bound to itself, by way of `{other}`", tool.name),
            )
            .hint("bind one of them to something that runs"),
            End::Nothing(missing) => {
                let hint =
                    closest(missing, by_name.keys().copied().filter(|name| *name != tool.name))
                        .map_or_else(
                            || "`toolcrib list` shows the names".to_owned(),
                            |near| format!("did you mean `{near}`?"),
                        );
                let message = match by_name.contains_key(missing) {
                    true => format!(
                        "`{}` is bound to `{missing}`, which nothing runs either",
                        tool.name
                    ),
                    false => format!(
                        "`{}` is bound to `{missing}`, which is no tool of this crib",
                        tool.name
                    ),
                };
                Diagnostic::new(&UNKNOWN_TARGET, origin, message).hint(hint)
            }
        };
        Some((tool.name.clone(), found.tool(&tool.name)))
    });
    judged.collect()
}

/// What a chain of tools comes to.
enum End<'a> {
    /// A tool of the crib, or one that the server itself has.
    Callable(Option<&'a Tool>),
    Circle,
    Nothing(&'a str),
}

fn end<'a>(first: &'a str, next: &'a str, tools: &HashMap<&'a str, &'a Tool>) -> End<'a> {
    let (mut passed, mut next) = (HashSet::from([first]), next);
    loop {
        if !passed.insert(next) {
            return End::Circle;
        }
        match tools.get(next).map(|tool| &tool.implementation) {
            Some(Implementation::Tool(other)) => next = other,
            _ if is_native(next) => return End::Callable(None),
            Some(Implementation::Missing) | None => return End::Nothing(next),
            Some(_) => return End::Callable(tools.get(next).copied()),
        }
    }
}

/// Says of tools that are bound to others what holds for those, where nothing else is said.
pub(super) fn inherit(tools: &mut [Arc<Tool>]) {
    let by_name: HashMap<&str, &Tool> =
        tools.iter().map(|tool| (tool.name.as_str(), &**tool)).collect();
    let others = tools.iter().enumerate().filter_map(|(index, tool)| {
        let Implementation::Tool(other) = &tool.implementation else {
            return None;
        };
        let End::Callable(Some(other)) = end(&tool.name, other, &by_name) else {
            return None;
        };
        let (own, theirs) = (tool.annotations.clone(), &other.annotations);
        let annotations = Annotations {
            mutates: own.mutates.or(theirs.mutates),
            dangerous: own.dangerous.or(theirs.dangerous),
            idempotent: own.idempotent.or(theirs.idempotent),
            requires_approval: own.requires_approval.or(theirs.requires_approval),
            network: own.network.or(theirs.network),
            ..own
        };
        Some((index, Arc::new(Tool { annotations, mode: other.mode, ..(**tool).clone() })))
    });
    let ready: Vec<_> = others.collect();
    for (index, tool) in ready {
        tools[index] = tool;
    }
}

/// Whether a name is that of a tool that the server itself has.
fn is_native(name: &str) -> bool {
    name::BUILT_IN.contains(&name) || GUIDE_TOOLS.contains(&name)
}
