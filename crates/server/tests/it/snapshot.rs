//! A call keeps using the snapshot it started with: the policy, and the tools of a sequence.

use catalog::{
    Implementation, Origin, Policy, SourceId,
    implementation::{Piece, Process, Sequence, Step},
    policy::{Clause, Effect},
};
use serde_json::{Value, json};
use server::Snapshot;
use toolkit::{Schema, Tool};

use crate::{
    pipe_client::PipeClient,
    test_server::{echo, echo_server, snapshot_with_policy},
};

fn snapshot(tools: Vec<Tool>, clauses: Vec<Clause>) -> Snapshot {
    snapshot_with_policy(tools, Policy::compile(clauses).expect("valid clauses"))
}

fn tool(name: &str, implementation: Implementation) -> Tool {
    let mut tool = Tool::new(
        name,
        "A tool",
        Schema::empty(),
        implementation,
        Origin::whole_file(&SourceId::new("test")),
    );
    tool.annotations.mutates = Some(false);
    tool
}

#[tokio::test]
async fn the_policy_applies_to_calls_and_is_replaced_with_the_snapshot() {
    let server = echo_server();
    let [mut legacy, mut modern] = PipeClient::each_era(&server).await;
    for client in [&mut legacy, &mut modern] {
        assert_ne!(client.call("echo", json!({"message": "hi"})).await["result"]["isError"], true);
    }
    let clause = Clause {
        tools: "ec*".into(),
        when: None,
        effect: Effect::Deny,
        until: None,
        reason: Some("it is loud".into()),
    };
    server.replace(snapshot(vec![echo("echo").tool], vec![clause])).await;
    for client in [&mut legacy, &mut modern] {
        let reply = client.call("echo", json!({"message": "hi"})).await;
        assert_eq!(reply["result"]["structuredContent"]["error_type"], "denied", "{reply}");
        assert!(reply.to_string().contains("it is loud"), "{reply}");
    }
}

#[tokio::test]
async fn a_sequence_finds_its_steps_among_the_served_tools() {
    let pieces = vec![Piece::Word("said".into())];
    let say = tool("say", Implementation::Process(Process { program: "echo".into(), pieces }));
    let step = |name: &str| Step {
        tool: name.into(),
        arguments: Value::Null,
        description: None,
        skip_if_exists: None,
        skip_if_missing: None,
    };
    let twice = tool(
        "twice",
        Implementation::Sequence(Sequence { steps: vec![step("say"), step("say")], delay_ms: 0 }),
    );
    let server = echo_server();
    server.replace(snapshot(vec![say, twice], Vec::new())).await;
    for mut client in PipeClient::each_era(&server).await {
        let reply = client.call("twice", json!({})).await;
        assert_ne!(reply["result"]["isError"], true, "{reply}");
        assert_eq!(reply["result"]["content"].to_string().matches("said").count(), 2, "{reply}");
    }
}
