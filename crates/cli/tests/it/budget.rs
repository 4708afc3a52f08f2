//! The size of `tools/list`, and the parts that are left out of it.

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, definition, repository};

/// The crib of everyday programs: git, cargo, grep, ImageMagick and Docker.
fn everyday(config: &str) -> TempCrib {
    let folder = repository().join("crates/cli/tests/cribs/everyday/tools");
    let mut crib = TempCrib::new().file("toolcrib.toml", config);
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().into_string().expect("a name");
        let text = std::fs::read_to_string(entry.path()).expect("a definition");
        crib = crib.file(&format!("tools/{name}"), &text);
    }
    crib
}

fn list(crib: &TempCrib) -> Vec<Value> {
    crib.run(&["list", "--json"]).json().as_array().expect("tools").clone()
}

fn names(crib: &TempCrib) -> Vec<String> {
    list(crib).iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

fn count_parameters(tools: &[Value]) -> usize {
    let count =
        |tool: &Value| tool["inputSchema"]["properties"].as_object().map_or(0, |all| all.len());
    tools.iter().map(count).sum()
}

#[test]
fn a_list_of_everyday_programs_is_short_and_has_every_parameter() {
    let tools = list(&everyday(""));
    let bytes = Value::Array(tools.clone()).to_string().len();
    assert!(bytes < 9_000, "{bytes} bytes");
    let built_in = ["await", "cancel", "read_output", "status"];
    let own: Vec<_> = tools
        .into_iter()
        .filter(|tool| tool["name"].as_str().is_some_and(|name| !built_in.contains(&name)))
        .collect();
    assert_eq!((own.len(), count_parameters(&own)), (19, PARAMETERS));
    let clippy = own.iter().find(|tool| tool["name"] == "cargo_clippy").expect("a tool");
    assert_eq!(clippy["description"], "Rust's build tool and package manager: Lint");
    let folder = &clippy["inputSchema"]["properties"]["working_directory"];
    assert_eq!(*folder, json!({"type": "string"}));
}

#[test]
fn what_is_not_sent_is_no_difference_to_a_live_server() {
    let crib = everyday("");
    let server =
        format!("'{}' -C '{}' serve", testing::toolcrib_path().display(), crib.root().display());
    let output = crib.run(&["check", "--against", &server]);
    assert_eq!(output.code, 0, "{}", output.stdout);
}

/// The parameters in the definitions of the everyday crib, and a working directory for each tool.
const PARAMETERS: usize = 36;

#[test]
fn output_schemas_are_served_as_configured() {
    let count = |choice: &str| {
        let tools = list(&everyday(&format!("[flags]\n[serve]\noutput_schemas = \"{choice}\"\n")));
        tools.iter().filter(|tool| tool.get("outputSchema").is_some()).count()
    };
    let (auto, all, none) = (count("auto"), count("all"), count("none"));
    assert_eq!((auto, all, none), (6, 25, 0));
}

#[test]
fn tools_for_operations_are_served_only_with_tools_that_can_become_one() {
    let synchronous = |value: bool| {
        let mut tool = definition("hello", "true");
        tool["synchronous"] = value.into();
        TempCrib::new().tool("hello", tool)
    };
    assert_eq!(names(&synchronous(true)), ["hello", "read_output"]);
    assert_eq!(names(&synchronous(false)), ["await", "cancel", "hello", "read_output", "status"]);
    for (value, mentions) in [(true, false), (false, true)] {
        let client = StdioClient::start(&synchronous(value), &[]);
        let instructions = client.initialized["result"]["instructions"].to_string();
        assert_eq!(instructions.contains("`await`"), mentions, "{instructions}");
    }
}

#[test]
fn flags_and_content_have_sections_of_their_own() {
    let with = |config: &str| {
        let crib = TempCrib::new().file("toolcrib.toml", config).file("howto/a.md", "# A\n");
        names(&crib)
    };
    assert_eq!(with("[flags]\n").len(), 6);
    let content = with("[content.categories.howto]\ndir = \"howto\"\n");
    assert_eq!(content, ["guide_get_content"]);
}

#[test]
fn budget_estimates_the_tokens_of_each_tool_and_of_all() {
    let crib = TempCrib::new()
        .tool("hello", definition("hello", "true"))
        .tool("bye", definition("bye", "true"));
    insta::assert_snapshot!(crib.run(&["list", "--budget"]).stdout, @r"
    173  read_output
     53  bye
     53  hello
    279  in all, estimated as a quarter of the bytes in `tools/list`
    ");
}
