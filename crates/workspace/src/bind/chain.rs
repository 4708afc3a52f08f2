//! Tools that are bound to other tools, which may themselves be bound to others.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use catalog::{Annotations, Diagnostic, Implementation, Origin, Tool, closest};

use super::{CIRCULAR_BIND, UNKNOWN_TARGET};
use crate::native_names::native_names;

/// Tools whose chain ends at a missing tool or in a cycle, each with its diagnostic. `bound` has
/// the origin of the clause that bound each tool.
pub(super) fn find_unresolved(
    tools: &[Arc<Tool>],
    bound: &HashMap<String, Origin>,
) -> Vec<(String, Diagnostic)> {
    let by_name: HashMap<&str, &Tool> =
        tools.iter().map(|tool| (tool.name.as_str(), &**tool)).collect();
    let mut seen = HashSet::new();
    let others = tools.iter().filter_map(|tool| match &tool.implementation {
        // Several documents may describe one tool; one diagnostic is enough.
        Implementation::Tool(other) if seen.insert(&tool.name) => Some((tool, other)),
        _ => None,
    });
    let unresolved = others.filter_map(|(tool, other)| {
        let origin = bound.get(&tool.name)?.clone();
        let found = match follow(&tool.name, other, &by_name) {
            ChainEnd::Callable(_) => return None,
            ChainEnd::Cycle => Diagnostic::new(
                &CIRCULAR_BIND,
                origin,
                format!("`{}` is bound to itself through `{other}`", tool.name),
            )
            .hint("bind one of them to a program or a function"),
            ChainEnd::Missing(missing) if by_name.contains_key(missing) => {
                let message =
                    format!("`{}` is bound to `{missing}`, which has no implementation", tool.name);
                Diagnostic::new(&UNKNOWN_TARGET, origin, message)
                    .hint(format!("bind `{missing}` to a program or a function"))
            }
            ChainEnd::Missing(missing) => {
                let message =
                    format!("`{}` is bound to `{missing}`, which does not exist", tool.name);
                let others = by_name.keys().copied().filter(|name| *name != tool.name);
                let hint = closest(missing, others).map_or_else(
                    || "`toolcrib list` shows the names".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                Diagnostic::new(&UNKNOWN_TARGET, origin, message).hint(hint)
            }
        };
        Some((tool.name.clone(), found.tool(&tool.name)))
    });
    unresolved.collect()
}

/// The end of a chain of bound tools.
enum ChainEnd<'a> {
    /// A tool of the crib, or `None` for a native tool.
    Callable(Option<&'a Tool>),
    Cycle,
    /// A tool that does not exist or has no implementation.
    Missing(&'a str),
}

/// Follows the chain that starts with `first` bound to `next`.
fn follow<'a>(first: &'a str, next: &'a str, tools: &HashMap<&'a str, &'a Tool>) -> ChainEnd<'a> {
    let (mut visited, mut next) = (HashSet::from([first]), next);
    loop {
        if !visited.insert(next) {
            return ChainEnd::Cycle;
        }
        match tools.get(next).map(|tool| &tool.implementation) {
            Some(Implementation::Tool(other)) => next = other,
            // Native tools are not among the definitions, and win over one of the same name.
            _ if native_names().any(|name| name == next) => return ChainEnd::Callable(None),
            Some(Implementation::Missing) | None => return ChainEnd::Missing(next),
            Some(_) => return ChainEnd::Callable(tools.get(next).copied()),
        }
    }
}

/// Gives tools that are bound to others the annotations of those, where they declare none: a tool
/// that only forwards calls is as dangerous as its target.
pub(super) fn inherit_annotations(tools: &mut [Arc<Tool>]) {
    let by_name: HashMap<&str, &Tool> =
        tools.iter().map(|tool| (tool.name.as_str(), &**tool)).collect();
    let others = tools.iter().enumerate().filter_map(|(index, tool)| {
        let Implementation::Tool(other) = &tool.implementation else {
            return None;
        };
        let ChainEnd::Callable(Some(other)) = follow(&tool.name, other, &by_name) else {
            return None;
        };
        let (own, target) = (tool.annotations.clone(), &other.annotations);
        let annotations = Annotations {
            mutates: own.mutates.or(target.mutates),
            dangerous: own.dangerous.or(target.dangerous),
            idempotent: own.idempotent.or(target.idempotent),
            requires_approval: own.requires_approval.or(target.requires_approval),
            network: own.network.clone().or_else(|| target.network.clone()),
            ..own
        };
        // The mode as well: a call of an asynchronous tool becomes an operation.
        Some((index, Arc::new(Tool { annotations, mode: other.mode, ..(**tool).clone() })))
    });
    // Collected first, because the chains are followed in the unchanged list.
    let updated: Vec<_> = others.collect();
    for (index, tool) in updated {
        tools[index] = tool;
    }
}
