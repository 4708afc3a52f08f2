//! Native tools as a client and a person at a terminal see them: names, descriptions, results.

use serde_json::{Value, json};
use testing::{CommandOutput, StdioClient, TempCrib, definition, repository};

/// Runs the program with variables set.
fn run_with(crib: &TempCrib, variables: &[(&str, &str)], arguments: &[&str]) -> CommandOutput {
    let mut command = crib.command(arguments);
    command.env("MCP_INCLUDE_EXAMPLE_TOOLS", "true").envs(variables.iter().copied());
    CommandOutput::from(&command.output().expect("the program runs"))
}

/// The names of everything that is served.
fn names(crib: &TempCrib, variables: &[(&str, &str)], arguments: &[&str]) -> Vec<String> {
    let output = run_with(crib, variables, &[&["list", "--json"], arguments].concat());
    let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
    output.json().as_array().expect("tools").iter().map(name).collect()
}

/// One tool, as `tools/list` serves it.
fn served(crib: &TempCrib, name: &str) -> Value {
    let tools = run_with(crib, &[], &["list", "--json"]).json();
    tools
        .as_array()
        .expect("tools")
        .iter()
        .find(|tool| tool["name"] == name)
        .unwrap_or_else(|| panic!("{tools}"))
        .clone()
}

#[test]
fn conditional_example_tool() {
    let crib = TempCrib::new();
    assert!(names(&crib, &[], &[]).contains(&"guide_example".to_owned()));
    for value in ["false", "", "1"] {
        let names = names(&crib, &[("MCP_INCLUDE_EXAMPLE_TOOLS", value)], &[]);
        assert!(names.is_empty(), "{value}: {names:?}");
    }
}

#[test]
fn the_prefix_option_overrides_the_variable_and_the_default() {
    let crib = TempCrib::new().tool("hello", definition("hello", "true"));
    let cases = [
        (None, None, "guide_example"),
        (Some("acme"), None, "acme_example"),
        (Some("acme_"), None, "acme_example"),
        (Some(""), None, "example"),
        (Some("acme"), Some("mine"), "mine_example"),
        (Some("acme"), Some(""), "example"),
    ];
    for (variable, option, example) in cases {
        let variables: Vec<_> =
            variable.map(|value| ("MCP_TOOL_PREFIX", value)).into_iter().collect();
        let arguments: Vec<_> = option.into_iter().flat_map(|value| ["--prefix", value]).collect();
        let mut expected = vec![example, "hello", "read_output"];
        expected.sort_unstable();
        assert_eq!(names(&crib, &variables, &arguments), expected, "{variables:?} {arguments:?}");
    }
}

#[test]
fn full_names_precede_the_tool_prefix() {
    let crib =
        TempCrib::new().file("toolcrib.toml", "[crib]\nname = \"shop\"\nfull_names = true\n");
    assert!(names(&crib, &[], &[]).contains(&"mcp_shop_guide_example".to_owned()));
}

#[test]
fn failures_name_a_tool_by_its_full_name() {
    let crib = TempCrib::new()
        .file("toolcrib.toml", "[crib]\nname = \"shop\"\nfull_names = true\n")
        .tool("flop", definition("flop", "false"));
    let mut client = StdioClient::start(&crib, &[]);
    let result = client.call("mcp_shop_flop", json!({}));
    let message = "`mcp_shop_flop` failed with exit code 1";
    assert_eq!(result["content"][0]["text"], message);
    assert_eq!(result["structuredContent"]["error_message"], message);
}

#[test]
fn a_prefix_with_a_blank_is_refused() {
    let crib = TempCrib::new();
    for arguments in [&["serve", "--prefix", "a b"], &["list", "--prefix", "a b"]] {
        let output = crib.run(arguments);
        assert_eq!(output.code, 4, "{}", output.stderr);
        assert!(output.stderr.contains("`a b`"), "{}", output.stderr);
    }
}

#[test]
fn an_unknown_option_is_refused() {
    assert_eq!(TempCrib::new().run(&["serve", "--tool-prefix", "x"]).code, 2);
}

#[test]
fn call_and_show_take_names_with_and_without_the_prefix() {
    let crib = TempCrib::new();
    for name in ["example", "guide_example"] {
        let output = run_with(
            &crib,
            &[],
            &["call", name, "--args", r#"{"action": "demo", "message": "Grüße"}"#, "--json"],
        );
        assert_eq!(output.json()["value"]["message"], "Grüße", "{}", output.stderr);
        assert_eq!(run_with(&crib, &[], &["show", name]).code, 0);
    }
}

#[test]
fn undecorated_names_in_every_description_and_page() {
    let tools = run_with(&TempCrib::new(), &[], &["list", "--json"]).json();
    let decorated: Vec<_> =
        tools.as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    let decorated: Vec<_> =
        decorated.into_iter().filter(|name| name.starts_with("guide_")).collect();
    assert!(!decorated.is_empty());
    for tool in tools.as_array().expect("tools") {
        let text = tool["description"].as_str().expect("a description");
        assert!(!decorated.iter().any(|name| text.contains(name)), "{text}");
    }
    let folders = ["docs", "docs/reference", "crates/toolkit/templates", "."]
        .map(|folder| repository().join(folder));
    for page in
        folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder")).flatten()
    {
        if page.path().extension().is_some_and(|extension| extension == "md") {
            let text = std::fs::read_to_string(page.path()).expect("a page");
            let said: Vec<_> = decorated.iter().filter(|name| text.contains(**name)).collect();
            assert!(said.is_empty(), "{} says {said:?}", page.path().display());
        }
    }
}

#[test]
fn tool_module_references_and_documentation_template_references() {
    let folders = ["", "flags", "guide", "prompts"]
        .map(|folder| repository().join("crates/builtin/src").join(folder));
    let files = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("sources"))
        .flatten()
        .map(|entry| entry.path());
    let texts = files.filter_map(|path| Some((std::fs::read_to_string(&path).ok()?, path)));
    let without: Vec<_> = texts
        .filter(|(text, _)| text.contains("Native::typed(") || text.contains("Native::new("))
        .filter(|(text, _)| !text.contains("crates/toolkit/templates/tool.md"))
        .map(|(_, path)| path)
        .collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn template_availability_with_all_four_sections_and_described_fields() {
    let template = std::fs::read_to_string(repository().join("crates/toolkit/templates/tool.md"))
        .expect("a template");
    for part in [
        "Description",
        "JSON Schema",
        "Usage Instructions",
        "Concrete Examples",
        "/// The name of the document",
    ] {
        assert!(template.contains(part), "{part}");
    }
    let prompt = std::fs::read_to_string(repository().join("crates/toolkit/templates/prompt.md"))
        .expect("a template");
    assert!(prompt.contains("description:") && prompt.contains("@"), "{prompt}");
}

/// The tools of the guide in their served form.
fn guide_tools() -> Vec<Value> {
    let config =
        "[crib]\ndescriptions = \"full\"\n[flags]\n[content.categories.lang]\ndir = \"lang\"\n";
    let crib = TempCrib::new().file("toolcrib.toml", config).file("lang/rust.md", "# Rust\n");
    let tools = run_with(&crib, &[], &["list", "--json"]).json();
    let is_guide =
        |tool: &&Value| tool["name"].as_str().is_some_and(|name| name.starts_with("guide_"));
    let guide: Vec<_> = tools.as_array().expect("tools").iter().filter(is_guide).cloned().collect();
    assert_eq!(guide.len(), 8);
    guide
}

/// A section of a tool's description.
fn section<'a>(tool: &'a Value, label: &str) -> &'a str {
    let text = tool["description"].as_str().expect("a description");
    let (_, after) =
        text.split_once(&format!("## {label}\n\n")).unwrap_or_else(|| panic!("no {label}: {text}"));
    after.split("\n\n## ").next().expect("a section")
}

#[test]
fn tool_documentation_format() {
    for tool in guide_tools() {
        let first = section(&tool, "Description").lines().next().expect("a line");
        assert!(first.chars().count() <= 50, "{first}");
        for label in ["JSON Schema", "Usage Instructions", "Concrete Examples"] {
            assert!(!section(&tool, label).is_empty());
        }
    }
}

#[test]
fn complete_field_descriptions() {
    for tool in guide_tools() {
        for (field, schema) in tool["inputSchema"]["properties"].as_object().expect("properties") {
            assert!(
                schema["description"].as_str().is_some_and(|text| !text.is_empty()),
                "{field} of {}",
                tool["name"]
            );
        }
    }
}

#[test]
fn schema_presentation() {
    for tool in guide_tools() {
        let fence = section(&tool, "JSON Schema")
            .strip_prefix("```json\n")
            .and_then(|fence| fence.strip_suffix("\n```"));
        let shown: Value = serde_json::from_str(fence.expect("a fence")).expect("JSON");
        assert_eq!(shown, tool["inputSchema"], "the schema as it is served");
    }
}

#[test]
fn usage_instructions_clarity() {
    for tool in guide_tools() {
        let usage = section(&tool, "Usage Instructions");
        let bare =
            tool["name"].as_str().and_then(|name| name.strip_prefix("guide_")).expect("a name");
        assert!(
            usage.starts_with(&format!("```text\n{bare}(")) && usage.ends_with("\n```"),
            "{usage}"
        );
    }
}

#[test]
fn example_completeness() {
    for tool in guide_tools() {
        let examples = section(&tool, "Concrete Examples");
        assert!(
            examples.starts_with("```json\n{")
                && !examples.contains('<')
                && !examples.contains("..."),
            "{examples}"
        );
        let is_explained =
            |one: &str| one.split("```\n").nth(1).is_some_and(|why| why.trim().len() > 5);
        assert!(examples.split("```json").skip(1).all(is_explained), "{examples}");
    }
}

#[test]
fn the_documentation_contains_the_example_source() {
    let source = std::fs::read_to_string(repository().join("examples/native-tool/src/main.rs"))
        .expect("the example");
    let page =
        std::fs::read_to_string(repository().join("docs/native-tools.md")).expect("the page");
    assert!(page.contains(&source), "docs/native-tools.md does not show the example");
    assert!(source.lines().count() < 40);
}

#[test]
fn automatic_registration_with_descriptions_of_the_configured_size() {
    let size = |config: &str| {
        let crib = TempCrib::new().file("toolcrib.toml", config);
        served(&crib, "guide_example")["description"].as_str().expect("a description").to_owned()
    };
    let full = size("[crib]\ndescriptions = \"full\"\n");
    let labels =
        ["## Description", "## JSON Schema", "## Usage Instructions", "## Concrete Examples"];
    let places: Vec<_> = labels
        .iter()
        .map(|label| full.find(label).unwrap_or_else(|| panic!("{label}: {full}")))
        .collect();
    assert!(places.is_sorted());
    assert!(full.lines().nth(2).is_some_and(|line| line.chars().count() <= 50), "{full}");
    let schema_less = size("[crib]\ndescriptions = \"schema-less\"\n");
    let concise = size("[crib]\ndescriptions = \"concise\"\n");
    assert!(concise.len() < schema_less.len() && schema_less.len() < full.len());
    assert_eq!(size(""), schema_less, "the schema is sent anyway");
    assert!(!schema_less.contains(labels[1]) && !concise.contains("##"));
}

#[test]
fn failures_set_is_error_and_can_be_standard_error_objects() {
    let crib = TempCrib::new();
    let call = |crib: &TempCrib, arguments: Value| {
        let mut client =
            StdioClient::start_with(crib, &[], &[("MCP_INCLUDE_EXAMPLE_TOOLS", "true")]);
        let reply =
            client.request("tools/call", json!({"name": "guide_example", "arguments": arguments}));
        reply["result"].clone()
    };
    let good = call(&crib, json!({"action": "test"}));
    assert_ne!(good["isError"], true);
    assert_eq!(good["structuredContent"]["success"], true);
    let failed = call(&crib, json!({"action": "validate"}));
    assert_eq!(
        (&failed["isError"], &failed["structuredContent"]["error_type"]),
        (&json!(true), &json!("validation_error"))
    );
    let wrong = call(&crib, json!({"action": "dance", "actoin": 1}));
    assert_eq!(wrong["isError"], true);
    let envelope = &wrong["structuredContent"];
    assert_eq!(
        (&envelope["success"], &envelope["error_type"]),
        (&json!(false), &json!("invalid_arguments"))
    );
    assert_eq!(envelope["error_data"]["details"].as_array().map(Vec::len), Some(2), "{envelope}");
    assert!(
        !envelope.to_string().contains("http"),
        "no links into a validator's documentation: {envelope}"
    );
    crib.write("toolcrib.toml", "[crib]\nerrors = \"standard\"\n");
    let standard = call(&crib, json!({"action": "validate"}));
    assert_eq!(standard["structuredContent"]["status"], "failure");
    assert_eq!(
        standard["structuredContent"]["error_details"]["instruction"],
        "Do not try to fix this."
    );
    assert_eq!(standard["isError"], true);
    assert_eq!(
        standard["content"][0]["text"],
        standard["structuredContent"].to_string(),
        "a model reads the same"
    );
}

#[test]
fn results_match_the_served_output_schema() {
    let crib = TempCrib::new();
    let schema =
        served(&crib, "guide_example")["outputSchema"].as_object().expect("a schema").clone();
    let schema = catalog::Schema::new(schema);
    for arguments in [r#"{"action": "demo"}"#, r#"{"action": "validate"}"#, r#"{"action": 1}"#] {
        let result =
            run_with(&crib, &[], &["call", "example", "--args", arguments, "--json"]).json();
        assert!(schema.validator().expect("a schema").is_valid(&result), "{result}");
    }
}

#[test]
fn the_server_reports_its_version() {
    let client = StdioClient::start(&TempCrib::new(), &[]);
    assert_eq!(client.initialized["result"]["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_tool_hidden_by_a_built_in_one_is_reported() {
    let crib = TempCrib::new()
        .file("toolcrib.toml", "[flags]\n")
        .tool("mine", definition("my_set_project_flag", "true"));
    let output = run_with(&crib, &[("MCP_TOOL_PREFIX", "my")], &["list"]);
    assert!(output.stdout.contains("my_set_project_flag"), "{}", output.stdout);
    let (_, warning) = output.stderr.trim_end().split_once("WARN ").expect("a warning");
    insta::assert_snapshot!(warning, @"`my_set_project_flag` of tools/mine.json is not served: a built-in tool has the same name; rename it, or pass a --prefix");
    let output = run_with(&crib, &[], &["list"]);
    assert!(
        output.stdout.contains("guide_set_project_flag")
            && !output.stderr.contains("is not served"),
        "{}",
        output.stderr
    );
}

#[test]
fn suggests_the_served_name_for_a_bare_name() {
    let crib = TempCrib::new().file("toolcrib.toml", "[flags]\n");
    let mut client = StdioClient::start(&crib, &[]);
    let reply = client
        .request("tools/call", json!({"name": "get_project_flag", "arguments": {"name": "x"}}));
    let message = reply["error"]["message"].as_str().expect("an error");
    assert!(message.contains("did you mean `guide_get_project_flag`?"), "{message}");
}

#[test]
fn a_policy_for_a_native_tool_is_not_reported_as_useless() {
    let crib = TempCrib::new()
        .file("toolcrib.toml", "[flags]\n\n[[policy]]\ntools = \"set_*_flag\"\ndo = \"deny\"\n");
    let report = crib.run(&["check", "--format", "json"]).json();
    assert_eq!(report["diagnostics"], json!([]), "{report}");
    let denied = crib.run(&["call", "set_project_flag", "--args", r#"{"name": "x"}"#, "--json"]);
    assert_eq!(denied.json()["success"], false, "{}", denied.stdout);
}

#[test]
fn flag_tools_follow_their_section_on_reload() {
    let crib = TempCrib::new().file("toolcrib.toml", "[flags]\n");
    let mut client = StdioClient::start(&crib, &[]);
    let listed = |client: &mut StdioClient| {
        client.request("tools/list", json!({})).to_string().contains("guide_set_project_flag")
    };
    assert!(listed(&mut client));
    crib.write("toolcrib.toml", "");
    crib.run(&["reload"]);
    assert!(!listed(&mut client));
    crib.write("toolcrib.toml", "[flags]\n");
    crib.run(&["reload"]);
    assert!(listed(&mut client), "and come with it");
}

/// The file that `new native` writes, compiled here.
mod new_native {
    include!("../../src/commands/new/native_main.rs.txt");

    #[test]
    fn the_tool_of_a_new_crate_is_valid() {
        // Not called, because it would wait for a client.
        let _ = main;
        let named = tools_of("NAME");
        assert_eq!(named, ["NAME"]);
    }

    fn tools_of(name: &str) -> Vec<String> {
        let declared = Toolset::default().with_declared(&Declarations::default());
        let tools = declared.build(&ToolsetOptions::default()).expect("valid tools");
        let names = tools.iter().map(|tool| tool.tool.name.clone());
        names.filter(|served| served.as_str() == name).collect()
    }
}

#[test]
fn a_crate_for_a_native_tool_is_written() {
    let crib = TempCrib::new().file("toolcrib.toml", "");
    let made = crib.run(&["new", "native", "words"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let read = |path: &str| std::fs::read_to_string(crib.root().join(path)).expect("a file");
    let manifest = read("words/Cargo.toml");
    assert!(manifest.starts_with("[package]\nname = \"words\"\n"), "{manifest}");
    let dependencies = manifest.split("\n\n").find(|part| part.starts_with("[dependencies]"));
    let page = std::fs::read_to_string(repository().join("docs/native-tools.md")).expect("a page");
    assert!(page.contains(dependencies.expect("dependencies")), "the page shows others");
    let code = read("words/src/main.rs");
    assert!(code.contains("Native::typed(\"words\", run)") && !code.contains("NAME"), "{code}");
    assert_eq!(crib.run(&["new", "native", "words"]).code, 2, "it is not written twice");
    assert_eq!(crib.run(&["new", "native", "../words"]).code, 2);
}
