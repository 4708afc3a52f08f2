//! Prefixes: precedence, valid values, and conflicts.

use toolkit::{Naming, Native, Prefix, Toolset, ToolsetOptions};

use crate::greeter::greeter;

/// The served name, and the bare name if it differs.
fn build_names(native: Native, prefix: Prefix) -> (String, Option<String>) {
    let options = ToolsetOptions { prefix, ..ToolsetOptions::default() };
    let natives = Toolset::default().with(native).build(&options).unwrap();
    (natives[0].tool.name.clone(), natives[0].tool.bare_name.clone())
}

fn served_name(native: Native, prefix: Prefix) -> String {
    build_names(native, prefix).0
}

#[test]
fn tools_have_no_prefix_by_default() {
    assert_eq!(build_names(greeter("greet"), Prefix::unset()), ("greet".to_owned(), None));
}

#[test]
fn tool_name_prefixing_uses_the_configured_prefix() {
    let set = Prefix::parse("acme").unwrap();
    assert_eq!(
        build_names(greeter("greet"), set.clone()),
        ("acme_greet".to_owned(), Some("greet".to_owned()))
    );
    assert_eq!(served_name(greeter("greet").naming(Naming::Bare), set.clone()), "greet");
    assert_eq!(served_name(greeter("greet").naming(Naming::Prefixed("guide")), set), "acme_greet");
}

#[test]
fn default_prefix_configuration_covers_only_tools_that_have_one() {
    assert_eq!(
        served_name(greeter("greet").naming(Naming::Prefixed("guide")), Prefix::unset()),
        "guide_greet"
    );
}

#[test]
fn an_empty_prefix_means_none() {
    assert_eq!(
        served_name(greeter("greet").naming(Naming::Prefixed("guide")), Prefix::parse("").unwrap()),
        "greet"
    );
}

#[test]
fn per_tool_prefix_override_beats_the_configured_prefix() {
    let set = Prefix::parse("acme").unwrap();
    assert_eq!(
        served_name(greeter("greet").naming(Naming::Own("mine")), set.clone()),
        "mine_greet"
    );
    assert_eq!(served_name(greeter("greet").naming(Naming::Own("")), set), "greet");
}

#[test]
fn a_trailing_underscore_is_not_doubled() {
    assert_eq!(served_name(greeter("greet"), Prefix::parse("acme_").unwrap()), "acme_greet");
}

#[test]
fn invalid_prefixes_are_rejected() {
    for bad in ["a b", "ä", "x".repeat(65).as_str()] {
        assert!(Prefix::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn names_that_become_equal_or_too_long_are_rejected() {
    let options =
        ToolsetOptions { prefix: Prefix::parse("a").unwrap(), ..ToolsetOptions::default() };
    let clash = Toolset::default()
        .with(greeter("b"))
        .with(greeter("a_b").naming(Naming::Bare))
        .build(&options);
    assert_eq!(clash.err().unwrap().0, ["two tools have the name `a_b`"]);
    let options = ToolsetOptions {
        prefix: Prefix::parse(&"p".repeat(60)).unwrap(),
        ..ToolsetOptions::default()
    };
    assert!(Toolset::default().with(greeter("greet")).build(&options).is_err());
}
