//! Documents and prompts of a crib, from the terminal and as a client sees them.

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, definition, repository, run_outside_crib};

const CONFIG: &str = "[content.categories.lang]\ndir = \"guide/lang\"\npatterns = [\"*.md\"]\ndescription = \"Language guides\"\n";

fn crib_with_guide() -> TempCrib {
    TempCrib::new()
        .file("toolcrib.toml", CONFIG)
        .file("guide/lang/python.md", "about python\n")
        .file("guide/lang/sub/deep/rust.md", "---\ntitle: Rust\n---\nabout rust\n")
        .file("guide/lang/how.md.j2", "Call {{ tool('get_content') }}.")
        .file(
            "prompts/read.md",
            "---\ndescription: Read a guide\nargs: <expression>\n---\n{{ call('get_content', {'expression': text}) }}",
        )
}

/// The names of all tools that a crib lists.
pub(crate) fn list_names(crib: &TempCrib) -> Vec<String> {
    let tools = crib.run(&["list", "--json"]).json();
    let tools = tools.as_array().expect("tools").iter();
    tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn get_content_is_served_when_the_crib_has_content() {
    assert!(list_names(&crib_with_guide()).contains(&"guide_get_content".to_owned()));
    assert!(!list_names(&TempCrib::new()).iter().any(|name| name.ends_with("get_content")));
}

#[test]
fn get_content_works_from_the_terminal() {
    let output = crib_with_guide().run(&[
        "call",
        "get_content",
        "--args",
        r#"{"expression": "lang/python,lang/sub/deep/rust"}"#,
    ]);
    assert_eq!(
        output.stdout,
        "[guide://lang/python.md (information)]\nabout python\n[guide://lang/sub/deep/rust.md, Rust (information)]\nabout rust\n"
    );
    let output = crib_with_guide().run(&[
        "call",
        "get_content",
        "--args",
        r#"{"expression": "lang/pyhton"}"#,
    ]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("did you mean `lang/python`?"), "{}", output.stderr);
}

#[test]
fn names_in_templates_and_descriptions_follow_the_prefix() {
    let crib = crib_with_guide();
    let mut client = StdioClient::start(&crib, &["--prefix", "shop"]);
    let called = client.request(
        "tools/call",
        json!({"name": "shop_get_content", "arguments": {"expression": "lang/how"}}),
    );
    let text = called["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(text.ends_with("Call shop_get_content."), "{called}");
    let listed = client.request("tools/list", json!({})).to_string();
    assert!(
        !listed.contains("guide_get_content") && listed.matches("shop_get_content").count() == 1,
        "{listed}"
    );
}

#[test]
fn names_in_templates_follow_full_names() {
    let crib = crib_with_guide()
        .file("toolcrib.toml", &format!("[crib]\nname = \"shop\"\nfull_names = true\n{CONFIG}"));
    let output = crib.run(&["call", "get_content", "--args", r#"{"expression": "lang/how"}"#]);
    assert!(
        output.stdout.contains("Call mcp_shop_guide_get_content."),
        "{}{}",
        output.stdout,
        output.stderr
    );
}

#[test]
fn documents_are_resources_and_prompts_call_tools() {
    let crib = crib_with_guide();
    let mut client = StdioClient::start(&crib, &[]);
    let listed = client.request("resources/list", json!({}))["result"]["resources"].clone();
    let uris: Vec<_> = listed
        .as_array()
        .expect("resources")
        .iter()
        .map(|one| one["uri"].as_str().expect("an address"))
        .collect();
    assert_eq!(
        uris,
        ["guide://lang/how.md.j2", "guide://lang/python.md", "guide://lang/sub/deep/rust.md"]
    );
    let read = client.request("resources/read", json!({"uri": "guide://lang/sub/deep/rust.md"}));
    assert_eq!(read["result"]["contents"][0]["text"], "about rust\n");
    let got = client
        .request("prompts/get", json!({"name": "read", "arguments": {"arg1": "lang/python"}}));
    let text = got["result"]["messages"][0]["content"]["text"].as_str().expect("a text");
    assert!(text.contains("about python"), "{got}");
    let completed = client.request(
        "completion/complete",
        json!({"ref": {"type": "ref/resource", "uri": "guide://{category}/{+path}"}, "argument": {"name": "category", "value": "l"}}),
    );
    assert_eq!(completed["result"]["completion"]["values"], json!(["lang"]));
    let paths = |client: &mut StdioClient, category: &str| {
        let argument = json!({"name": "path", "value": "py"});
        let params = json!({"ref": {"type": "ref/resource", "uri": "guide://{category}/{+path}"}, "argument": argument,
            "context": {"arguments": {"category": category}}});
        client.request("completion/complete", params)["result"]["completion"]["values"].clone()
    };
    assert_eq!(
        (paths(&mut client, "lang"), paths(&mut client, "other")),
        (json!(["python.md"]), json!([]))
    );
}

#[test]
fn notifies_subscribers_of_a_changed_document() {
    let crib = crib_with_guide();
    let mut client = StdioClient::start(&crib, &["--watch"]);
    client.request("resources/subscribe", json!({"uri": "guide://lang/sub/deep/rust.md"}));
    crib.write("guide/lang/sub/deep/rust.md", "new\n");
    let told = client.wait(|message| message["method"] == "notifications/resources/updated");
    assert_eq!(told["params"]["uri"], "guide://lang/sub/deep/rust.md");
    client.request("resources/subscribe", json!({"uri": "guide://lang"}));
    crib.write("guide/lang/new.md", "new\n");
    client.wait(|message| message["params"]["uri"] == "guide://lang");
    crib.write("guide/lang/newer.md", "new\n");
    client.wait(|message| message["method"] == "notifications/resources/list_changed");
    crib.write("prompts/more.md", "---\ndescription: More\n---\nbody");
    client.wait(|message| message["method"] == "notifications/prompts/list_changed");
    let listed = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "{listed}");
}

#[test]
fn a_subscription_to_a_document_is_served_without_watching_definitions() {
    let crib = crib_with_guide();
    let mut client = StdioClient::start(&crib, &[]);
    client.request("resources/subscribe", json!({"uri": "guide://lang/python"}));
    crib.write("prompts/more.md", "---\ndescription: More\n---\nbody");
    crib.write("guide/lang/python.md", "new\n");
    let told = client.wait(|message| message["method"] == "notifications/resources/updated");
    assert_eq!(told["params"]["uri"], "guide://lang/python");
    let listed = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}

#[test]
fn watches_folders_that_are_added_later() {
    let crib = TempCrib::new().file("guide/docs/api.md", "old");
    let mut client = StdioClient::start(&crib, &["--watch"]);
    crib.write("toolcrib.toml", "[content.categories.docs]\ndir = \"guide/docs\"\n");
    client.wait(|message| message["method"] == "notifications/tools/list_changed");
    client.request("resources/subscribe", json!({"uri": "guide://docs/api.md"}));
    crib.write("guide/docs/api.md", "new");
    client.wait(|message| message["method"] == "notifications/resources/updated");
    crib.write("prompts/first.md", "---\ndescription: First\n---\nbody");
    client.wait(|message| message["method"] == "notifications/prompts/list_changed");
}

#[test]
fn reload_adds_a_new_category() {
    let crib = crib_with_guide().file("guide/docs/api.md", "the interface");
    let mut client = StdioClient::start(&crib, &[]);
    let get = |client: &mut StdioClient| -> Value {
        let params = json!({"name": "guide_get_content", "arguments": {"expression": "docs"}});
        client.request("tools/call", params)["result"]["structuredContent"]["success"].clone()
    };
    assert_eq!(get(&mut client), false);
    crib.write(
        "toolcrib.toml",
        &format!("{CONFIG}\n[content.categories.docs]\ndir = \"guide/docs\"\n"),
    );
    assert_eq!(crib.run(&["reload"]).code, 0);
    assert_eq!(get(&mut client), true);
    let listed = client.request("tools/list", json!({})).to_string();
    assert!(listed.contains("Categories: `docs`, `lang` (Language guides)."), "{listed}");
}

#[test]
fn documents_follow_the_flags_of_the_project() {
    let crib = crib_with_guide()
        .file("guide/lang/beta.md", "---\nrequires-beta: true\n---\nonly in the beta")
        .file("guide/lang/flag.md.j2", "{{ flags.beta }} {{ flags.other }}");
    crib.write("toolcrib.toml", &format!("{CONFIG}\n[flags]\nother = \"configured\"\n"));
    let mut client = StdioClient::start(&crib, &[]);
    let mut get = |expression: &str| {
        let called = client.request(
            "tools/call",
            json!({"name": "guide_get_content", "arguments": {"expression": expression}}),
        );
        called["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    };
    assert!(get("lang/beta").contains("requires the flag `beta`"));
    assert!(get("lang/flag").ends_with("\n configured"), "{}", get("lang/flag"));
    assert_eq!(crib.run(&["flags", "set", "beta", "true"]).code, 0);
    assert!(get("lang/beta").contains("only in the beta"));
    assert!(get("lang/flag").ends_with("true configured"));
}

#[test]
fn check_reports_problems_of_content_and_prompts() {
    let crib = crib_with_guide()
        .tool("a", definition("a", "true"))
        .file("prompts/bad.md", "---\ndescription: Bad\n---\n\n{{ }}");
    crib.write("toolcrib.toml", "[content.categories.lang]\ndir = \"nowhere\"\n");
    let found = crib.run(&["check", "--format", "json"]).json()["diagnostics"].clone();
    let shown: Vec<_> = found
        .as_array()
        .expect("findings")
        .iter()
        .map(|one| (one["code"].clone(), one["line"].clone()))
        .collect();
    assert_eq!(shown, [(json!("TC712"), json!(5)), (json!("TC702"), json!(2))]);
    assert_eq!(
        run_outside_crib(&["check", crib.root().join("prompts/bad.md").to_str().expect("a path")])
            .code,
        1
    );
    assert!(run_outside_crib(&["explain", "broken-collection"]).stdout.contains("TC704"));
}

#[test]
fn workflows_know_every_guide_tool() {
    let listed = crib_with_guide().run(&["list"]).stdout;
    assert!(workspace::GUIDE_TOOLS.contains(&"get_content"));
    for line in listed.lines().filter(|line| line.starts_with("guide_")) {
        let name = line.trim_start_matches("guide_").split_whitespace().next().expect("a name");
        assert!(workspace::GUIDE_TOOLS.contains(&name), "{name}");
    }
}

#[test]
fn the_example_guide_passes_check_and_serves_its_content() {
    let folder = repository().join("examples/guide");
    let folder = folder.to_str().expect("a name");
    let check = run_outside_crib(&["-C", folder, "check", "--strict"]);
    assert_eq!(check.code, 0, "{}", check.stdout);
    let got = run_outside_crib(&[
        "-C",
        folder,
        "call",
        "get_content",
        "--args",
        r#"{"expression": "start"}"#,
    ]);
    assert!(
        got.stdout.contains("guide://style/writing.md")
            && got.stdout.contains("guide://lang/rust.md"),
        "{}{}",
        got.stdout,
        got.stderr
    );
}

/// The blocks of one language of a page, in order.
fn code_blocks(page: &str, language: &str) -> Vec<String> {
    let parts = page.split("```").skip(1).step_by(2);
    parts
        .filter_map(|part| part.strip_prefix(language)?.strip_prefix('\n'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_content_page_matches_the_behaviour() {
    let page = std::fs::read_to_string(repository().join("docs/content.md")).expect("the page");
    let crib = TempCrib::new().file("toolcrib.toml", &code_blocks(&page, "toml")[0]);
    for path in code_blocks(&page, "text")[0].lines() {
        crib.write(path, "text\n");
    }
    let check = crib.run(&["check", "--strict"]);
    assert_eq!(check.code, 0, "{}", check.stdout);
    let mut client = StdioClient::start(&crib, &[]);
    let (_, table) = page.split_once("| expression | gives |\n|---|---|\n").expect("a table");
    let rows: Vec<_> = table.lines().take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 10);
    for row in rows {
        let cells: Vec<_> = row.split(" | ").collect();
        let expression = cells[0].trim_matches(['|', ' ', '`']);
        let promised: Vec<_> =
            cells[1].split('`').skip(1).step_by(2).map(|path| format!("guide://{path}")).collect();
        let got = client.request(
            "tools/call",
            json!({"name": "guide_get_content", "arguments": {"expression": expression}}),
        );
        let value = &got["result"]["structuredContent"]["value"];
        let parts = value["parts"].as_array().unwrap_or_else(|| panic!("{expression}: {got}"));
        let found: Vec<_> =
            parts.iter().map(|part| part["uri"].as_str().expect("an address").to_owned()).collect();
        assert_eq!((found, &value["failures"]), (promised, &Value::Null), "{expression}");
    }
    crib.write("prompts/review.md", &code_blocks(&page, "markdown")[0]);
    assert_eq!(crib.run(&["check", "--strict"]).code, 0);
}
