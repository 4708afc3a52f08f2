//! The R Markdown tools that list, read, change, outline, check and delete documents.

use std::sync::Arc;

use builtin::rmd::Ability;
use serde_json::{Value, json};
use testing::text;
use toolkit::{Content, Context, Toolset, ToolsetOptions};

use crate::rmd_fixture::RmdFixture;

const REPORT: &str = "---\ntitle: Report\nparams:\n  year: 2026\n---\n\n# One\n\n```{r setup, include=FALSE}\nx <- 1\n```\n\n## Two\n";

#[tokio::test]
async fn lists_documents_and_outputs() {
    let fixture = RmdFixture::new()
        .file("a.Rmd", REPORT)
        .file("2026/b.qmd", "")
        .file("output/2026/b.pdf", "%PDF");
    let all = fixture.call("list_rmd", json!({})).await;
    assert_eq!(
        all["documents"][1],
        json!({"filename": "a.Rmd", "title": "Report", "uri": "rmd:///a.Rmd", "size": REPORT.len()})
    );
    let some = fixture.outcome("list_rmd", json!({"folder": "2026/"})).await;
    assert_eq!(text(&some, 0), "2026/b.qmd\nrmd-output:///2026/b.pdf (4 bytes)");
    assert_eq!(
        text(&RmdFixture::new().outcome("list_rmd", json!({})).await, 0),
        "there are no documents yet; `create_rmd` creates one"
    );
}

#[tokio::test]
async fn reads_a_range_of_lines() {
    let fixture = RmdFixture::new().file("a.Rmd", REPORT);
    let outcome =
        fixture.outcome("read_rmd", json!({"filename": "a", "start_line": 7, "end_line": 9})).await;
    assert_eq!(text(&outcome, 0), "# One\n\n```{r setup, include=FALSE}\n");
    let value = outcome.structured.expect("an envelope")["value"].take();
    assert_eq!(
        (&value["filename"], &value["lines"], &value["end_line"]),
        (&json!("a.Rmd"), &json!(13), &json!(9))
    );
    assert_eq!(fixture.call("read_rmd", json!({"filename": "a.Rmd"})).await["text"], REPORT);
    assert_eq!(
        fixture.failure("read_rmd", json!({"filename": "a", "start_line": 14})).await.0,
        "invalid_range"
    );
    assert_eq!(
        fixture.failure("read_rmd", json!({"filename": "b"})).await,
        ("not_found".into(), "R Markdown file not found: b.Rmd".into())
    );
    assert_eq!(
        fixture.failure("read_rmd", json!({"filename": "../secret"})).await.0,
        "invalid_filename"
    );
}

#[tokio::test]
async fn finds_a_document_without_extension() {
    let fixture = RmdFixture::new().file("q.qmd", "quarto").file("my notes.rmd", "notes");
    assert_eq!(fixture.call("read_rmd", json!({"filename": "q"})).await["filename"], "q.qmd");
    assert_eq!(fixture.call("read_rmd", json!({"filename": "my notes"})).await["text"], "notes");
}

#[tokio::test]
async fn reads_a_long_document_in_parts() {
    let fixture = RmdFixture::new().file("a.Rmd", "0123456789\n".repeat(40_000));
    let first = fixture.call("read_rmd", json!({"filename": "a"})).await;
    let end = first["end_line"].as_u64().expect("a line");
    assert!(end < 40_000 && first["text"].as_str().expect("a text").len() <= 200_000);
    let next = fixture.call("read_rmd", json!({"filename": "a", "start_line": end + 1})).await;
    assert_eq!(next["start_line"], end + 1);
}

#[tokio::test]
async fn changes_only_the_version_that_was_read() {
    let fixture = RmdFixture::new().file("a.Rmd", "one\ntwo\nthree\n");
    let update = |more: Value| {
        let mut arguments = json!({"filename": "a", "content": "new"});
        arguments
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        arguments
    };
    let mut failures = Vec::new();
    for more in [
        json!({}),
        json!({"expected_hash": "x"}),
        json!({"old_text": "four"}),
        json!({"old_text": "o"}),
        json!({"old_text": "one", "start_line": 1}),
    ] {
        let (kind, message) = fixture.failure("update_rmd", update(more)).await;
        failures.push(format!("{kind}: {message}"));
    }
    insta::assert_snapshot!(failures.join("\n"), @r"
    invalid_arguments: `expected_hash` is required unless `old_text` is given; get it from `read_rmd`
    conflict: `a.Rmd` has changed: its hash is `b6285c57e8797db5d4c51c80d6f11938afda9b11c6a003549709189e9b4b92a2`; read it again
    conflict: `old_text` is not in `a.Rmd`; read it again
    conflict: `old_text` is in `a.Rmd` 2 times; pass more of the surrounding text
    invalid_arguments: pass `old_text` or lines, not both
    ");
    assert_eq!(fixture.text("a.Rmd"), "one\ntwo\nthree\n");
    let outcome = fixture.outcome("update_rmd", update(json!({"old_text": "two"}))).await;
    assert_eq!(text(&outcome, 0), "Updated R Markdown file: a.Rmd");
    assert!(matches!(&outcome.content[1], Content::Link { uri, .. } if uri == "rmd:///a.Rmd"));
    let hash = outcome.structured.expect("an envelope")["value"]["hash"].take();
    assert_eq!(fixture.text("a.Rmd"), "one\nnew\nthree\n");
    let lines = update(json!({"start_line": 1, "end_line": 2, "expected_hash": hash}));
    let hash = fixture.call("update_rmd", lines).await["hash"].take();
    assert_eq!(fixture.text("a.Rmd"), "new\nthree\n");
    fixture.call("update_rmd", update(json!({"expected_hash": hash}))).await;
    assert_eq!(fixture.text("a.Rmd"), "new");
    assert_eq!(
        fixture
            .failure("update_rmd", json!({"filename": "none", "content": "x", "old_text": "y"}))
            .await
            .0,
        "not_found"
    );
}

#[tokio::test]
async fn outlines_headings_and_chunks() {
    let fixture = RmdFixture::new().file("a.Rmd", REPORT);
    let outcome = fixture.outcome("outline_rmd", json!({"filename": "a"})).await;
    insta::assert_snapshot!(text(&outcome, 0), @r"
    7: # One
    9: {r setup} to line 11
    13: ## Two
    ");
    let value = outcome.structured.expect("an envelope")["value"].take();
    assert_eq!(value["title"], "Report");
    let chunk = json!({
        "engine": "r", "label": "setup", "start_line": 9, "end_line": 11, "options": [{"name": "include", "value": "FALSE"}],
    });
    assert_eq!(value["chunks"], json!([chunk]));
}

#[tokio::test]
async fn validates_without_running() {
    let text = "---\ntitle: x\n---\n\n```{r a}\nplot(cars\n```\n\n```{r a, child=\"part.Rmd\"}\n```\n\n![](img/no.png) ![](img/yes.png)\n";
    let fixture = RmdFixture::new()
        .file("sub/a.Rmd", text)
        .file("sub/img/yes.png", "")
        .file("good.Rmd", REPORT);
    let outcome = fixture.outcome("validate_rmd", json!({"filename": "sub/a"})).await;
    insta::assert_snapshot!(testing::text(&outcome, 0), @r"
    sub/a.Rmd:6: error: syntax error at `plot(cars` [TC857]; check for a missing bracket, quote or comma here or above
    sub/a.Rmd:9: error: the chunk on line 5 has the label `a` too [TC854]; rename or remove one of the labels
    sub/a.Rmd:9: warning: the file `part.Rmd` does not exist [TC858]; use a path relative to this document, inside the folder of documents
    sub/a.Rmd:12: warning: the file `img/no.png` does not exist [TC858]; use a path relative to this document, inside the folder of documents
    ");
    let value = outcome.structured.expect("an envelope")["value"].take();
    assert_eq!(
        (&value["valid"], &value["errors"], &value["warnings"]),
        (&json!(false), &json!(2), &json!(2))
    );
    assert!(!outcome.failed, "findings are not a failure");
    assert_eq!(fixture.call("validate_rmd", json!({"filename": "good"})).await["valid"], true);
}

#[tokio::test]
async fn files_in_data_folders_exist() {
    let data = tempfile::tempdir().expect("a folder");
    let plots = data.path().join("plots");
    std::fs::create_dir(&plots).expect("a folder");
    std::fs::write(plots.join("a.png"), "").expect("a file");
    std::fs::write(data.path().join("b.png"), "").expect("a file");
    let text =
        "---\ntitle: x\n---\n\n![](../plots/a.png) ![](../plots/../b.png) ![](../../b.png)\n";
    let fixture = RmdFixture::with_data(plots).file("sub/a.Rmd", text);
    let outcome = fixture.outcome("validate_rmd", json!({"filename": "sub/a"})).await;
    insta::assert_snapshot!(testing::text(&outcome, 0), @r"
    sub/a.Rmd:5: warning: the file `../plots/../b.png` does not exist [TC858]; use a path relative to this document, inside the folder of documents
    sub/a.Rmd:5: warning: the file `../../b.png` does not exist [TC858]; use a path relative to this document, inside the folder of documents
    ");
}

#[tokio::test]
async fn deleting_needs_approval() {
    let fixture = RmdFixture::new().file("a.Rmd", "a");
    assert_eq!(
        fixture.failure("delete_rmd", json!({"filename": "a"})).await.0,
        "approval_required"
    );
    let delete = fixture
        .documents
        .natives()
        .into_iter()
        .find(|native| native.tool.name == "delete_rmd")
        .expect("the tool");
    let arguments = |hash: &str| {
        json!({"filename": "a", "expected_hash": hash}).as_object().expect("an object").clone()
    };
    let rejected =
        delete.handler.call(arguments("x"), fixture.context()).await.expect("an outcome");
    assert!(rejected.failed && fixture.path("a.Rmd").exists());
    let hash = fixture.call("read_rmd", json!({"filename": "a"})).await["hash"]
        .as_str()
        .expect("a hash")
        .to_owned();
    let done = delete.handler.call(arguments(&hash), fixture.context()).await.expect("an outcome");
    assert_eq!(text(&done, 0), "Deleted R Markdown file: a.Rmd");
    assert!(!fixture.path("a.Rmd").exists());
}

#[tokio::test]
async fn doctor_reports_its_findings() {
    let runtime = runtime::Runtime::new(runtime::Settings::new(".".into()));
    let handles = builtin::Handles {
        operations: runtime.operations(),
        outputs: runtime.output_reader(),
        guide: None,
        documents: None,
        renderer: None,
        doctor: Some(Arc::new(|| {
            let ability = Ability {
                name: "pandoc".into(),
                ok: false,
                detail: "not found".into(),
                hint: Some("install it".into()),
            };
            Box::pin(std::future::ready(vec![ability]))
        })),
        flags: None,
        checker: None,
    };
    let natives: Toolset = builtin::toolset(&handles);
    let natives = natives.build(&ToolsetOptions::default()).expect("tools");
    let doctor = natives.iter().find(|native| native.tool.name == "doctor").expect("the tool");
    let context = Context::detached(tokio_util::sync::CancellationToken::new());
    let outcome = doctor.handler.call(serde_json::Map::new(), context).await.expect("an outcome");
    assert_eq!(text(&outcome, 0), "missing pandoc: not found; install it");
}
