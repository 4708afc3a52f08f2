//! `convert` and `new spec` as a user of the program sees them.

use std::{fs, path::PathBuf};

use catalog::{Catalog, SourceId, Tool};
use formats::{Guidance, Target};
use serde_json::{Value, json};

use crate::crib::{Crib, Ran, repository, shared};

fn counting() -> Value {
    json!({
        "name": "count", "description": "Count things", "command": "wc", "synchronous": true, "mutates": false,
        "subcommand": [
            {"name": "lines", "description": "Count lines", "options": [{"name": "file", "type": "string", "format": "path",
                "description": "The file", "required": true}]},
            {"name": "words", "description": "Count words", "options": [{"name": "limit", "type": "integer", "minimum": 1,
                "description": "At most"}]},
        ],
    })
}

/// The names and schemas of the tools that a file has, as MCP has them.
fn schemas(crib: &Crib, file: &str) -> Value {
    let listing = crib.run(&["convert", file, "--to", "mcp"]).json();
    let tools = listing["tools"].as_array().expect("tools");
    tools.iter().map(|tool| json!([tool["name"], tool["inputSchema"]])).collect()
}

fn clean(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_definition_goes_to_a_specification_and_back_with_every_schema() {
    let crib = Crib::new().tool("count", counting());
    clean(&crib.run(&["convert", "tools/count.json", "--to", "spec", "--out", "count.md"]));
    clean(&crib.run(&["convert", "count.md", "--to", "mtdf", "--out", "back.json"]));
    assert_eq!(schemas(&crib, "back.json"), schemas(&crib, "tools/count.json"));
    clean(&crib.run(&["check", "count.md"]));
    clean(&crib.run(&["check", "back.json"]));
}

#[test]
fn what_could_not_be_carried_is_told_by_tool_and_field() {
    let crib = Crib::new().tool("count", counting());
    let ran = crib.run(&["convert", "tools/count.json", "--to", "spec"]);
    assert!(ran.stdout.starts_with("# count - MCP Tool Specification"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("note: `count_lines`: `command`: how it runs is not said"),
        "{}",
        ran.stderr
    );
    let report = crib
        .run(&["convert", "tools/count.json", "--to", "spec", "--out", "a.md", "--format", "json"])
        .json();
    assert_eq!(
        report["losses"][0],
        json!({"tool": "count_lines", "field": "command", "message": "how it runs is not said: bind it to a program"})
    );
    assert_eq!(
        (&report["version"], &report["tools"], &report["files"]),
        (&json!(1), &json!(2), &json!([{"name": "a.md"}]))
    );
}

#[test]
fn why_a_tool_cannot_be_said_is_told_and_nothing_of_it_is_written() {
    let tool = |name: &str, properties: Value| json!({"name": name, "inputSchema": {"type": "object", "properties": properties}});
    let odd = tool("odd", json!({"-.": {"type": "string"}, ".": {"type": "string"}}));
    let crib = Crib::new().file("odd.json", &json!({"tools": [odd]}).to_string()).file(
        "both.json",
        &json!({"tools": [odd, tool("even", json!({"a": {"type": "string"}}))]}).to_string(),
    );
    let none = crib.run(&["convert", "odd.json", "--to", "mtdf"]);
    assert!(none.code == 1 && none.stdout.is_empty(), "{}", none.stdout);
    assert!(
        none.stderr.contains("note: `odd`: `name`: the format cannot say this tool: the flag `-.`"),
        "{}",
        none.stderr
    );
    let one = crib.run(&["convert", "both.json", "--to", "mtdf"]);
    assert!(
        one.code == 0 && one.stdout.contains("\"even\"") && !one.stdout.contains("\"odd\""),
        "{}",
        one.stdout
    );
    assert!(one.stderr.contains("it is left out"), "{}", one.stderr);
}

#[test]
fn what_is_converted_to_mcp_is_what_is_served() {
    let mut counting = counting();
    counting["version"] = "1.2.0".into();
    let crib = Crib::new().tool("count", counting);
    let served = crib.run(&["list", "--json"]).json();
    let written = crib.run(&["convert", "tools/count.json", "--to", "mcp"]).json();
    for tool in written["tools"].as_array().expect("tools") {
        let same = served
            .as_array()
            .expect("tools")
            .iter()
            .find(|served| served["name"] == tool["name"])
            .expect("it is served");
        for field in ["title", "description", "inputSchema"] {
            assert_eq!(tool[field], same[field], "{field}");
        }
        assert_eq!(tool["annotations"]["readOnlyHint"], same["annotations"]["readOnlyHint"]);
        assert_eq!(
            (&tool["_meta"], &same["_meta"]["toolcrib/version"]),
            (&json!({"toolcrib/version": "1.2.0"}), &json!("1.2.0"))
        );
    }
}

#[test]
fn a_saved_listing_is_checked_listed_and_converted_but_not_served() {
    let crib = Crib::new().tool("count", counting());
    let listing = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "greet", "description": "Print a greeting",
        "inputSchema": {"type": "object", "properties": {"who": {"type": "string", "description": "Whom"}}, "additionalProperties": false},
        "annotations": {"readOnlyHint": true}}]}});
    crib.write("tools/listing.json", &listing.to_string());
    clean(&crib.run(&["check", "tools/listing.json"]));
    let listed = crib.run(&["list"]).stdout;
    let (_, documented) = listed.split_once("Documented, not served").expect("a part for it");
    assert!(documented.contains("greet"), "{listed}");
    let page = crib.run(&["convert", "tools/listing.json", "--to", "spec"]).stdout;
    assert!(page.contains("| `who` | `string` | No | Whom |"), "{page}");
}

#[test]
fn tools_that_need_several_files_go_to_a_folder() {
    let page = ["alpha", "beta"]
        .map(|name| format!("## Tool: `{name}`\n\nDo it.\n\n**Parameters**: None\n\n"))
        .concat();
    let crib = Crib::new().file("two.md", &format!("# Two - MCP Tool Specification\n\n{page}"));
    let printed = crib.run(&["convert", "two.md", "--to", "mtdf"]);
    assert!(
        printed.stdout.contains("alpha") && printed.stdout.contains("beta"),
        "{}",
        printed.stdout
    );
    insta::assert_snapshot!(printed.stderr, @"note: the output is 2 files in a row; pass `--out DIR` to write them");
    let refused = crib.run(&["convert", "two.md", "--to", "mtdf", "--out", "one.json"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("the tools need 2 files") && refused.stderr.contains("--out"),
        "{}",
        refused.stderr
    );
    clean(&crib.run(&["convert", "two.md", "--to", "mtdf", "--out", "made/"]));
    clean(&crib.run(&["check", "made"]));
    assert!(
        crib.root().join("made/alpha.json").is_file()
            && crib.root().join("made/beta.json").is_file()
    );
}

#[test]
fn a_file_without_tools_is_an_error() {
    let crib = Crib::new().file("empty.json", "{}");
    let ran = crib.run(&["convert", "empty.json", "--to", "spec", "--out", "x.md"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(!crib.root().join("x.md").exists());
    assert_eq!(crib.run(&["convert", "absent.json", "--to", "spec"]).code, 2);
}

/// The places of the template that are to be filled in: what stands in brackets, each text once.
fn gaps(template: &str) -> usize {
    let is_gap = |line: &&str| {
        line.contains("[D")
            || line.contains("[E")
            || line.contains("[parameter_name]")
            || line.contains("[example value]")
    };
    let cells = |line: &str| {
        line.matches("[D").count()
            + line.matches("[E").count()
            + line.matches("[example value]").count()
    };
    let names = |line: &str| usize::from(line.starts_with("| `[parameter_name]`"));
    template.lines().filter(is_gap).map(|line| cells(line) + names(line)).sum()
}

#[test]
fn every_place_of_a_new_specification_that_is_to_be_filled_in_is_told() {
    let crib = Crib::new();
    clean(&crib.run(&["new", "spec", "fetch_page"]));
    let path = crib.root().join("tools/fetch_page/MCP_TOOL_SPECIFICATION.md");
    let text = fs::read_to_string(&path).expect("the template");
    let sections: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    assert_eq!(sections.len(), 8);
    let report = crib.run(&["check", "--format", "json"]).json();
    let told = report["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .filter(|found| found["code"] == "TC413")
        .count();
    assert_eq!(told, gaps(&text), "{report:#}");
    assert_eq!(gaps(&text), 14);
    assert_eq!(crib.run(&["check", "--strict"]).code, 1);
    assert_eq!(crib.run(&["new", "spec", "fetch_page"]).code, 2, "nothing is overwritten");
    assert_eq!(fs::read_to_string(&path).expect("the template"), text);
}

#[test]
fn a_new_specification_that_is_filled_in_has_no_findings() {
    let crib = Crib::new();
    clean(&crib.run(&["new", "spec", "fetch_page"]));
    let path = crib.root().join("tools/fetch_page/MCP_TOOL_SPECIFICATION.md");
    let mut text = fs::read_to_string(&path).expect("the template");
    text = text
        .replace("[parameter_name]", "subject")
        .replace("[example value]", "belts")
        .replace("[Explain", "Yes: [Explain");
    while let Some(start) = text.find("[D").or(text.find("[E")) {
        let end = start + text[start..].find(".]").expect("its end") + 2;
        text.replace_range(start..end, "It says what the shop knows about the subject.");
    }
    fs::write(&path, &text).expect("the filled in template");
    let ran = crib.run(&["check", "--strict"]);
    assert_eq!(
        (ran.code, ran.stdout.trim()),
        (0, "1 file, 1 tool, 0 errors, 0 warnings, 0 notes"),
        "{text}\n{}",
        ran.stdout
    );
}

#[test]
fn every_example_converts_to_every_format() {
    for file in ["examples/starter/tools/find_text.json", "crates/formats/tests/it/specs/whole.md"]
    {
        let path = repository().join(file);
        let crib = Crib::new();
        for to in ["mtdf", "rave", "spec", "mcp"] {
            clean(&crib.run(&["convert", path.to_str().expect("a path"), "--to", to]));
        }
    }
}

/// Every file of the corpus, with its tools.
fn corpus() -> Vec<(String, Vec<Tool>)> {
    let folders = ["corpus/mtdf", "corpus/specs", "corpus/rave"].into_iter().filter_map(shared);
    let mut waiting: Vec<PathBuf> = folders.collect();
    let mut found = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(
                fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()),
            );
            continue;
        }
        let bytes = fs::read(&path).expect("a file");
        let name = path.to_string_lossy().into_owned();
        let tools = formats::read(&SourceId::new(&name), &bytes, &Guidance::default()).tools;
        // A name that means two tools is an error of the source.
        let (catalog, _) = Catalog::merge(tools);
        found.push((name, catalog.tools().iter().map(|tool| tool.as_ref().clone()).collect()));
    }
    found
}

#[test]
fn check_finds_no_error_in_what_was_converted() {
    let files = corpus();
    for target in [Target::Mtdf, Target::Rave, Target::Specification, Target::Mcp] {
        let crib = Crib::new();
        for (number, (_, tools)) in files.iter().enumerate() {
            for file in formats::convert(tools, target, "crib").files {
                crib.write(&format!("made/{number}/{}", file.name), &file.text);
            }
        }
        let report = crib.run(&["check", "made", "--format", "json"]).json();
        let errors: Vec<&Value> = report["diagnostics"]
            .as_array()
            .expect("diagnostics")
            .iter()
            .filter(|found| found["severity"] == "error")
            .collect();
        assert!(errors.is_empty(), "{target:?}: {errors:#?}");
    }
}
