//! Which tools a document has, and why it has none.

use crate::specs::{codes, document_with, read, read_tool, render_diagnostics, tool_names};

#[test]
fn reads_every_style_of_heading() {
    let body = "Do it.\n\n**Parameters**: None\n";
    for (heading, expected) in [
        ("## Tool: `a_b`", vec!["a_b"]),
        ("### `a_b`", vec!["a_b"]),
        ("## `ns.a_b`", vec!["ns.a_b"]),
        ("#### `a_b`", vec!["a_b"]),
        ("### a_b", vec!["a_b"]),
        ("## a_b", vec!["a_b"]),
        ("### `a_b` / `c_d`", vec!["a_b", "c_d"]),
        ("Tool: `a_b`\n-----------", vec!["a_b"]),
        ("## Tools\n\n### push", vec!["push"]),
    ] {
        let text = format!("# M - MCP Tool Specification\n\n{heading}\n\n{body}");
        assert_eq!(tool_names(&read(&text)), expected, "{heading}");
    }
}

#[test]
fn wrappers_and_other_interfaces_are_not_tools() {
    let text = "# M - MCP Tool Specification\n\n## Tool Registration\n\nText.\n\n## Tool Schema\n\nText.\n\n## `mcp_tools.py`\n\nText.\n\n\
                ## `DemoRegistry`\n\nText.\n\n## Planned Tools\n\n### `later_on`\n\nText.\n\n## Tools\n\n### `real_one`\n\nDo it.\n\n\
                **Parameters**: None\n\n#### `config` object\n\nText.\n";
    assert_eq!(tool_names(&read(text)), ["real_one"]);
}

#[test]
fn prefers_the_invocation_name_to_the_heading() {
    let text = document_with(
        "### 2. Invocation Name\n\n`ns.greet` (call it so)\n\n### 3. Input Schema (Parameters)\n\nNone.",
    );
    let tool = read_tool(&text);
    assert_eq!(tool.name, "ns.greet");
    let catalog::Location::Span(span) = tool.origin.location else { panic!("a span") };
    assert_eq!(&text[span], "ns.greet");
}

#[test]
fn reports_why_a_document_has_no_tools() {
    for declaration in [
        "No MCP tools are exposed for the module.",
        "Currently, the module does not expose any functionalities as MCP tools.",
        "*No MCP tools are currently exposed by this module.*",
        "The module intentionally does **not** expose any MCP tools.",
        "## Current Status: No MCP Tools Defined",
        "It has no\n`@mcp_tool` functions.",
    ] {
        let text = format!("# M - MCP Tool Specification\n\n{declaration}\n\n## Design\n\nText.\n");
        assert_eq!(codes(&read(&text)), ["TC801"], "{declaration}");
    }
    let text = "# M - MCP Tool Specification\n\nText about tools.\n";
    assert_eq!(
        render_diagnostics(text, &read(text)),
        [
            r##"warning TC802: "# M - MCP Tool Specification" no heading names a tool, and the document does not declare that it has none"##
        ]
    );
}

#[test]
fn an_unfilled_template_is_an_error() {
    let text = "# [Module Name] - MCP Tool Specification Template\n\n## Tool: `[YourToolName]`\n\n### 2. Invocation Name\n\n`[name]`\n";
    let reading = read(text);
    assert!(reading.tools.is_empty());
    assert_eq!(
        render_diagnostics(text, &reading),
        [
            r###"error TC803: "## Tool: `[YourToolName]`" the name of this tool is still a placeholder"###
        ]
    );
    let partly_filled = read(
        "# M - MCP Tool Specification\n\n### `tool_name`\n\nText.\n\n## Tool: `a_b`\n\nDo it.\n\n**Parameters**: None\n",
    );
    assert_eq!((tool_names(&partly_filled), codes(&partly_filled)), (vec!["a_b"], vec!["TC803"]));
}

#[test]
fn reads_tools_from_a_table_with_inputs_but_not_from_a_table_of_contents() {
    let text = "# M - MCP Tool Specification\n\n| Tool | Summary |\n|---|---|\n| `a_b` | One |\n| `c_d` | Two |\n\n## Tool: `a_b`\n\nDo it.\n\n**Parameters**: None\n";
    let reading = read(text);
    assert_eq!(tool_names(&reading), ["a_b"]);
    let undescribed = read(&text.replace("Do it.\n\n", ""));
    assert_eq!(
        undescribed.tools[0].description.text, "One",
        "the purpose comes from the table of contents"
    );
    assert_eq!(
        render_diagnostics(text, &reading),
        [r#"warning TC808: "`c_d`" `c_d` is listed here, but no section describes it"#]
    );
    let rows = "# M - MCP Tool Specification\n\n| Tool | Inputs | Output |\n|---|---|---|\n| `a_b` | `x: str, n: int = 3` | `status` |\n| `c_d` | none | text |\n";
    let reading = read(rows);
    assert_eq!(tool_names(&reading), ["a_b", "c_d"]);
    assert_eq!(reading.tools[0].input.required().collect::<Vec<_>>(), ["x"]);
    assert_eq!(reading.tools[0].input.property("n").expect("a parameter")["default"], 3);
}

#[test]
fn reads_tools_from_bullets_if_no_heading_names_a_tool() {
    let text = "# M - MCP Tool Specification\n\n## Tools\n\n- `a_b`: Search for something.\n- `c_d`: Find it.\n";
    let reading = read(text);
    assert_eq!(
        (tool_names(&reading), codes(&reading)),
        (vec!["a_b", "c_d"], vec!["TC806", "TC806"])
    );
    assert_eq!(reading.tools[0].description.text, "Search for something.");
}

#[test]
fn a_name_that_clients_reject_is_an_error() {
    let text = "# M - MCP Tool Specification\n\n## Tool: `say hello`\n\nDo it.\n";
    assert_eq!(codes(&read(text)), ["TC811"]);
}

#[test]
fn recognizes_specifications_by_content() {
    let is_specification = |name: &str, text: &str| {
        formats::Document::parse(&catalog::SourceId::new(name), text.as_bytes()).is_markdown()
    };
    assert!(is_specification("notes.md", "# Audio - MCP Tool Specification\n"));
    assert!(is_specification("notes.txt", "Text\n\n## Tool: `a_b`\n"));
    assert!(is_specification("x/MCP_TOOL_SPECIFICATION.md", ""));
    assert!(!is_specification("README.md", "# My project\n\nText about MCP tools.\n"));
    for yaml in ["tools/a.yaml", "definition"] {
        assert!(!is_specification(yaml, "# Tools over MCP\nname: a\n"), "{yaml}");
    }
    assert!(is_specification(
        "definition",
        "# Tools over MCP\n\nVersion: 1\n\nSome text.\n\n## Tool: `a`\n"
    ));
    assert!(is_specification("tools.md", "# Tools over MCP\n\nVersion: 1\n"));
    assert!(!is_specification("tools/a.json", "{\"name\": \"# MCP tools\"}"));
}

#[test]
fn numbered_and_emphasised_headings_name_tools() {
    let text = "# X - MCP Tool Specification\n\n## 1. `a_run`\n\nA.\n\n### 1. Parameters\n\nNone\n\n## **`b_run`**\n\nB.\n\n\
                ## Tool 3: `c_run`\n\nC.\n\n## `d_run(x: int) -> dict`\n\nD.\n\n## 5. Notes\n\nText.\n";
    assert_eq!(tool_names(&read(text)), ["a_run", "b_run", "c_run", "d_run"]);
}

#[test]
fn recognizes_other_declarations_of_no_tools() {
    for sentence in [
        "This module does not provide any tools.",
        "The package does not provide MCP tools yet.",
        "There are no tools here.",
    ] {
        let reading = read(&format!("# X - MCP Tool Specification\n\n{sentence}\n"));
        assert_eq!(codes(&reading), ["TC801"], "{sentence}");
    }
}
