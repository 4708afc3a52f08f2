//! R functions as YAML, in `list`, `check`, `show`, `docs` and `serve`.

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, run_outside_crib};

use crate::call::without_level;

fn yaml(name: &str, rest: &str) -> String {
    format!(
        "name: {name}\ndescription: Does {name}\nparameters:\n  type: object\n  properties:\n    x:\n      type: integer\n      \
         description: how often\n      default: 1.0\n  required: []\nimplementation_example: |\n  f(1)\n  #\n  #> [1] 1\n{rest}"
    )
}

fn crib_with_r_package() -> TempCrib {
    TempCrib::new()
        .file("DESCRIPTION", "Package: my.pkg\nVersion: 1.0\n")
        .file("R/a.R", "f <- function(x = 1L) x\n")
        .file(
            "inst/mcp/tools/my.pkg-mcp_tool_pipeline_run.yaml",
            &yaml(
                "my.pkg-mcp_tool_pipeline_run",
                "category: pipelines\ndangerous: yes\nrequires_approval: yes\nexecution_time: 11.5\n",
            ),
        )
        .file(
            "inst/mcp/tools/my.pkg-mcp_tool_config_get.yaml",
            &yaml(
                "my.pkg-mcp_tool_config_get",
                "mutates: no\nreturns:\n  type: object\n  properties:\n    n:\n      type: integer\n",
            ),
        )
        .file("tools/other-greet.yml", &yaml("other-greet", "mutates: yes\n"))
}

fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn yaml_is_found_in_tools_and_in_packages_and_passes_check() {
    let output = crib_with_r_package().run(&["check", "--format", "json"]);
    let all = output.json();
    // The dot in the name of the package is in the names of its tools, too, and no finding.
    assert_eq!(
        (output.code, &all["summary"]),
        (0, &json!({"files": 3, "tools": 3, "errors": 0, "warnings": 0, "notes": 0}))
    );
}

#[test]
fn reports_a_broken_file_with_its_line_and_loads_the_others() {
    let crib = crib_with_r_package().file("tools/bad.yaml", "name: p-bad\ndescription: one: two\n");
    let output = crib.run(&["check", "--format", "json"]);
    let all = output.json();
    let found = all["diagnostics"]
        .as_array()
        .expect("findings")
        .iter()
        .find(|found| found["severity"] == "error")
        .expect("an error");
    assert_eq!(
        (output.code, &found["code"], &found["file"], &found["line"]),
        (1, &json!("TC015"), &json!("tools/bad.yaml"), &json!(2))
    );
    assert!(found["hint"].as_str().is_some_and(|hint| hint.contains("quotes")));
    assert_eq!(
        names(&crib.run(&["list", "--json"]).json())
            .iter()
            .filter(|name| name.contains('-'))
            .count(),
        3
    );
}

#[test]
fn served_tools_match_their_definitions() {
    let listed = crib_with_r_package().run(&["list", "--json"]).json();
    let find = |name: &str| {
        listed
            .as_array()
            .expect("tools")
            .iter()
            .find(|tool| tool["name"] == name)
            .expect("the tool")
            .clone()
    };
    let run = find("my.pkg-mcp_tool_pipeline_run");
    assert_eq!(run["title"], "Pipeline run");
    assert!(
        run["description"]
            .as_str()
            .is_some_and(|text| text.starts_with("Does my.pkg-mcp_tool_pipeline_run"))
    );
    assert_eq!(run["annotations"]["destructiveHint"], true);
    assert_eq!(run["_meta"]["toolcrib/category"], "pipelines");
    assert_eq!(run["_meta"]["toolcrib/requires_approval"], true);
    assert_eq!(run["_meta"]["toolcrib/execution_time"], 11.5);
    assert_eq!(
        run["inputSchema"]["properties"]["x"],
        json!({"type": "integer", "description": "how often", "default": 1})
    );
    let get = find("my.pkg-mcp_tool_config_get");
    assert_eq!(get["annotations"]["readOnlyHint"], true);
    assert_eq!(get["outputSchema"]["anyOf"][0]["properties"]["n"]["type"], "integer");
    assert_eq!(
        get["outputSchema"]["anyOf"][2]["properties"]["n"]["type"],
        json!(["integer", "null"]),
        "R may have no value"
    );
}

#[test]
fn groups_select_tools_that_match_any_pattern() {
    let crib = crib_with_r_package();
    let of = |groups: &[&str]| {
        let arguments: Vec<_> = ["list", "--json"]
            .into_iter()
            .chain(groups.iter().flat_map(|group| ["--groups", group]))
            .collect();
        let listed = crib.run(&arguments).json();
        names(&listed).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(of(&["config"]), ["my.pkg-mcp_tool_config_get"]);
    assert_eq!(
        of(&["config", "pipe.*_run$"]),
        ["my.pkg-mcp_tool_config_get", "my.pkg-mcp_tool_pipeline_run"]
    );
    assert_eq!(of(&["get"]), Vec::<String>::new());
    insta::assert_snapshot!(crib.transcript(&["list", "--groups", "("]), @r"
    exit code 2
    --- stderr
    error: `(` is not a regular expression: Parsing error at position 6: Opening parenthesis without closing parenthesis
     |
     = help: quote the pattern, and escape special characters with a backslash
    ");
    let mut client = StdioClient::start(&crib, &["--groups", "config"]);
    let served = client.request("tools/list", json!({}));
    let own: Vec<_> =
        names(&served["result"]["tools"]).into_iter().filter(|name| name.contains('-')).collect();
    assert_eq!(own, ["my.pkg-mcp_tool_config_get"]);
}

#[test]
fn a_dangerous_function_does_not_run_without_approval() {
    let output =
        crib_with_r_package().run(&["call", "my.pkg-mcp_tool_pipeline_run", "--args", "{}"]);
    assert_eq!(output.code, 5, "{}", output.stderr);
}

#[test]
fn show_and_docs_have_the_example() {
    let crib = crib_with_r_package();
    let transcript = crib.transcript(&["show", "my.pkg-mcp_tool_pipeline_run"]);
    insta::assert_snapshot!(without_level(&transcript), @r"
    exit code 0
    --- stdout
    my.pkg-mcp_tool_pipeline_run  (Pipeline run)
      Does my.pkg-mcp_tool_pipeline_run

    Parameters
      x  how often (integer; default 1)

    Runs
      my.pkg:::mcp_tool_pipeline_run(x)

    Call
      toolcrib call my.pkg-mcp_tool_pipeline_run

    Example
      f(1)
      #
      #> [1] 1

    Facts
      effect      makes changes that are hard to undo
      approval    every call needs approval
      category    pipelines
      returns     the result, or an operation id if the call takes long
      measured DURATION for its examples
      defined in  inst/mcp/tools/my.pkg-mcp_tool_pipeline_run.yaml
    ");
    let shown = crib.run(&["show", "my.pkg-mcp_tool_pipeline_run"]).stdout;
    assert!(shown.contains("\n  measured    11.5 s for its examples\n"), "{shown}");
    assert_eq!(crib.run(&["docs", "--out", "pages"]).code, 0);
    let pages: String = std::fs::read_dir(crib.root().join("pages/tools"))
        .expect("pages")
        .flatten()
        .filter_map(|page| std::fs::read_to_string(page.path()).ok())
        .collect();
    assert!(pages.contains("<code>f(1)\n#\n#&gt; [1] 1</code>"), "{pages}");
}

#[test]
fn prints_the_schema() {
    assert_eq!(run_outside_crib(&["schema", "rave"]).json()["title"], "R functions as YAML (RAVE)");
}

#[test]
fn a_new_definition_marks_its_blanks() {
    let crib = TempCrib::new();
    assert_eq!(crib.run(&["new", "rave", "stats-median"]).code, 0);
    let report = crib.run(&["check", "--format", "json"]).json();
    let found = report["diagnostics"].as_array().expect("diagnostics").iter();
    let codes: Vec<_> = found.map(|found| found["code"].as_str().expect("a code")).collect();
    assert_eq!(codes, ["TC413", "TC413"]);
    assert!(crib.run(&["show", "stats-median"]).stdout.contains("stats:::median(x)"));
    insta::assert_snapshot!(crib.transcript(&["new", "rave", "median"]), @r"
    exit code 2
    --- stderr
    error: `median` does not name an R package and function
     |
     = help: use `PACKAGE-FUNCTION`, such as `stats-median`
    ");
}
