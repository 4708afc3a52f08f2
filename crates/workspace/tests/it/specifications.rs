//! Markdown specifications: found, compared, linked, linted and fixed.

use std::fs;

use catalog::Location;
use workspace::{Crib, Environment, Loader, check_paths, fix_crib, read_paths};

use crate::crib_fixture::{CribFixture, render_found, specification, tool_names};

#[test]
fn specifications_are_found_in_any_folder_of_a_crib() {
    let crib = CribFixture::new(&[
        ("docs/a/MCP_TOOL_SPECIFICATION.md", &specification("one_tool", "string")),
        ("src/b/mcp_tool_specification.md", &specification("two_tool", "string")),
        ("node_modules/x/MCP_TOOL_SPECIFICATION.md", &specification("foreign_tool", "string")),
        (".hidden/MCP_TOOL_SPECIFICATION.md", &specification("hidden_tool", "string")),
        ("README.md", "# About MCP tools\n"),
    ]);
    let loaded = crib.load();
    assert_eq!((tool_names(&loaded), loaded.files), (vec!["one_tool", "two_tool"], 2));
    assert!(loaded.catalog.tools().iter().all(|tool| !tool.is_callable()));
}

#[test]
fn identical_copies_count_once_and_diverged_ones_are_reported() {
    let (same, other) =
        (specification("same_tool", "string"), specification("other_tool", "string"));
    let crib = CribFixture::new(&[
        ("docs/a/MCP_TOOL_SPECIFICATION.md", &same),
        ("src/a/MCP_TOOL_SPECIFICATION.md", &same),
        ("docs/b/MCP_TOOL_SPECIFICATION.md", &other),
        ("src/b/MCP_TOOL_SPECIFICATION.md", &other.replace("string", "integer")),
    ]);
    let loaded = crib.load();
    assert_eq!((tool_names(&loaded), loaded.files), (vec!["other_tool", "same_tool"], 3));
    assert_eq!(
        render_found(&loaded, &["TC201", "TC210"]),
        [
            "TC210 src/b/MCP_TOOL_SPECIFICATION.md `other_tool` is also described in docs/b/MCP_TOOL_SPECIFICATION.md, which differs in its parameters"
        ]
    );
    let diverged =
        loaded.diagnostics.iter().find(|found| found.code == "TC210").expect("a diverged copy");
    let also = diverged.also.as_ref().expect("the other location");
    assert!(
        matches!(also.location, Location::Span(_)) && also.source.as_str().starts_with("docs/b")
    );
    let sections = render_found(&loaded, &["TC405"]);
    assert!(
        !sections.iter().any(|line| line.contains("src/a")),
        "a copy is not linted again: {sections:?}"
    );
}

#[test]
fn diverged_copies_are_reported_in_a_folder_that_is_not_a_crib() {
    let crib = CribFixture::new(&[
        ("x/spec.md", &specification("a_tool", "string")),
        ("y/spec.md", &specification("a_tool", "integer")),
        ("z.md", "# Text\n"),
    ]);
    let loaded = check_paths(&[crib.root()], &Environment::default()).expect("a readable folder");
    assert_eq!(loaded.files, 2, "other Markdown is ignored");
    assert_eq!(loaded.diagnostics.iter().filter(|found| found.code == "TC210").count(), 1);
}

#[test]
fn a_duplicate_name_in_one_document_or_in_another_format_is_an_error() {
    let twice = format!(
        "{}\n## Tool: `a_tool`\n\nDo it.\n\n**Parameters**: None\n",
        specification("a_tool", "string")
    );
    assert_eq!(
        render_found(
            &CribFixture::new(&[("MCP_TOOL_SPECIFICATION.md", &twice)]).load(),
            &["TC201"]
        )
        .len(),
        1
    );
    let json = r#"{"name": "a_tool", "description": "Do it", "command": "echo", "mutates": false, "subcommand": [{"name": "default", "description": "Do it"}]}"#;
    let both = CribFixture::new(&[
        ("tools/a.json", json),
        ("MCP_TOOL_SPECIFICATION.md", &specification("a_tool", "string")),
    ])
    .load();
    assert_eq!(render_found(&both, &["TC201"]).len(), 1);
}

#[test]
fn linked_schemas_are_read_only_inside_the_crib() {
    let page = |link: &str| {
        format!(
            "# M - MCP Tool Specification\n\n## Tool: `a_tool`\n\nDo it.\n\n### Parameters\n\nSee [the schema]({link}).\n"
        )
    };
    let schema = r#"{"type": "object", "properties": {"who": {"type": "string"}}}"#;
    let crib = |link: &str| {
        CribFixture::new(&[
            ("crib/docs/MCP_TOOL_SPECIFICATION.md", &page(link)),
            ("crib/schemas/a.json", schema),
            ("outside.json", schema),
        ])
    };
    let load = |crib: &CribFixture| {
        Loader::default().load(
            &Crib::open(Some(&crib.root().join("crib")), &Environment::default()).expect("a crib"),
        )
    };
    let inside = load(&crib("../schemas/a.json"));
    assert!(inside.catalog.get("a_tool").expect("the tool").input.property("who").is_some());
    for outside in ["../../outside.json", "/etc/hosts.json", "https://example.com/a.json"] {
        let found = render_found(&load(&crib(outside)), &["TC810"]);
        assert!(found.len() == 1 && found[0].contains("crib"), "{outside}: {found:?}");
    }
    let linked = crib("../schemas/link.json");
    std::os::unix::fs::symlink(
        linked.root().join("outside.json"),
        linked.root().join("crib/schemas/link.json"),
    )
    .expect("a link");
    assert!(render_found(&load(&linked), &["TC810"])[0].contains("outside the crib"));
}

#[test]
fn reading_without_linting_reports_only_unreadable_parts() {
    let crib = CribFixture::new(&[
        ("a/MCP_TOOL_SPECIFICATION.md", &specification("a_tool", "string")),
        ("b/broken.json", "{\"name\":"),
        (
            "c/hidden.json",
            "{\"name\": \"b_tool\", \"description\": \"Do it\u{202e}\", \"command\": \"true\"}",
        ),
    ]);
    let paths = [crib.root()];
    let checked = check_paths(&paths, &Environment::default()).expect("a folder");
    assert_eq!(tool_names(&checked), ["a_tool"], "the other has an error");
    assert!(checked.diagnostics.len() > 3, "{:?}", checked.diagnostics);
    let read = read_paths(&paths, &Environment::default()).expect("a folder");
    assert_eq!((tool_names(&read), read.files), (vec!["a_tool", "b_tool"], 3));
    let is_lint =
        |found: &&catalog::Diagnostic| lint::RULES.iter().any(|rule| rule.code == found.code);
    assert_eq!(read.diagnostics.iter().filter(is_lint).count(), 0, "{:?}", read.diagnostics);
    assert!(read.diagnostics.iter().any(catalog::Diagnostic::is_error));
}

#[test]
fn a_missing_linked_schema_is_reported() {
    let page = "# M - MCP Tool Specification\n\n## Tool: `a_tool`\n\nDo it.\n\n### Input Schema\n\nSee [it](gone.json).\n";
    let loaded = CribFixture::new(&[("MCP_TOOL_SPECIFICATION.md", page)]).load();
    let found =
        loaded.diagnostics.iter().find(|found| found.code == "TC810").expect("it is reported");
    assert_eq!(found.message, "the schema in `gone.json` cannot be read: there is no such file");
    assert_eq!(found.hint.as_deref(), Some("correct the link, or write the schema here"));
}

#[test]
fn fixes_are_written_atomically_and_only_once() {
    let torn = specification("a_tool", "`str \\ | null`")
        .replace("| Yes | One thing |", "| No One thing |");
    let crib = CribFixture::new(&[("docs/MCP_TOOL_SPECIFICATION.md", &torn)]);
    let open = crib.open_valid();
    let fixed = fix_crib(&open).expect("it can be written");
    assert_eq!(fixed.len(), 1);
    assert!(
        crib.read("docs/MCP_TOOL_SPECIFICATION.md").contains("`string \\| null`"),
        "{}",
        crib.read("docs/MCP_TOOL_SPECIFICATION.md")
    );
    assert_eq!(fix_crib(&open).expect("it can be read"), []);
    assert_eq!(
        fs::read_dir(crib.root().join("docs")).expect("a folder").count(),
        1,
        "no temporary file is left"
    );
}
