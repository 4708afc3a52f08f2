//! Loading a crib again: which definitions are read, and what stays the same.

use std::{fmt::Write as _, sync::Arc};

use catalog::{Diagnostic, Tool};
use workspace::{Loaded, Loader};

use crate::crib_fixture::CribFixture;

/// A definition with a number of subcommands, each with a warning (`mutates` is not declared).
fn definition(name: &str, subcommands: usize) -> String {
    let mut text = format!(
        r#"{{"name": "{name}", "description": "Does things", "command": "echo", "synchronous": true, "subcommand": ["#
    );
    for index in 0..subcommands {
        let comma = if index == 0 { "" } else { "," };
        write!(
            text,
            r#"{comma}{{"name": "s{index}", "description": "Variant {index}", "guidance_key": "hint",
                "options": [{{"name": "ratio", "type": "number", "description": "How much", "default": 0.1}}],
                "positional_args": [{{"name": "word", "type": "string", "description": "What"}}]}}"#
        )
        .expect("a string");
    }
    text + "]}"
}

fn tool<'l>(loaded: &'l Loaded, name: &str) -> &'l Arc<Tool> {
    loaded.catalog.get(name).expect(name)
}

#[test]
fn unchanged_files_keep_their_tools_and_diagnostics() {
    let crib = CribFixture::with_config("");
    crib.write("tools/a.json", &definition("a", 2));
    crib.write("tools/b.json", &definition("b", 2));
    let open = crib.open_valid();
    let mut loader = Loader::default();
    let first = loader.load(&open);
    crib.write("tools/b.json", &definition("b", 1));
    let second = loader.load(&open);
    assert!(Arc::ptr_eq(tool(&first, "a_s0"), tool(&second, "a_s0")));
    assert!(!Arc::ptr_eq(tool(&first, "b_s0"), tool(&second, "b_s0")));
    assert!(second.catalog.get("b_s1").is_none());
    let fresh = crib.load();
    assert!(!fresh.diagnostics.is_empty());
    assert_eq!((second.diagnostics, second.files), (fresh.diagnostics, fresh.files));
    assert_eq!(second.catalog.tools(), fresh.catalog.tools());
}

#[test]
fn a_change_outside_a_file_is_noticed() {
    let crib = CribFixture::with_config("");
    crib.write("tools/a.json", &definition("a", 1));
    let mut loader = Loader::default();
    let guidance = |loaded: &Loaded| tool(loaded, "a_s0").description.guidance.clone();
    assert_eq!(guidance(&loader.load(&crib.open_valid())), None);
    crib.write("tool_guidance.json", r#"{"guidance_blocks": {"hint": "Be careful"}}"#);
    assert_eq!(guidance(&loader.load(&crib.open_valid())).as_deref(), Some("Be careful"));
    // Rules depend on the configuration too.
    crib.write("toolcrib.toml", "[crib]\nfull_names = true\nname = \"a-very-long-name-for-a-crib-that-leaves-hardly-any-room\"\n");
    let loaded = loader.load(&crib.open_valid());
    assert_eq!(loaded.diagnostics, crib.load().diagnostics);
}

#[test]
fn schemas_are_text_until_they_are_used() {
    let crib = CribFixture::with_config("");
    crib.write("tools/a.json", &definition("a", 2));
    let compact = crib.load();
    let tools = compact.catalog.tools();
    assert!(tools.iter().all(|tool| tool.input.is_compact()));
    // Tools that a `[[bind]]` could change are linted later and stay parsed until then.
    crib.write("toolcrib.toml", "[[bind]]\ntools = \"other\"\ncommand = [\"true\"]\n");
    let parsed = crib.load();
    let (one, parsed) = (tool(&compact, "a_s0"), tool(&parsed, "a_s0"));
    assert!(!parsed.input.is_compact());
    assert_eq!((one, format!("{one:?}")), (parsed, format!("{parsed:?}")));
    assert!(one.input.is_compact(), "comparing and printing does not keep the parsed schema");
    assert_eq!(one.input.property("ratio"), parsed.input.property("ratio"));
    assert!(!one.input.is_compact());
}

#[test]
fn a_loader_that_forgets_locations_reports_the_same() {
    let crib = CribFixture::with_config("");
    let undescribed = definition("a", 2).replace("\"How much\"", "\"\"");
    crib.write("tools/a.json", &undescribed);
    let mut loader = Loader::default();
    loader.forget_parameter_locations();
    let (loaded, usual) = (loader.load(&crib.open_valid()), crib.load());
    assert!(tool(&loaded, "a_s0").parameters.is_empty());
    assert_eq!(tool(&usual, "a_s0").parameters.len(), 2);
    let is_in_parameter = |found: &Diagnostic| {
        found.origin.pointer().is_some_and(|pointer| pointer.contains("options"))
    };
    assert!(usual.diagnostics.iter().any(is_in_parameter), "{:?}", usual.diagnostics);
    assert_eq!(loaded.diagnostics, usual.diagnostics);
}
