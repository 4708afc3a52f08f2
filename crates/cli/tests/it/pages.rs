//! `docs`, `schema`, `new` and `doctor`.

use std::fs;
use testing::{TempCrib, definition, repository, run_outside_crib};

#[test]
fn docs_writes_an_index_and_a_page_for_each_tool() {
    let crib = TempCrib::new().tool("ok", definition("ok", "true"));
    insta::assert_snapshot!(crib.transcript(&["docs", "--out", "pages"]), @r"
    exit code 0
    --- stderr
    3 pages in pages
    ");
    let index = fs::read_to_string(crib.root().join("pages/index.html")).expect("an index");
    for page in ["tools/ok.html", "tools/read_output.html"] {
        assert!(
            index.contains(page) && crib.root().join("pages").join(page).is_file(),
            "{page}: {index}"
        );
    }
    assert_eq!(crib.run(&["docs", "--out", "pages", "--format", "markdown"]).code, 0);
    let index = fs::read_to_string(crib.root().join("pages/index.md")).expect("an index");
    assert!(index.contains("ok.md") && index.contains("read_output.md"), "{index}");
}

#[test]
fn stale_pages_are_removed_and_other_files_are_not() {
    let crib =
        TempCrib::new().tool("ok", definition("ok", "true")).tool("old", definition("old", "true"));
    for format in ["html", "markdown"] {
        crib.write("tools/old.json", &definition("old", "true").to_string());
        let docs = ["docs", "--out", "pages", "--format", format];
        assert_eq!(crib.run(&docs).code, 0);
        let extension = if format == "html" { "html" } else { "md" };
        let path = |name: &str| crib.root().join(format!("pages/tools/{name}.{extension}"));
        fs::write(path("mine"), "<p>my own page</p>").expect("a page");
        fs::remove_file(crib.root().join("tools/old.json")).expect("a definition");
        assert_eq!(crib.run(&docs).stderr, "3 pages in pages, 1 stale page removed\n");
        assert!(!path("old").exists() && path("mine").exists());
        let before = fs::read(path("ok")).expect("a page");
        assert_eq!(crib.run(&docs).code, 0);
        assert!(
            fs::read(path("ok")).expect("a page") == before,
            "pages are the same bytes each time"
        );
    }
}

#[test]
fn pages_of_other_authors_are_not_overwritten() {
    let crib = TempCrib::new()
        .tool("ok", definition("ok", "true"))
        .file("pages/index.html", "<p>mine</p>");
    insta::assert_snapshot!(crib.transcript(&["docs", "--out", "pages"]), @r"
    exit code 2
    --- stderr
    error: `pages/index.html` exists and was not written by `toolcrib docs`
     |
     = help: choose another folder, or move the file away
    ");
    assert_eq!(
        fs::read_to_string(crib.root().join("pages/index.html")).expect("the page"),
        "<p>mine</p>"
    );
}

#[test]
fn show_prints_the_result_errors_and_security_of_a_specification() {
    let page = fs::read_to_string(repository().join("crates/formats/tests/it/specs/whole.md"))
        .expect("the page");
    let crib = TempCrib::new().file("MCP_TOOL_SPECIFICATION.md", &page);
    insta::assert_snapshot!(crib.transcript(&["show", "count_lines"]), @r#"
    exit code 0
    --- stdout
    count_lines
      Count the lines of a file below the project folder.

    Parameters
      path        The file, relative to the project folder (string; required)
      skip_blank  Whether blank lines are left out. Default: `false` (boolean; default
                  false)

    Result
      status  `success`, or `failure` with the fields of an error (string)
      lines   How many lines there are (integer)

    Errors
      A file that is not there gives an error:

      ```json
      {
      "status": "failure",
      "error_type": "FileNotFound",
      "error_message": "there is no file src/main.py",
      "error_details": {"path": "src/main.py"}
      }
      ```

    Security
      - **File Paths**: The path must lie below the project folder; links that lead out of
        it are refused.
      - **Data Handling**: No content is returned or logged.

    Runs
      nothing: it has no implementation, so it is not served

    Examples
      {"tool_name":"count_lines","arguments":{"path":"src/main.py"}}


    Facts
      effect       not declared; treated as making changes that are hard to undo
      idempotent   yes
      idempotency  Yes - Explanation: The file is only read.
      version      1.2.0
      defined in   MCP_TOOL_SPECIFICATION.md
    "#);
}

#[test]
fn schema_prints_json_schemas() {
    for of in ["mtdf", "guidance", "config"] {
        let schema = run_outside_crib(&["schema", of]).json();
        assert!(
            schema["$schema"].is_string()
                && schema["properties"].is_object()
                && schema["$id"] == format!("urn:toolcrib:{of}"),
            "{of}: {schema}"
        );
    }
}

#[test]
fn a_new_definition_marks_its_blanks_runs_and_is_not_overwritten() {
    let crib = TempCrib::new().file("text.txt", "one\ntwo\n");
    insta::assert_snapshot!(crib.transcript(&["new", "mtdf", "cat"]), @r"
    exit code 0
    --- stderr
    wrote CRIB/tools/cat.json: fill in the parts in brackets, add parameters, then run `toolcrib check` and `toolcrib call cat`
    ");
    let report = crib.run(&["check", "--format", "json"]).json();
    let found = report["diagnostics"].as_array().expect("diagnostics").iter();
    let places: Vec<_> = found.map(|found| [&found["code"], &found["pointer"]]).collect();
    assert_eq!(
        serde_json::json!(places),
        serde_json::json!([["TC413", ""], ["TC413", "/positional_args/0"]]),
        "the blanks are marked"
    );
    let schema = crib.root().join("tools/../.schemas/mtdf.json");
    let schema: serde_json::Value =
        serde_json::from_slice(&std::fs::read(schema).expect("the schema")).expect("JSON");
    assert_eq!(schema["$id"], "urn:toolcrib:mtdf");
    let output = crib.run(&["call", "cat", "--args", r#"{"files": ["text.txt"]}"#]);
    assert_eq!(output.stdout, "one\ntwo\n", "it runs the program of its name: {}", output.stderr);
    insta::assert_snapshot!(crib.transcript(&["new", "mtdf", "cat"]), @r"
    exit code 2
    --- stderr
    error: cannot create `CRIB/tools/cat.json`: File exists (os error 17)
     |
     = help: choose another name, or remove the file
    ");
    insta::assert_snapshot!(crib.transcript(&["new", "mtdf", "../evil"]), @r"
    exit code 2
    --- stderr
    error: `../evil` is not a valid tool name: '/' is not allowed
     |
     = help: use letters, digits, `_` and `-`
    ");
}

/// The report without the sections that depend on the machine.
fn portable_report(transcript: &str) -> String {
    let is_portable = |section: &&str| {
        !["Sandbox\n", "Programs\n", "Rendering"].iter().any(|start| section.starts_with(start))
    };
    transcript.split("\n\n").filter(is_portable).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn doctor_reports_missing_programs_and_how_to_install_them() {
    let mut lost = definition("lost", "no-such-program-anywhere");
    lost["install_instructions"] = "get it at the shop".into();
    let crib = TempCrib::new().tool("ok", definition("ok", "true")).tool("lost", lost);
    let transcript = crib.transcript(&["doctor"]);
    for line in [
        "\n\nSandbox\n  level     ",
        "\n  memory    limited by ",
        "\n  processes limited by ",
        "\n  disk      $TMPDIR limited by ",
        "\n\nPrograms\n  R         ",
    ] {
        assert!(transcript.contains(line), "{line}: {transcript}");
    }
    insta::assert_snapshot!(portable_report(&transcript), @r"
    exit code 1
    --- stdout
    crib          crib (CRIB)
    state         STATE/toolcrib/cribs/crib-HASH

    Tools
      missing  lost: the program `no-such-program-anywhere` of `lost` was not found; to install it: get it at the shop
      ok       ok
    ");
}

#[test]
fn doctor_reports_a_broken_configuration_and_continues() {
    let crib = TempCrib::new().tool("ok", definition("ok", "true")).file(
        "toolcrib.toml",
        "[confine]\nenabled = false\n[[policy]]\ntools = \"*\"\ndo = \"alow\"\n",
    );
    let transcript = crib.transcript(&["doctor"]);
    assert!(transcript.contains("\n\nSandbox\n  turned off in toolcrib.toml"), "{transcript}");
    insta::assert_snapshot!(portable_report(&transcript), @r"
    exit code 2
    --- stdout
    crib          crib (CRIB)
    state         STATE/toolcrib/cribs/crib-HASH

    Configuration
      toolcrib.toml: unknown action `alow`; did you mean `allow`?
      the rest of this report ignores these parts

    Tools
      ok       ok
    ");
}

#[test]
fn availability_checks_apply_in_doctor_and_before_the_first_call() {
    let mut tool = definition("picky", "true");
    tool["availability_check"] = serde_json::json!({"command": "sh", "args": ["-c", "exit 3"]});
    let crib = TempCrib::new().tool("picky", tool.clone());
    assert_eq!(crib.run(&["doctor"]).code, 1);
    assert_eq!(crib.run(&["call", "picky"]).code, 1);
    tool["availability_check"]["success_exit_codes"] = serde_json::json!([3]);
    crib.write("tools/picky.json", &tool.to_string());
    assert_eq!(crib.run(&["call", "picky"]).code, 0);
}

#[test]
fn the_starter_is_clean_and_runs() {
    let starter = repository().join("examples/starter");
    let starter = starter.to_str().expect("a name");
    let check = run_outside_crib(&["-C", starter, "check", "--strict"]);
    assert_eq!(check.code, 0, "{}", check.stdout);
    let output =
        run_outside_crib(&["-C", starter, "call", "find_text", "--args", r#"{"text": "belt"}"#]);
    assert!(output.stdout.contains("lathe needs a new belt"), "{}{}", output.stdout, output.stderr);
}

#[test]
fn formats_have_names_that_people_know() {
    let crib = TempCrib::new();
    for (kind, name, file) in [
        ("cli", "jq", "tools/jq.json"),
        ("r", "stats-median", "tools/stats-median.yaml"),
        ("markdown", "count", "tools/count/MCP_TOOL_SPECIFICATION.md"),
    ] {
        assert_eq!(crib.run(&["new", kind, name]).code, 0, "{kind}");
        assert!(crib.root().join(file).is_file(), "{file}");
    }
}
