//! The built-in tools among those of a crib.

use std::sync::Arc;

use runtime::{Runtime, Settings};
use toolkit::{Native, Outcome, Schema, Tool};

fn tool(name: &str, text: &str) -> Tool {
    Native::new(name, text, Schema::empty(), async |_, _| Ok(Outcome::default())).tool
}

/// A tool that is only described.
fn described(name: &str, text: &str) -> Tool {
    let mut tool = tool(name, text);
    tool.implementation = catalog::Implementation::Missing;
    tool
}

#[test]
fn a_definition_gives_a_built_in_tool_its_text_and_nothing_else() {
    let temp = tempfile::tempdir().expect("a folder");
    let natives =
        builtin::natives(&Runtime::new(Settings::new(temp.path().to_owned())).operations());
    let defined = [
        described("await", "Waits as we like it"),
        tool("status", "Another program"),
        tool("mine", "Mine"),
    ];
    let defined: Vec<_> = defined.into_iter().map(Arc::new).collect();
    let tools = builtin::join(&defined, &natives);
    let find = |name: &str| tools.iter().filter(|tool| tool.name == name).collect::<Vec<_>>();
    for name in ["status", "await", "cancel", "mine"] {
        assert_eq!(find(name).len(), 1, "{name}");
    }
    assert_eq!(find("await")[0].description.text, "Waits as we like it");
    assert!(
        find("await")[0].is_callable()
            && find("await")[0].input.property("timeout_seconds").is_some()
    );
    assert_ne!(find("status")[0].description.text, "Another program");
    assert!(find("mine")[0].is_callable());
}
