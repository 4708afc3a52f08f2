//! R Markdown documents of a crib, from the terminal and as a client sees them.

use std::process::Command;

use serde_json::{Value, json};
use testing::{CommandOutput, StdioClient, TempCrib, shared_corpus};

use crate::content::list_names;

fn crib_with_documents() -> TempCrib {
    TempCrib::new().file("toolcrib.toml", "[documents]\nenabled = true\n")
}

const TOOLS: [&str; 8] = [
    "create_rmd",
    "delete_rmd",
    "doctor",
    "list_rmd",
    "outline_rmd",
    "read_rmd",
    "update_rmd",
    "validate_rmd",
];

#[test]
fn the_tools_are_served_if_documents_are_enabled() {
    let served = list_names(&crib_with_documents());
    assert!(TOOLS.iter().all(|tool| served.iter().any(|name| name == tool)), "{served:?}");
    let served = list_names(&TempCrib::new());
    assert!(!served.iter().any(|name| TOOLS.contains(&name.as_str())), "{served:?}");
}

#[test]
fn annotations_match_the_effects_of_tools() {
    let tools = crib_with_documents().run(&["list", "--json"]).json();
    let hints = |name: &str| {
        let tool = tools
            .as_array()
            .expect("tools")
            .iter()
            .find(|tool| tool["name"] == name)
            .expect("a tool");
        tool["annotations"].clone()
    };
    for name in ["doctor", "list_rmd", "outline_rmd", "read_rmd", "validate_rmd"] {
        assert_eq!(hints(name)["readOnlyHint"], true, "{name}");
    }
    for name in ["create_rmd", "update_rmd"] {
        assert_eq!(
            (&hints(name)["readOnlyHint"], &hints(name)["destructiveHint"]),
            (&json!(false), &json!(false)),
            "{name}"
        );
    }
    assert_eq!(hints("delete_rmd")["destructiveHint"], true);
}

#[test]
fn notifies_clients_of_documents_from_tools_and_other_programs() {
    let crib = crib_with_documents();
    let mut client = StdioClient::start(&crib, &[]);
    let created = json!({"filename": "a", "title": "A", "content": "text"});
    client.request("resources/subscribe", json!({"uri": "rmd:///a.Rmd"}));
    client.request("resources/subscribe", json!({"uri": "rmd-output:///a.pdf"}));
    client.request("tools/call", json!({"name": "create_rmd", "arguments": created}));
    let listed = client.request("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(listed[0]["uri"], "rmd:///a.Rmd", "{listed}");
    crib.write("rmd/sub/b.qmd", "---\ntitle: B\n---\n");
    client.wait(|message| message["method"] == "notifications/resources/list_changed");
    crib.write("rmd/a.Rmd", "---\ntitle: Other\n---\n");
    client.wait(|message| message["params"]["uri"] == "rmd:///a.Rmd");
    crib.write("rmd/output/a.pdf", "%PDF");
    client.wait(|message| message["params"]["uri"] == "rmd-output:///a.pdf");
    let listed = client.request("resources/list", json!({}))["result"]["resources"].clone();
    let names: Vec<_> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["Rendered: a.pdf", "Other", "B"], "sorted by URI");
    // All notifications about written files have arrived; the rest is about a folder that is
    // removed.
    client.request("resources/subscribe", json!({"uri": "rmd:///last.Rmd"}));
    crib.write("rmd/last.Rmd", "");
    client.wait(|message| message["params"]["uri"] == "rmd:///last.Rmd");
    std::fs::rename(crib.root().join("rmd/sub"), crib.root().join("elsewhere")).expect("a folder");
    client.wait(|message| message["method"] == "notifications/resources/list_changed");
    let listed = client.request("resources/list", json!({})).to_string();
    assert!(!listed.contains("b.qmd"), "{listed}");
    let templates = client.request("resources/templates/list", json!({})).to_string();
    assert!(
        templates.contains("rmd:///{name}") && templates.contains("rmd-output:///{name}"),
        "{templates}"
    );
}

#[test]
fn deleting_a_document_requires_approval() {
    let crib = crib_with_documents().file("rmd/a.Rmd", "a");
    let refused = crib.run(&["call", "delete_rmd", "--args", r#"{"filename": "a"}"#]);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert!(crib.root().join("rmd/a.Rmd").exists());
}

/// Sends every request of the document's examples, in order, to a new server over its pipe.
#[test]
fn the_documented_examples_run_verbatim() {
    let Some(seed) = shared_corpus("seeds/r-server-api.md") else {
        return;
    };
    let text = std::fs::read_to_string(seed).expect("the document");
    let examples = text.split("```json\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let examples: Vec<Value> =
        examples.filter_map(|example| serde_json::from_str(example).ok()).collect();
    let calls = examples
        .iter()
        .filter(|example| example["name"] == "create_rmd" && example.get("arguments").is_some());
    let list = examples
        .iter()
        .find(|example| example["method"] == "listResources")
        .expect("the first example");
    let call = |params: &Value| json!({"jsonrpc": "2.0", "id": "2", "method": "callTool", "params": params});
    let requests: Vec<_> = calls.map(call).chain([list.clone()]).collect();
    assert_eq!(requests.len(), 2, "the document has one of each");
    let crib = crib_with_documents();
    let mut client = StdioClient::spawn(crib.command(&["serve"]));
    client.send(&requests[0]);
    let created = client.wait(|_| true);
    assert_eq!(
        created["result"]["content"],
        json!([{"type": "text", "text": "Created R Markdown file: example.Rmd"}])
    );
    client.send(&requests[1]);
    let expected = examples
        .iter()
        .find(|example| example["result"]["resources"].is_array())
        .expect("the answer in the document");
    assert_eq!(&client.wait(|_| true), expected);
    client.close();
}

#[test]
fn a_new_report_has_no_problems() {
    let crib = crib_with_documents();
    let made = crib.run(&["new", "rmd", "2026/first-report"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let checked =
        crib.run(&["call", "validate_rmd", "--args", r#"{"filename": "2026/first-report"}"#]);
    assert_eq!(checked.stdout.trim(), "2026/first-report.Rmd: no problems found");
    let text =
        std::fs::read_to_string(crib.root().join("rmd/2026/first-report.Rmd")).expect("a report");
    assert!(text.starts_with("---\ntitle: first report\n"), "{text}");
    assert_eq!(crib.run(&["new", "rmd", "2026/first-report"]).code, 2, "it is not written twice");
    assert_eq!(crib.run(&["new", "rmd", "../out"]).code, 2);
}

/// A program may write files of 64 kB, as on a disk that has no more room.
#[test]
fn a_full_disk_keeps_the_old_document() {
    let crib = crib_with_documents().file("rmd/a.Rmd", "before");
    let arguments =
        json!({"filename": "a", "title": "A", "content": "x".repeat(100_000), "overwrite": true})
            .to_string();
    let mut limited = Command::new("bash");
    let program = crib.command(&["call", "create_rmd", "--args", &arguments]);
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""])
        .arg(program.get_program())
        .args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let failed =
        CommandOutput::from(&limited.current_dir(crib.root()).output().expect("the program runs"));
    assert_eq!(failed.code, 1, "{}{}", failed.stdout, failed.stderr);
    assert!(failed.stderr.contains("could not write `a.Rmd`"), "{}", failed.stderr);
    let left: Vec<_> = std::fs::read_dir(crib.root().join("rmd"))
        .expect("the folder")
        .flatten()
        .map(|one| one.file_name())
        .collect();
    assert_eq!(left, ["a.Rmd"]);
    assert_eq!(
        std::fs::read_to_string(crib.root().join("rmd/a.Rmd")).expect("a document"),
        "before"
    );
}

#[test]
fn check_reports_problems_of_documents() {
    let broken = "---\ntitle: Broken\n---\n\n```{r}\nread.csv(\"data/a.csv\"\n```\n\n![](missing.png) ![](../data/a.png)\n";
    let crib = TempCrib::new()
        .file("toolcrib.toml", "[documents]\nenabled = true\ndata = [\"data\"]\n")
        .file("data/a.png", "")
        .file("rmd/2026/broken.Rmd", broken)
        .file("rmd/output/kept.Rmd", broken);
    let output = crib.run(&["check"]);
    assert_eq!(output.code, 1);
    let lines: Vec<_> = output.stdout.lines().filter(|line| line.contains("TC8")).collect();
    assert_eq!(lines.len(), 2, "{}", output.stdout);
    assert!(output.stdout.contains("rmd/2026/broken.Rmd:6:1"), "{}", output.stdout);
    assert!(output.stdout.contains("missing.png") && !output.stdout.contains("a.png` does not"));
    crib.write(
        "toolcrib.toml",
        "[documents]\nenabled = true\n[[allow]]\ncode = \"TC858\"\nreason = \"drawn later\"\n",
    );
    let output = crib.run(&["check", "--summary"]);
    assert!(
        !output.stdout.contains("TC858") && !output.stdout.contains("TC641"),
        "{}",
        output.stdout
    );
}
