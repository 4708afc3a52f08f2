//! Purpose, idempotency, errors, examples, security, versions and allowances.

use catalog::{
    SpecDetails,
    spec_details::{IdempotencyClaim, Section, VersionOf},
};
use serde_json::json;

use crate::specs::{codes, document_with, read, read_tool};

fn read_details(body: &str) -> SpecDetails {
    *read_tool(&document_with(&format!("**Parameters**: None\n\n{body}"))).details.expect("details")
}

#[test]
fn reads_a_complete_specification() {
    let text = include_str!("whole.md");
    let reading = read(text);
    assert_eq!(codes(&reading), Vec::<&str>::new());
    let tool = &reading.tools[0];
    let details = tool.details.as_ref().expect("details");
    assert_eq!(
        details.sections.iter().map(|(section, _)| *section).collect::<Vec<_>>(),
        Section::ALL
    );
    assert_eq!(tool.description.text, "Count the lines of a file below the project folder.");
    assert_eq!(
        (tool.annotations.idempotent, tool.annotations.version.as_deref()),
        (Some(true), Some("1.2.0"))
    );
    assert_eq!(details.version.as_ref().map(|version| version.of), Some(VersionOf::Tool));
    assert_eq!(
        details.usages[0].call.as_ref().expect("a call")["arguments"],
        json!({"path": "src/main.py"})
    );
    assert_eq!(tool.description.examples[0].arguments["path"], "src/main.py");
    assert!(
        details.errors.as_ref().expect("errors").fields.iter().any(|field| field == "error_type")
    );
    assert_eq!(details.security.len(), 2);
    assert!(!tool.is_callable(), "a specification alone is not served");
}

#[test]
fn a_line_between_tools_or_sections_belongs_to_none() {
    let tool = |name: &str| {
        format!(
            "## Tool: `{name}`\n\n### 1. Tool Purpose and Description\n\nDo it.\n\n---\n\nOr not.\n\n---\n\n\
             **Parameters**: None\n\n### 5. Error Handling\n\nIt fails.\n\n---\n\n\
             ### 8. Security Considerations\n\nIt is safe.\n\n---\n\n"
        )
    };
    let page = format!("# Two - MCP Tool Specification\n\n{}{}", tool("one"), tool("two"));
    let reading = read(&page);
    assert_eq!(reading.tools.len(), 2);
    for tool in &reading.tools {
        let details = tool.details.as_ref().expect("details");
        assert_eq!(details.errors.as_ref().expect("errors").text.trim(), "It fails.");
        let remarks: Vec<_> = details.security.iter().map(|remark| remark.text.trim()).collect();
        assert_eq!(remarks, ["It is safe."], "{}", tool.name);
        assert!(tool.description.text.contains("Or not."), "{}", tool.description.text);
    }
}

#[test]
fn classifies_idempotency() {
    let classify = |text: &str| {
        read_details(&format!("### 6. Idempotency\n\n{text}\n"))
            .idempotency
            .map(|section| section.claim)
    };
    assert_eq!(classify("- **Idempotent**: Yes (overwrites)"), Some(IdempotencyClaim::Yes));
    assert_eq!(classify("- Idempotent: No. Each call makes one."), Some(IdempotencyClaim::No));
    assert_eq!(
        classify("- **Idempotent**: Partially. The time differs."),
        Some(IdempotencyClaim::Partially)
    );
    assert_eq!(classify("- **Idempotent**: Depends on the hook"), Some(IdempotencyClaim::Depends));
    assert_eq!(classify("Yes. Search is read-only."), Some(IdempotencyClaim::Yes));
    assert_eq!(classify("Generally no."), Some(IdempotencyClaim::No));
    assert_eq!(classify("A repeated call is deterministic."), Some(IdempotencyClaim::Unclear));
    assert_eq!(classify("- **Idempotent**: Yes/No/Partially"), Some(IdempotencyClaim::Unclear));
    assert_eq!(
        read_details("**Idempotent**: No\n").idempotency.map(|section| section.claim),
        Some(IdempotencyClaim::No)
    );
    let partly = read_tool(&document_with("**Parameters**: None\n\n**Idempotent**: Partially\n"));
    assert_eq!(partly.annotations.idempotent, Some(false), "a partial promise counts as none");
}

#[test]
fn invalid_examples_keep_their_problem() {
    let usages = |fence: &str| {
        read_details(&format!("### 7. Usage Examples\n\n```json\n{fence}\n```\n")).usages
    };
    let commented = usages("{\"tool_name\": \"greet\", // comment\n \"arguments\": {}}");
    assert!(commented[0].call.is_some() && commented[0].problem.is_some());
    let elided = usages("{\"tool_name\": \"greet\", \"arguments\": {...}}");
    assert!(elided[0].call.is_none() && elided[0].problem.is_some());
    let answered = read_details(
        "### 7. Usage Examples\n\n```json\n{\"tool_name\": \"greet\", \"arguments\": {}}\n```\n\n**Example response:**\n```json\n{\"status\": \"ok\"}\n```\n",
    );
    assert_eq!(answered.usages.len(), 1, "a result is not a call");
    assert_eq!(read_details("**Example**:\n```python\ngreet()\n```\n").usages, []);
}

#[test]
fn prefers_the_version_of_the_tool_to_that_of_the_document() {
    let text = |own: &str| {
        format!(
            "# M - MCP Tool Specification\n\n**Version**: v1.3.0 | **Status**: Active\n\n## Tool: `a_b`\n\n{own}Do it.\n\n**Parameters**: None\n"
        )
    };
    let version = |text: &str| {
        read_tool(text).details.expect("details").version.map(|version| (version.text, version.of))
    };
    assert_eq!(version(&text("")), Some(("1.3.0".to_owned(), VersionOf::Document)));
    assert_eq!(
        version(&text("**Version**: 2.0.0\n\n")),
        Some(("2.0.0".to_owned(), VersionOf::Tool))
    );
    assert_eq!(
        read_tool(&text("**Version**: 2.0.0\n\n")).annotations.version.as_deref(),
        Some("2.0.0")
    );
}

#[test]
fn labels_in_a_prose_section_open_no_other_section() {
    let details = read_details(
        "### 5. Error Handling\n\n- **Not Found**: no such file\n- **Output**: see above\n\n### 8. Security Considerations\n\n- **Input Validation**: paths are checked\n\
         - **Output Sanitization**: none\n",
    );
    assert!(details.errors.expect("errors").text.contains("no such file"));
    assert_eq!(details.security.len(), 2);
    assert_eq!(details.outputs, []);
}

#[test]
fn reports_misnumbered_sections() {
    assert_eq!(
        codes(&read(&document_with(
            "**Parameters**: None\n\n### 5. Idempotency\n\n- **Idempotent**: Yes\n"
        ))),
        ["TC814"]
    );
}

#[test]
fn reads_allowances_for_a_tool_or_the_whole_document() {
    let text = "# M - MCP Tool Specification\n\n<!-- toolcrib: allow TC411 versions are kept elsewhere -->\n\n## Tool: `a_b`\n\n\
                <!-- toolcrib: allow TC405 internal -->\n\nDo it.\n\n**Parameters**: None\n\n## Tool: `c_d`\n\n<!-- toolcrib: allow TC405 -->\n\nDo it.\n\n**Parameters**: None\n";
    let reading = read(text);
    let [document, tool] = reading.allowances.as_slice() else {
        panic!("{:?}", reading.allowances)
    };
    assert_eq!(
        (document.code.as_str(), document.reason.as_str(), document.scope.clone()),
        ("TC411", "versions are kept elsewhere", 0..text.len())
    );
    assert!(
        text[tool.scope.clone()].starts_with("## Tool: `a_b`")
            && !text[tool.scope.clone()].contains("c_d")
    );
    assert_eq!(codes(&reading), ["TC815"], "an allowance needs a reason");
}

#[test]
fn reads_the_purpose_after_the_properties() {
    for properties in [
        "**Version**: 1.2.0",
        "**Version**: 1.2.0\n**Category**: greetings",
        "- **Version**: 1.2.0\n- **Category**: greetings",
    ] {
        let tool = read_tool(&format!(
            "# X - MCP Tool Specification\n\n## Tool: `a_b`\n\n{properties}\n\nPrint a greeting.\n\n**Parameters**: None\n"
        ));
        assert_eq!(tool.description.text, "Print a greeting.", "{properties}");
        assert_eq!(tool.annotations.version.as_deref(), Some("1.2.0"), "{properties}");
    }
}

#[test]
fn classifies_idempotency_in_a_sentence() {
    for (sentence, claim) in [
        ("This tool is idempotent.", IdempotencyClaim::Yes),
        ("The operation is not idempotent. It adds a row.", IdempotencyClaim::No),
        ("Non-idempotent", IdempotencyClaim::No),
        ("It depends on the backend.", IdempotencyClaim::Depends),
        ("Whether it is idempotent is unknown.", IdempotencyClaim::Unclear),
    ] {
        let details = read_details(&format!("### 6. Idempotency\n\n{sentence}\n"));
        assert_eq!(
            details.idempotency.map(|idempotency| idempotency.claim),
            Some(claim),
            "{sentence}"
        );
    }
}

#[test]
fn reads_a_version_as_the_meta_specification_writes_it() {
    for body in [
        "Greets.\n\nVersion: 1.0.2\n",
        "Greets people. Version: 1.0.2.\n",
        "Greets.\n\n- Version: 1.0.2\n- Stable\n",
        "### 1. Tool Purpose and Description\n\nGreets (Version: v1.0.2).\n",
        "**Category**: soul | **Trust**: high\n\nVersion: 1.0.2\n",
    ] {
        let tool = read_tool(&document_with(body));
        assert_eq!(tool.annotations.version.as_deref(), Some("1.0.2"), "{body}");
    }
    let tool = read_tool(&document_with("Subversion: 1.2 and Version: unknown.\n"));
    assert_eq!(tool.annotations.version, None);
}

#[test]
fn splits_labels_on_one_line() {
    let tool = read_tool(&document_with(
        "**Category**: soul | **Mutates**: No | **Requires soul-agent**: Yes\n\nGreets people.\n",
    ));
    assert_eq!(tool.annotations.category.as_deref(), Some("soul"));
    assert_eq!(tool.annotations.mutates, Some(false));
    assert!(tool.description.text.ends_with("\n\nGreets people."), "{}", tool.description.text);
}
