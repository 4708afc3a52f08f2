//! `tools/list`: order, pages, hints, schemas, and both renderings.

use catalog::{
    Implementation, Origin, SourceId, Tool,
    implementation::{Piece, Process},
};
use serde_json::{Value, json};
use server::{OutputSchemas, Snapshot, SnapshotOptions};
use testing::schema;

use crate::{
    pipe_client::PipeClient,
    test_server::{echo, echo_server, server_with, snapshot, structured, tool},
};

fn numbered_tools(count: usize) -> Vec<toolkit::Native> {
    (0..count).map(|number| echo(&format!("tool_{number:05}"))).collect()
}

fn names(reply: &Value) -> Vec<&str> {
    let tools = reply["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools: {reply}"));
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

fn process(name: &str) -> Tool {
    let process = Process { program: "true".into(), pieces: vec![Piece::Word("-x".into())] };
    let origin = Origin::whole_file(&SourceId::new("a.json"));
    Tool::new(name, "Runs", catalog::Schema::empty(), Implementation::Process(process), origin)
}

#[tokio::test]
async fn serves_a_stable_order_in_one_page_below_two_thousand() {
    let server = server_with(numbered_tools(1_999));
    for mut client in PipeClient::each_era(&server).await {
        let first = client.request("tools/list", json!({})).await;
        assert_eq!(names(&first).len(), 1_999);
        assert!(names(&first).is_sorted());
        assert!(first["result"].get("nextCursor").is_none());
        assert_eq!(
            client.request("tools/list", json!({})).await["result"]["tools"],
            first["result"]["tools"]
        );
    }
}

#[tokio::test]
async fn pagination_continues_after_the_last_name_if_the_list_changes() {
    let server = server_with(numbered_tools(2_001));
    let mut client = PipeClient::modern(server.clone());
    let first = client.request("tools/list", json!({})).await;
    assert_eq!(names(&first).len(), 2_000);
    let cursor = first["result"]["nextCursor"].as_str().expect("a cursor").to_owned();
    let second = client.request("tools/list", json!({"cursor": cursor})).await;
    assert_eq!(names(&second), ["tool_02000"]);
    assert!(second["result"].get("nextCursor").is_none());
    server
        .replace(snapshot(numbered_tools(2_003).into_iter().skip(1_500).map(|native| native.tool)))
        .await;
    let second = client.request("tools/list", json!({"cursor": cursor})).await;
    assert_eq!(names(&second), ["tool_02000", "tool_02001", "tool_02002"]);
}

#[tokio::test]
async fn rejects_an_unknown_cursor_and_accepts_an_empty_one() {
    for mut client in PipeClient::each_era(&echo_server()).await {
        let reply = client.request("tools/list", json!({"cursor": "bogus"})).await;
        assert_eq!(reply["error"]["code"], -32602, "{reply}");
        assert_eq!(names(&client.request("tools/list", json!({"cursor": ""})).await), ["echo"]);
        let reply = client.request("resources/list", json!({"cursor": "bogus"})).await;
        assert_eq!(reply["error"]["code"], -32602, "{reply}");
    }
}

#[tokio::test]
async fn modern_results_include_a_ttl_and_the_server_identity() {
    let mut client = PipeClient::modern(echo_server());
    let identity = json!({"name": "workshop", "version": "1.2.3"});
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let result = client.request(method, json!({})).await["result"].clone();
        assert!(
            result["ttlMs"].is_u64() && result["cacheScope"] == "private",
            "{method}: {result}"
        );
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"], identity, "{method}");
    }
    let result = client.call("echo", json!({"message": "x"})).await["result"].clone();
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"], identity);
    let mut client = PipeClient::legacy(echo_server()).await;
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let result = client.request(method, json!({})).await["result"].clone();
        let modern = ["ttlMs", "cacheScope", "resultType", "_meta"]
            .into_iter()
            .filter(|name| result.get(name).is_some());
        assert_eq!(modern.count(), 0, "{method}: {result}");
    }
    let result = client.call("echo", json!({"message": "x"})).await["result"].clone();
    assert!(result.get("_meta").is_none(), "older clients know it from the handshake: {result}");
}

#[test]
fn annotations_assume_the_worst_if_nothing_is_declared() {
    let mut silent = process("silent");
    silent.title = Some("Silent".into());
    let mut reader = process("reader");
    reader.annotations.mutates = Some(false);
    reader.annotations.network = Some(true.into());
    let mut writer = process("writer");
    writer.annotations.mutates = Some(true);
    writer.annotations.idempotent = Some(true);
    let mut dangerous = process("dangerous");
    dangerous.annotations.mutates = Some(true);
    dangerous.annotations.dangerous = Some(true);
    let mut tame = process("tame");
    tame.annotations.mutates = Some(true);
    tame.annotations.dangerous = Some(false);
    let tools = snapshot([silent, reader, writer, dangerous, tame]).tools_json();
    assert_eq!(tools.len(), 5);
    let hints: Vec<_> = tools
        .iter()
        .map(|tool| (tool["name"].as_str().unwrap_or_default(), &tool["annotations"]))
        .collect();
    let expected = [
        (
            "dangerous",
            json!({"readOnlyHint": false, "destructiveHint": true, "openWorldHint": false}),
        ),
        ("reader", json!({"readOnlyHint": true, "openWorldHint": true})),
        ("silent", json!({"readOnlyHint": false, "destructiveHint": true, "openWorldHint": false})),
        ("tame", json!({"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false})),
        (
            "writer",
            json!({"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}),
        ),
    ];
    for ((name, hints), (expected_name, expected)) in hints.into_iter().zip(&expected) {
        assert_eq!((name, hints), (*expected_name, expected));
    }
    assert_eq!(tools[2]["title"], "Silent");
    assert!(tools[0].get("title").is_none());
}

#[test]
fn process_tools_do_not_repeat_their_output_schema_and_unbound_tools_are_hidden() {
    let mut documented = process("documented");
    documented.implementation = Implementation::Missing;
    let snapshot = snapshot([process("run"), documented]);
    let tools = snapshot.tools_json();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].get("outputSchema"), None);
    assert!(snapshot.get("documented").is_none());
    assert_eq!(snapshot.closest("rum"), Some("run"));
}

#[tokio::test]
async fn keeps_schemas_unchanged_except_for_the_dialect() {
    let written = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"z": {"type": "string"}, "a": {"$ref": "#/$defs/d"}},
        "if": {"required": ["z"]},
        "then": {"required": ["a"]},
        "$defs": {"d": {"$anchor": "x", "type": "integer"}},
        "additionalProperties": false,
    });
    let native = toolkit::Native::new("t", "T", schema(written.clone()), async |_, _| {
        Ok(toolkit::Outcome::text(""))
    });
    let server = server_with(vec![native.output(schema(
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}),
    ))]);
    let mut expected = written;
    expected.as_object_mut().expect("an object").shift_remove("$schema");
    for mut client in PipeClient::each_era(&server).await {
        let reply = client.request("tools/list", json!({})).await;
        let listed = &reply["result"]["tools"][0];
        assert_eq!(
            listed["inputSchema"].to_string(),
            expected.to_string(),
            "members in their order"
        );
        assert_eq!(
            listed["outputSchema"]["anyOf"][0],
            json!({"type": "object"}),
            "beside what failures look like"
        );
    }
}

#[tokio::test]
async fn serves_boolean_properties_as_equivalent_objects() {
    let written = json!({
        "type": "object",
        "properties": {"any": true, "none": false, "inner": {"properties": {"any": true}}},
        "additionalProperties": false,
    });
    let native = toolkit::Native::new("t", "T", schema(written.clone()), async |_, _| {
        Ok(structured(json!({"any": 1})))
    });
    let server = server_with(vec![native.output(schema(written))]);
    let properties = json!({"any": {}, "none": {"not": {}}, "inner": {"properties": {"any": {}}}});
    for mut client in PipeClient::each_era(&server).await {
        let reply = client.request("tools/list", json!({})).await;
        let listed = &reply["result"]["tools"][0];
        assert_eq!(listed["inputSchema"]["properties"], properties);
        assert_eq!(listed["outputSchema"]["anyOf"][0]["properties"], properties);
        for (arguments, is_refused) in [(json!({"any": [1]}), false), (json!({"none": 1}), true)] {
            let reply = client.call("t", arguments).await;
            assert_eq!(reply["result"]["isError"] == true, is_refused, "{reply}");
        }
    }
}

#[tokio::test]
async fn wraps_results_that_are_not_objects_for_legacy_clients_only() {
    let array = schema(json!({"type": "array", "items": {"type": "integer"}}));
    let either = schema(json!({"anyOf": [{"type": "object"}, {"type": "null"}]}));
    let server = server_with(vec![
        tool("array", async |_, _| Ok(structured(json!([1, 2])))).output(array),
        tool("either", async |_, _| Ok(structured(json!({"x": 1})))).output(either),
        tool("loose", async |_, _| Ok(structured(json!(7)))),
    ]);
    let [mut legacy, mut modern] = PipeClient::each_era(&server).await;
    let listed = modern.request("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"][0]["outputSchema"]["anyOf"][0]["type"], "array");
    assert_eq!(modern.call("array", json!({})).await["result"]["structuredContent"], json!([1, 2]));
    assert_eq!(
        modern.call("either", json!({})).await["result"]["structuredContent"],
        json!({"x": 1})
    );
    let listed = legacy.request("tools/list", json!({})).await;
    for tool in listed["result"]["tools"].as_array().expect("tools").iter().take(2) {
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["required"], json!(["result"]), "{tool}");
    }
    let reply = legacy.call("array", json!({})).await;
    assert_eq!(reply["result"]["structuredContent"], json!({"result": [1, 2]}));
    assert_eq!(reply["result"]["content"][0]["text"], r#"{"result":[1,2]}"#, "also as text");
    assert_eq!(
        legacy.call("either", json!({})).await["result"]["structuredContent"],
        json!({"result": {"x": 1}})
    );
    assert_eq!(
        legacy.call("loose", json!({})).await["result"]["structuredContent"],
        json!({"result": 7})
    );
}

#[tokio::test]
async fn full_names_are_prefixed_and_resolve_to_the_tool() {
    let catalog = catalog::Catalog::merge([process("a_b"), process("c")]).0;
    let options = SnapshotOptions {
        crib: "my crib".into(),
        full_names: true,
        describe: |tool| tool.description.text.clone(),
        output_schemas: OutputSchemas::Auto,
        policy: catalog::Policy::default(),
        clients: Vec::new(),
    };
    let snapshot = Snapshot::new(&catalog, &options);
    let names: Vec<_> =
        snapshot.tools_json().into_iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["mcp_my_crib_a_b", "mcp_my_crib_c"]);
    assert_eq!(snapshot.get("mcp_my_crib_a_b").map(|tool| tool.name.as_str()), Some("a_b"));
    assert!(snapshot.get("a_b").is_none());
}

#[tokio::test]
async fn list_json_matches_the_list_for_modern_clients() {
    let server = server_with(vec![echo("b"), echo("a")]);
    let reply = PipeClient::modern(server.clone()).request("tools/list", json!({})).await;
    assert_eq!(reply["result"]["tools"], Value::Array(server.snapshot().tools_json()));
}
