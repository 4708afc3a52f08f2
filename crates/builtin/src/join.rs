//! The built-in tools among those of a crib.

use std::sync::Arc;

use toolkit::{Native, Tool};

/// The tools of a crib that cannot be called, because a built-in one has their name.
pub fn hidden<'a>(
    defined: impl IntoIterator<Item = &'a Arc<Tool>>,
    natives: &[Native],
) -> Vec<&'a Arc<Tool>> {
    let is_taken = |tool: &&Arc<Tool>| {
        tool.is_callable() && natives.iter().any(|native| native.tool.name == tool.name)
    };
    defined.into_iter().filter(is_taken).collect()
}

/// The tools of a crib and the built-in ones. A definition without a program that has the name of a
/// built-in tool gives that tool its description; one with a program would be called in its place,
/// so it is left out.
pub fn join<'a>(
    defined: impl IntoIterator<Item = &'a Arc<Tool>>,
    natives: &[Native],
) -> Vec<Arc<Tool>> {
    let mut built_in: Vec<_> = natives.iter().map(|native| native.tool.clone()).collect();
    let mut tools = Vec::new();
    for tool in defined {
        match built_in.iter_mut().find(|native| native.name == tool.name) {
            Some(native) if !tool.is_callable() => native.description = tool.description.clone(),
            Some(_) => {}
            None => tools.push(Arc::clone(tool)),
        }
    }
    tools.extend(built_in.into_iter().map(Arc::new));
    tools
}
