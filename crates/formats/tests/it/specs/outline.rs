//! Which tools a page has, and why it has none.

use crate::specs::{codes, findings, names, page, read, tool};

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
        assert_eq!(names(&read(&text)), expected, "{heading}");
    }
}

#[test]
fn prose_wrappers_and_other_interfaces_are_no_tools() {
    let text = "# M - MCP Tool Specification\n\n## Tool Registration\n\nText.\n\n## Tool Schema\n\nText.\n\n## `mcp_tools.py`\n\nText.\n\n\
                ## `DemoRegistry`\n\nText.\n\n## Planned Tools\n\n### `later_on`\n\nText.\n\n## Tools\n\n### `real_one`\n\nDo it.\n\n\
                **Parameters**: None\n\n#### `config` object\n\nText.\n";
    assert_eq!(names(&read(text)), ["real_one"]);
}

#[test]
fn the_name_in_its_section_counts_before_that_in_the_heading() {
    let text = page(
        "### 2. Invocation Name\n\n`ns.greet` (call it so)\n\n### 3. Input Schema (Parameters)\n\nNone.",
    );
    let tool = tool(&text);
    assert_eq!(tool.name, "ns.greet");
    let catalog::Location::Span(span) = tool.origin.location else { panic!("a span") };
    assert_eq!(&text[span], "ns.greet");
}

#[test]
fn a_page_without_tools_says_why() {
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
        findings(text, &read(text)),
        [
            r##"warning TC802: "# M - MCP Tool Specification" no heading names a tool, and the document does not declare that it has none"##
        ]
    );
}

#[test]
fn a_template_that_was_never_filled_in_is_an_error() {
    let text = "# [Module Name] - MCP Tool Specification Template\n\n## Tool: `[YourToolName]`\n\n### 2. Invocation Name\n\n`[name]`\n";
    let reading = read(text);
    assert!(reading.tools.is_empty());
    assert_eq!(
        findings(text, &reading),
        [
            r###"error TC803: "## Tool: `[YourToolName]`" the name of this tool is still a placeholder"###
        ]
    );
    let left = read(
        "# M - MCP Tool Specification\n\n### `tool_name`\n\nText.\n\n## Tool: `a_b`\n\nDo it.\n\n**Parameters**: None\n",
    );
    assert_eq!((names(&left), codes(&left)), (vec!["a_b"], vec!["TC803"]));
}

#[test]
fn a_table_of_contents_is_no_description_but_a_table_of_what_tools_take_is() {
    let text = "# M - MCP Tool Specification\n\n| Tool | Summary |\n|---|---|\n| `a_b` | One |\n| `c_d` | Two |\n\n## Tool: `a_b`\n\nDo it.\n\n**Parameters**: None\n";
    let reading = read(text);
    assert_eq!(names(&reading), ["a_b"]);
    let silent = read(&text.replace("Do it.\n\n", ""));
    assert_eq!(
        silent.tools[0].description.text, "One",
        "the table tells what the section does not"
    );
    assert_eq!(
        findings(text, &reading),
        [r#"warning TC808: "`c_d`" `c_d` is listed here, but no section describes it"#]
    );
    let rows = "# M - MCP Tool Specification\n\n| Tool | Inputs | Output |\n|---|---|---|\n| `a_b` | `x: str, n: int = 3` | `status` |\n| `c_d` | none | text |\n";
    let reading = read(rows);
    assert_eq!(names(&reading), ["a_b", "c_d"]);
    assert_eq!(reading.tools[0].input.required().collect::<Vec<_>>(), ["x"]);
    assert_eq!(reading.tools[0].input.property("n").expect("a parameter")["default"], 3);
}

#[test]
fn tools_that_are_only_bullets_are_found_where_nothing_describes_them_further() {
    let text = "# M - MCP Tool Specification\n\n## Tools\n\n- `a_b`: Search for something.\n- `c_d`: Find it.\n";
    let reading = read(text);
    assert_eq!((names(&reading), codes(&reading)), (vec!["a_b", "c_d"], vec!["TC806", "TC806"]));
    assert_eq!(reading.tools[0].description.text, "Search for something.");
}

#[test]
fn a_name_that_clients_refuse_is_an_error() {
    let text = "# M - MCP Tool Specification\n\n## Tool: `say hello`\n\nDo it.\n";
    assert_eq!(codes(&read(text)), ["TC811"]);
}

#[test]
fn specifications_are_told_by_content_whatever_their_name() {
    let of = |name: &str, text: &str| {
        formats::Document::parse(&catalog::SourceId::new(name), text.as_bytes()).is_markdown()
    };
    assert!(of("notes.md", "# Audio - MCP Tool Specification\n"));
    assert!(of("notes.txt", "Text\n\n## Tool: `a_b`\n"));
    assert!(of("x/MCP_TOOL_SPECIFICATION.md", ""));
    assert!(!of("README.md", "# My project\n\nText about MCP tools.\n"));
    for yaml in ["tools/a.yaml", "definition"] {
        assert!(!of(yaml, "# Tools over MCP\nname: a\n"), "{yaml}");
    }
    assert!(of("definition", "# Tools over MCP\n\nVersion: 1\n\nSome text.\n\n## Tool: `a`\n"));
    assert!(of("tools.md", "# Tools over MCP\n\nVersion: 1\n"));
    assert!(!of("tools/a.json", "{\"name\": \"# MCP tools\"}"));
}

#[test]
fn numbered_and_emphasised_headings_name_tools() {
    let text = "# X - MCP Tool Specification\n\n## 1. `a_run`\n\nA.\n\n### 1. Parameters\n\nNone\n\n## **`b_run`**\n\nB.\n\n\
                ## Tool 3: `c_run`\n\nC.\n\n## `d_run(x: int) -> dict`\n\nD.\n\n## 5. Notes\n\nText.\n";
    assert_eq!(names(&read(text)), ["a_run", "b_run", "c_run", "d_run"]);
}

#[test]
fn more_ways_to_say_that_there_are_no_tools_are_known() {
    for sentence in [
        "This module does not provide any tools.",
        "The package does not provide MCP tools yet.",
        "There are no tools here.",
    ] {
        let reading = read(&format!("# X - MCP Tool Specification\n\n{sentence}\n"));
        assert_eq!(codes(&reading), ["TC801"], "{sentence}");
    }
}
