//! A path that is itself a link counts as the link and as its target, in policies and in approvals.

use std::{fs, os::unix::fs::symlink};

use catalog::{
    Implementation, Policy, Tool,
    implementation::{Encoding, Formal, Items, Piece, PythonFunction, RFunction, ValueKind},
    policy::{Clause, Effect},
};
use runtime::Call;
use serde_json::{Value, json};
use testing::{RuntimeFixture, field, process_tool, schema};

use crate::{
    approvals::{approval, call, context_without_user, record_decision, run},
    pieces::positional,
};

/// A tool that prints files.
fn reader() -> Tool {
    process_tool(
        "cat",
        vec![positional("path", |b| (b.kind, b.items) = (ValueKind::Path, Items::Each))],
    )
}

fn policy(when: &str, effect: Effect) -> Policy {
    let (tools, when) = ("*".to_owned(), Some(when.to_owned()));
    Policy::compile([Clause { tools, when, effect, until: None, reason: None }]).unwrap()
}

async fn kind(crib: &RuntimeFixture, tool: &Tool, arguments: Value, policy: Policy) -> String {
    let outcome = run(crib, Call { policy, ..call(tool, arguments, context_without_user()) }).await;
    if outcome.failed {
        field(&outcome, "error_type").as_str().unwrap().to_owned()
    } else {
        "ok".to_owned()
    }
}

fn create_files(crib: &RuntimeFixture) {
    fs::create_dir_all(crib.path("crib/sub")).unwrap();
    fs::create_dir_all(crib.path("crib/data")).unwrap();
    for file in ["sub/secret", "sub/open", "data/file"] {
        fs::write(crib.path("crib").join(file), "content").unwrap();
    }
}

#[tokio::test]
async fn a_link_does_not_avoid_a_policy_about_its_target() {
    let crib = RuntimeFixture::new();
    create_files(&crib);
    symlink("sub/secret", crib.path("crib/link")).unwrap();
    let deny = || policy("args.path.startsWith('sub/secret')", Effect::Deny);
    assert_eq!(kind(&crib, &reader(), json!({"path": "link"}), deny()).await, "denied");
    assert_eq!(kind(&crib, &reader(), json!({"path": "sub/open"}), deny()).await, "ok");
    let any = || policy("args.path.exists(p, p.startsWith('sub/secret'))", Effect::Deny);
    assert_eq!(
        kind(&crib, &reader(), json!({"path": ["sub/open", "link"]}), any()).await,
        "denied"
    );
}

#[tokio::test]
async fn a_link_does_not_hide_behind_a_policy_about_its_target() {
    let crib = RuntimeFixture::new();
    create_files(&crib);
    symlink("sub/open", crib.path("crib/keep")).unwrap();
    let deny = policy("args.path == 'keep'", Effect::Deny);
    assert_eq!(kind(&crib, &reader(), json!({"path": "keep"}), deny).await, "denied");
}

#[tokio::test]
async fn a_link_does_not_widen_a_policy() {
    let crib = RuntimeFixture::new();
    create_files(&crib);
    symlink("../data/file", crib.path("crib/sub/link")).unwrap();
    let mut tool = reader();
    tool.annotations.dangerous = Some(true);
    let allow = || policy("args.path.startsWith('sub/')", Effect::Allow);
    assert_eq!(kind(&crib, &tool, json!({"path": "sub/open"}), allow()).await, "ok");
    let outside = kind(&crib, &tool, json!({"path": "sub/link"}), allow()).await;
    assert_eq!(outside, "approval_required");
}

/// Tools of every kind that take a path.
fn tools() -> Vec<(&'static str, Tool)> {
    let path = json!({"type": "string", "format": "path"});
    let input = schema(json!({"type": "object", "properties": {"path": path}}));
    let python = PythonFunction {
        module: "bench".to_owned(),
        function: "read".to_owned(),
        path: vec!["lib".to_owned()],
    };
    let r = RFunction {
        package: "base".to_owned(),
        function: "file.exists".to_owned(),
        sources: None,
        formals: vec![Formal { parameter: "path".to_owned(), encoding: Encoding::Any }],
    };
    let with = |implementation| Tool { implementation, ..process_tool("cat", vec![]) };
    let mut tools = vec![
        ("process", reader()),
        ("json", process_tool("cat", vec![Piece::Json])),
        ("python", with(Implementation::Python(python))),
        ("r", with(Implementation::R(r))),
    ];
    for (kind, tool) in &mut tools {
        tool.annotations.dangerous = Some(true);
        if *kind != "process" {
            tool.input = input.clone();
        }
    }
    tools
}

#[tokio::test]
async fn an_approval_covers_the_target_of_a_link() {
    for (kind, tool) in tools() {
        if kind == "r" && !testing::has_programs(&["R"]) {
            continue;
        }
        let crib = RuntimeFixture::new();
        let ask = || run(&crib, call(&tool, json!({"path": "current"}), context_without_user()));
        for name in ["old", "new"] {
            fs::write(crib.path("crib").join(name), name).unwrap();
        }
        symlink("old", crib.path("crib/current")).unwrap();
        let refused = ask().await;
        let id = approval(&refused);
        let shown = &field(&refused, "error_details")["plan"]["links"];
        assert_eq!(*shown, json!([{"path": "current", "target": crib.path("crib/old")}]), "{kind}");
        record_decision(&crib, id.clone(), true).await;
        fs::remove_file(crib.path("crib/current")).unwrap();
        symlink("new", crib.path("crib/current")).unwrap();
        let refused = ask().await;
        assert_ne!(approval(&refused), id, "{kind}");
        let message = field(&refused, "error_message").as_str().unwrap();
        assert!(message.contains("since it was approved: targets of paths;"), "{kind}: {message}");
    }
}
