//! `network` as a list of destinations, in every format.

use catalog::{NetworkAccess, Tool};
use formats::convert;
use serde_json::{Value, json};

use crate::reading::{read, read_text, tool, with_leaf, writer};

/// `CODE location message (hint)` for each diagnostic.
fn describe(definition: &Value) -> Vec<String> {
    let found = read(definition).diagnostics;
    let describe = |found: &catalog::Diagnostic| {
        let at = found.origin.pointer().unwrap_or_default();
        format!("{} {at} {} ({})", found.code, found.message, found.hint.as_deref().unwrap_or("-"))
    };
    found.iter().map(describe).collect()
}

fn network(tool: &Tool) -> Value {
    json!(tool.annotations.network)
}

#[test]
fn reports_every_invalid_destination() {
    let definition = with_leaf(json!({
        "network": ["example.org:443", "https://example.org", "example.org", 5, "127.1:80"],
    }));
    insta::assert_snapshot!(describe(&definition).join("\n"), @r#"
    TC039 /subcommand/0/network/1 `https://example.org` is not a destination: it looks like a URL (write `"host:port"`, such as `"example.org:443"`, `"127.0.0.1:5432"` or `"[::1]:5432"`)
    TC039 /subcommand/0/network/2 `example.org` is not a destination: it has no port (write `"host:port"`, such as `"example.org:443"`, `"127.0.0.1:5432"` or `"[::1]:5432"`)
    TC021 /subcommand/0/network/3 expected string, received integer (-)
    TC039 /subcommand/0/network/4 `127.1:80` is not a destination: the host is neither a name nor an address (write a name in ASCII, `*.` and a name, an IPv4 address or an IPv6 address in brackets)
    "#);
    assert_eq!(read(&definition).tools.len(), 0);
    insta::assert_snapshot!(describe(&with_leaf(json!({"network": []}))).join("\n"), @"TC039 /subcommand/0/network the list of destinations is empty (write `false` for no network)");
    insta::assert_snapshot!(describe(&with_leaf(json!({"network": "x:1"}))).join("\n"), @r#"TC021 /subcommand/0/network expected boolean or array of `"host:port"`, received string (-)"#);
}

#[test]
fn a_leaf_replaces_the_list_of_its_tool() {
    let mut definition = with_leaf(json!({"network": ["b.example.org:443"]}));
    definition["network"] = json!(["a.example.org:443"]);
    assert_eq!(network(&tool(&definition)), json!(["b.example.org:443"]));
}

#[test]
fn lists_survive_every_format() {
    let list = json!(["example.org:443", "*.example.org:443", "127.0.0.1:5432", "[::1]:5432"]);
    let tools = [tool(&with_leaf(json!({"network": list, "mutates": false})))];
    for format in ["mtdf", "spec", "rave", "mcp"] {
        let converted = convert(&tools, writer(format), "crib");
        let [file] = converted.files.as_slice() else { panic!("{format}: one file") };
        let name = catalog::SourceId::new(&file.name);
        let back = formats::read(&name, file.text.as_bytes(), &formats::Guidance::default());
        assert_eq!(
            back.tools.iter().map(network).collect::<Vec<_>>(),
            std::slice::from_ref(&list),
            "{format}"
        );
        assert!(converted.losses.iter().all(|loss| loss.field != "network"), "{format}");
    }
}

#[test]
fn a_specification_declares_an_answer_or_a_list() {
    let read = |text: &str| {
        let page = format!(
            "# T - MCP Tool Specification\n\n## Tool: `t`\n\n- **Network**: {text}\n\n\
             ### 1. Tool Purpose and Description\n\nDo it.\n"
        );
        let reading = read_text(&page);
        let codes = reading.diagnostics.iter().filter(|found| found.code == "TC039").count();
        (reading.tools.first().map(|tool| tool.annotations.network.clone()), codes)
    };
    let only =
        |text: &str| Some(Some(NetworkAccess::Only(vec![text.parse().expect("a destination")])));
    assert_eq!(read("Yes"), (Some(Some(NetworkAccess::Internet)), 0));
    assert_eq!(read("No."), (Some(Some(NetworkAccess::None)), 0));
    assert_eq!(read("`example.org:443`"), (only("example.org:443"), 0));
    assert_eq!(read("example.org:443."), (only("example.org:443"), 0));
    assert_eq!(read("`example.org`, `example.org:443`"), (None, 1), "not served");
    assert_eq!(read("It uses `example.org:443` when asked"), (Some(None), 0));
}
