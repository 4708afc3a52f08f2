//! `TC3xx`: parameters.

use catalog::{
    Implementation,
    implementation::{PassBy, Piece, ValueKind},
};
use serde_json::json;
use testing::schema;

use crate::tools::{NONE, check, codes, format_diagnostics, tool_with_parameter};

/// Names and descriptions of string parameters that are paths, most of them from real definitions.
const PATHS: &[(&str, &str)] = &[
    ("path", "The directory or file path to list. Defaults to current directory if not specified."),
    ("paths", "Paths to show differences for"),
    ("file", "Cargo lockfile to inspect (or '-' for STDIN, default: Cargo.lock)"),
    ("file2", "Second one to compare"),
    ("inputFile", "What to read"),
    ("manifest-path", "Path to Cargo.toml"),
    ("lockfile-path", "Path to Cargo.lock (unstable)"),
    ("target-dir", "Directory for all generated artifacts"),
    ("artifact-dir", "Copy final artifacts to this directory (unstable)"),
    ("config-file", "Config file [default: workspace-root/.config/nextest.toml]"),
    (
        "tool-config-file",
        "Tool-specific config files in the format 'tool:abs_path'. May be specified multiple times",
    ),
    ("pathspec", "Files to add to the index"),
    ("script_path", "Path to Python script"),
    ("db", "advisory database git repo path (default: ~/.cargo/advisory-db)"),
    ("destination", "Destination file or directory path"),
    ("source", "Source file or directory path"),
    ("output", "Output directory for raw analysis results (default: analysis_results)"),
    ("output", "Output directory"),
    ("where", "Directory where the report is written"),
    ("key_file", "The private key"),
    ("cwd", "Where to start"),
    ("filename", "What to open"),
    ("file", "The file to run the command on"),
    ("input_file", "The file whose contents are read"),
];

/// Names and descriptions of string parameters that are not paths, most of them from real
/// definitions.
const NOT_PATHS: &[(&str, &str)] = &[
    ("profile", "Build artifacts with the specified profile"),
    ("file_count", "How many files to keep"),
    ("path_separator", "What parts the names in a path"),
    ("file_type", "f (file), d (directory), l (symlink)"),
    ("type", "File type: f (file), d (directory), l (symlink)"),
    ("size", "File size (e.g., +100M, -1k, 500c)"),
    ("-name", "Search for files with this name pattern"),
    ("-exec", "Execute command on found files (use {} as placeholder)"),
    (
        "exclude",
        "Additional paths/patterns to exclude, comma-separated (e.g. **/generated/**,**/vendor/**)",
    ),
    ("extensions", "File extensions to analyze as comma-separated values (e.g. rs,py,js)"),
    ("ignore-filename-regex", "Ignore files matching regex pattern"),
    ("in-location", "Edit files in location (optionally with backup suffix)"),
    ("config", "Override a configuration value (KEY=VALUE or PATH)"),
    ("branch-or-paths", "The branch to check out or paths to checkout from index"),
    ("workflow", "Filter to a specific workflow file name or ID."),
    (
        "workflow_selector",
        "Workflow ID, name, or filename (optional - will prompt if not provided)",
    ),
    (
        "message",
        "Commit message content. Multi-line messages are written to a temp file and passed with -F.",
    ),
    ("args", "Arguments to pass to the script"),
    ("porcelain", "Give the output in an easy-to-parse format for scripts"),
    ("timings", "Timing output formats (unstable) (comma separated): html, json"),
    ("url_path", "The part of the address behind the host"),
    ("path", "Path of the HTTP endpoint"),
    ("json_path", "What to select"),
    ("input_file", "A path or a URL"),
    ("file", "The file's content, base64"),
    ("file", "Content of the file"),
    ("files", "A glob, such as src/**/*.rs"),
    ("expression", "Sed script expression to execute"),
    ("database_url", "Where the database is"),
    ("format", "How the output is printed to a file"),
    ("import_path", "The package to import"),
];

#[test]
fn warns_about_an_undeclared_path() {
    for (name, description) in PATHS {
        let text = tool_with_parameter(name, json!({"type": "string", "description": description}));
        assert_eq!(codes(text), ["TC301"], "{name}: {description}");
        let array = tool_with_parameter(
            name,
            json!({"type": "array", "items": {"type": "string"}, "description": description}),
        );
        assert_eq!(codes(array), ["TC301"], "{name}: {description}");
    }
}

#[test]
fn does_not_mistake_other_values_for_paths() {
    for (name, description) in NOT_PATHS {
        let found =
            codes(tool_with_parameter(name, json!({"type": "string", "description": description})));
        assert_eq!(found, NONE, "{name}: {description}");
    }
}

#[test]
fn accepts_a_declared_path() {
    let marked = [
        json!({"type": "string", "format": "path", "description": "The file"}),
        json!({"type": "array", "format": "path", "items": {"type": "string"}, "description": "The files"}),
        json!({"type": "array", "items": {"type": "string", "format": "path"}, "description": "The files"}),
        json!({"type": "string", "enum": ["a.txt", "b.txt"], "description": "The file"}),
        json!({"type": "boolean", "description": "Write to a file"}),
        json!({"type": "integer", "description": "The file descriptor to use"}),
    ];
    for schema in marked {
        assert_eq!(codes(tool_with_parameter("input_file", schema.clone())), NONE, "{schema}");
    }
}

#[test]
fn recognizes_a_path_or_content_by_its_binding() {
    let bound = |change: fn(&mut catalog::implementation::Binding)| {
        let mut tool = tool_with_parameter(
            "input_file",
            json!({"type": "string", "description": "What to count"}),
        );
        if let Implementation::Process(process) = &mut tool.implementation
            && let Some(Piece::Parameter(binding)) = process.pieces.first_mut()
        {
            change(binding);
        }
        codes(tool)
    };
    assert_eq!(bound(|_| {}), ["TC301"]);
    assert_eq!(bound(|binding| binding.kind = ValueKind::Path), NONE);
    assert_eq!(bound(|binding| binding.kind = ValueKind::PathOrValue), NONE);
    assert_eq!(bound(|binding| binding.pass_by = PassBy::Stdin), NONE);
}

#[test]
fn points_at_the_parameter_and_suggests_the_format() {
    let found = check(tool_with_parameter(
        "input_file",
        json!({"type": "array", "items": {"type": "string"}, "description": "What to read"}),
    ));
    insta::assert_snapshot!(format_diagnostics(&found), @r#"
    warning TC301 tools/parameterized.json#/subcommand/0/options/0: the parameter `input_file` looks like a path but does not have `"format": "path"`
      add `"format": "path"` to its `items`, so that it is restricted to the crib's roots
    "#);
    assert_eq!(found[0].expected.as_deref(), Some("format: path"));
    assert_eq!(found[0].tool.as_deref(), Some("parameterized"));
}

#[test]
fn warns_about_a_default_that_never_applies() {
    let with = |default| {
        let mut tool = tool_with_parameter("n", json!({}));
        let n = json!({"type": "integer", "description": "How many", "default": default});
        tool.input = schema(
            json!({"type": "object", "required": ["n"], "properties": {"n": n}, "additionalProperties": false}),
        );
        codes(tool)
    };
    assert_eq!(with(json!(5)), ["TC302"]);
    assert_eq!(with(json!(null)), NONE);
}

#[test]
fn warns_about_a_duplicate_choice() {
    let choices = json!({"enum": ["red", "green", "red", 1, "1"], "description": "Which"});
    let found = check(tool_with_parameter("colour", choices.clone()));
    insta::assert_snapshot!(format_diagnostics(&found), @r#"
    warning TC303 tools/parameterized.json#/subcommand/0/options/0: the parameter `colour` lists the choice "red" twice
      list each choice once
    "#);
    assert_eq!(
        codes(tool_with_parameter(
            "colours",
            json!({"type": "array", "items": choices, "description": "Which"})
        )),
        ["TC303"]
    );
}

#[test]
fn warns_about_an_address_without_a_network_declaration() {
    let uri = json!({"type": "string", "format": "uri", "description": "Where it is"});
    let urls = json!({"type": "array", "items": {"type": "string", "format": "url"}, "description": "Where they are"});
    for schema in [uri, urls] {
        assert_eq!(codes(tool_with_parameter("page", schema.clone())), ["TC304"], "{schema}");
        for network in [true, false] {
            let mut tool = tool_with_parameter("page", schema.clone());
            tool.annotations.network = Some(network.into());
            assert_eq!(codes(tool), NONE, "{schema}");
        }
    }
}
