//! `create_rmd`, and R Markdown documents as resources.

use std::{collections::HashMap, fs, os::unix::fs::symlink, sync::Arc};

use serde_json::{Value, json};
use testing::text;
use toolkit::{Body, Content, Interrupt};

use crate::rmd_fixture::RmdFixture;

fn example(more: Value) -> Value {
    let mut arguments =
        json!({"filename": "example", "title": "Example R Markdown", "content": "Text.\n"});
    arguments
        .as_object_mut()
        .expect("an object")
        .extend(more.as_object().expect("an object").clone());
    arguments
}

#[tokio::test]
async fn creates_a_document_with_extension_title_and_link() {
    let fixture = RmdFixture::new();
    let outcome = fixture.outcome("create_rmd", example(json!({}))).await;
    assert_eq!(text(&outcome, 0), "Created R Markdown file: example.Rmd");
    let link = Content::Link {
        uri: "rmd:///example.Rmd".to_owned(),
        name: "example.Rmd".to_owned(),
        mime_type: "text/markdown".to_owned(),
    };
    assert_eq!(outcome.content[1..], [link]);
    assert_eq!(fixture.text("example.Rmd"), "---\ntitle: Example R Markdown\n---\n\nText.\n");
    let value = &outcome.structured.expect("an envelope")["value"];
    assert_eq!(
        (&value["filename"], &value["title_from"]),
        (&json!("example.Rmd"), &json!("argument"))
    );
    assert_eq!(value["hash"].as_str().map(str::len), Some(64));
}

#[test]
fn has_the_documented_arguments() {
    let fixture = RmdFixture::new();
    let create = fixture.natives.tool("create_rmd");
    let schema = Value::Object(create.input.object().as_ref().clone());
    assert_eq!(schema["required"], json!(["filename", "title", "content"]));
    let documented = json!({
        "filename": {"type": "string", "description": "Filename for the R Markdown file (without extension)"},
        "title": {"type": "string", "description": "Title for the R Markdown document"},
        "content": {"type": "string", "description": "Content of the R Markdown file"},
    });
    for (name, property) in documented.as_object().expect("an object") {
        assert_eq!(&schema["properties"][name], property);
    }
    assert_eq!(create.annotations.mutates, Some(true));
}

#[tokio::test]
async fn quotes_titles_in_front_matter() {
    let fixture = RmdFixture::new();
    for (n, title) in [
        "say \"hi\": it's 5 o'clock",
        "- a list?",
        "two\nlines",
        "größe 日本 🎉",
        "yes",
        "# no comment",
        "a\\b",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("t{n}");
        fixture.call("create_rmd", json!({"filename": name, "title": title, "content": "x"})).await;
        let values = formats::rmd::read_front_matter(&fixture.text(&format!("{name}.Rmd")));
        assert!(matches!(&values, Ok(Some(values)) if values["title"] == title), "{values:?}");
    }
}

#[tokio::test]
async fn keeps_a_title_in_the_content_with_a_warning() {
    let fixture = RmdFixture::new();
    let content = "---\ntitle: 'Own'\noutput: html_document\n---\ntext";
    let outcome = fixture.outcome("create_rmd", example(json!({"content": content}))).await;
    assert_eq!(fixture.text("example.Rmd"), content);
    let value = outcome.structured.expect("an envelope")["value"].take();
    assert_eq!((&value["title"], &value["title_from"]), (&json!("Own"), &json!("content")));
    assert_eq!(
        value["warnings"],
        json!(["kept the title `Own` of the content instead of `Example R Markdown`"])
    );
    assert_eq!(outcome.content.len(), 3, "models see the warning too");
    for (name, title) in [("c", "title: \"\""), ("d", "title:"), ("e", "title: ~")] {
        let given =
            json!({"filename": name, "content": format!("---\n{title}\nauthor: me\n---\ntext")});
        let created = fixture.call("create_rmd", example(given)).await;
        assert_eq!(
            (&created["title"], &created["warnings"]),
            (&json!("Example R Markdown"), &Value::Null),
            "{title}"
        );
        assert_eq!(
            fixture.text(&format!("{name}.Rmd")),
            "---\ntitle: Example R Markdown\nauthor: me\n---\ntext"
        );
    }
    let untitled = json!({"filename": "b", "content": "---\nauthor: me\n---\ntext"});
    fixture.call("create_rmd", example(untitled)).await;
    assert_eq!(fixture.text("b.Rmd"), "---\ntitle: Example R Markdown\nauthor: me\n---\ntext");
}

#[tokio::test]
async fn keeps_invalid_front_matter_with_a_warning() {
    let fixture = RmdFixture::new();
    let content = "---\ntitle: \"open\n---\ntext";
    let value = fixture.call("create_rmd", example(json!({"content": content}))).await;
    assert_eq!(fixture.text("example.Rmd"), content);
    assert!(
        value["warnings"][0]
            .as_str()
            .expect("a warning")
            .starts_with("did not set the title, because the front matter is invalid: line "),
        "{value}"
    );
    let listed = fixture.documents.resources().list().await;
    assert_eq!(listed[0].name, "example.Rmd", "a list falls back to the file's name");
}

#[tokio::test]
async fn overwrites_only_on_request() {
    let fixture = RmdFixture::new();
    let first = fixture.call("create_rmd", example(json!({}))).await;
    let (kind, message) = fixture.failure("create_rmd", example(json!({"content": "other"}))).await;
    assert_eq!(kind, "already_exists");
    assert_eq!(message, "`example.Rmd` already exists; pass `overwrite: true` to replace it");
    let wrong = example(json!({"content": "other", "expected_hash": "0".repeat(64)}));
    assert_eq!(fixture.failure("create_rmd", wrong).await.0, "conflict");
    assert!(fixture.text("example.Rmd").ends_with("Text.\n"));
    let right = example(json!({"content": "other", "expected_hash": first["hash"]}));
    let second = fixture.call("create_rmd", right).await;
    assert_eq!(
        (second["replaced"].as_bool(), second["hash"] == first["hash"]),
        (Some(true), false)
    );
    fixture.call("create_rmd", example(json!({"content": "third", "overwrite": true}))).await;
    assert!(fixture.text("example.Rmd").ends_with("third"));
    let absent = example(json!({"filename": "new", "expected_hash": first["hash"]}));
    assert_eq!(
        fixture.failure("create_rmd", absent).await.0,
        "not_found",
        "a hash requires an existing document"
    );
}

#[tokio::test]
async fn ignores_folders_and_broken_links() {
    let fixture = RmdFixture::new();
    fs::create_dir_all(fixture.path("folder.Rmd")).expect("a folder");
    let created = std::process::Command::new("mkfifo").arg(fixture.path("pipe.Rmd")).status();
    assert!(created.is_ok_and(|status| status.success()), "a pipe");
    std::os::unix::fs::symlink("b.Rmd", fixture.path("a.Rmd")).expect("a link");
    std::os::unix::fs::symlink("a.Rmd", fixture.path("b.Rmd")).expect("a loop");
    for name in ["folder", "pipe", "a"] {
        assert_eq!(
            fixture.failure("read_rmd", json!({"filename": name})).await.0,
            "not_found",
            "{name}"
        );
        assert_eq!(fixture.read(&format!("rmd:///{name}.Rmd")).await, None, "{name}");
    }
    assert!(fixture.documents.resources().list().await.is_empty(), "not listed either");
}

#[tokio::test]
async fn removes_abandoned_temporary_files() {
    let left = [".a.Rmd.toolcrib", ".b.Rmd.toolcrib", ".notes", "sub/.a.html.toolcrib"];
    let fixture = left.iter().fold(RmdFixture::new(), |fixture, path| fixture.file(path, "half"));
    // As a server does that is writing it now.
    let written = fs::File::open(fixture.path(".b.Rmd.toolcrib")).expect("a file");
    written.lock().expect("a lock");
    fixture.call("list_rmd", json!({})).await;
    let remaining = left.map(|path| fixture.path(path).exists());
    assert_eq!(remaining, [false, true, true, false], "only those of dead processes");
}

#[tokio::test]
async fn one_of_concurrent_creates_wins() {
    let fixture = Arc::new(RmdFixture::new());
    let calls = (0..16).map(|n| {
        let fixture = Arc::clone(&fixture);
        tokio::spawn(async move {
            fixture
                .outcome("create_rmd", example(json!({"content": format!("by {n}")})))
                .await
                .failed
        })
    });
    let mut lost = 0;
    for call in calls.collect::<Vec<_>>() {
        lost += usize::from(call.await.expect("an outcome"));
    }
    assert_eq!(lost, 15);
    let left: Vec<_> = fs::read_dir(fixture.path(""))
        .expect("the folder")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(left, ["example.Rmd"], "no temporary file remains");
}

#[tokio::test]
async fn rejects_unsafe_names() {
    let fixture = RmdFixture::new();
    for name in [
        "../secret",
        "/tmp/x",
        "a/../../x",
        "a\\..\\x",
        "my report",
        "a\"b",
        "a\nb",
        ".hidden",
        "-x",
        "output/x",
    ] {
        let (kind, _) = fixture
            .failure("create_rmd", example(json!({"filename": name, "overwrite": true})))
            .await;
        assert_eq!(kind, "invalid_filename", "{name:?}");
    }
    assert!(!fixture.path("").exists());
}

#[tokio::test]
async fn links_cannot_leave_the_folder() {
    let fixture = RmdFixture::new().file("a.Rmd", "a");
    symlink(fixture.path("../secret.Rmd"), fixture.path("link.Rmd")).expect("a link");
    symlink(fixture.path(".."), fixture.path("up")).expect("a link");
    symlink("a.Rmd", fixture.path("inside.Rmd")).expect("a link");
    let uris: Vec<_> =
        fixture.documents.resources().list().await.into_iter().map(|one| one.uri).collect();
    assert_eq!(uris, ["rmd:///a.Rmd", "rmd:///inside.Rmd"]);
    for uri in [
        "rmd:///link.Rmd",
        "rmd:///up/secret.Rmd",
        "rmd:///../secret.Rmd",
        "rmd:///%2E%2E/secret.Rmd",
    ] {
        assert_eq!(fixture.read(uri).await, None, "{uri}");
    }
    let (kind, why) = fixture.failure("create_rmd", example(json!({"filename": "up/new"}))).await;
    assert_eq!(kind, "storage_error", "{why}");
    fixture.call("create_rmd", example(json!({"filename": "link", "overwrite": true}))).await;
    let secret = fs::read_to_string(fixture.path("../secret.Rmd")).expect("the file");
    assert_eq!(secret, "---\ntitle: Secret\n---\n", "the link was replaced, not its target");
}

#[tokio::test]
async fn rejects_large_documents_and_lists_them_unread() {
    let fixture = RmdFixture::new()
        .file("huge.Rmd", "---\ntitle: Huge\n---\n".to_owned() + &"x".repeat(50_000_000));
    let content = "x".repeat(10_000_001);
    assert_eq!(
        fixture.failure("create_rmd", example(json!({"content": content}))).await.0,
        "too_large"
    );
    let listed = fixture.documents.resources().list().await;
    assert_eq!((listed[0].name.as_str(), listed[0].size), ("Huge", Some(50_000_020)));
    let read = fixture.documents.resources().read("rmd:///huge.Rmd", fixture.context()).await;
    assert!(
        matches!(read, Err(Interrupt::Invalid(why)) if why.contains("the maximum is 10000000"))
    );
    let small = RmdFixture::with_largest(100);
    assert_eq!(
        small.failure("create_rmd", example(json!({"content": "x".repeat(100)}))).await.0,
        "too_large"
    );
}

#[tokio::test]
async fn lists_documents_and_outputs_as_resources() {
    let fixture = RmdFixture::new()
        .file("example.Rmd", "---\ntitle: 'Example R Markdown'\n---\n")
        .file("plain.rmd", "no front matter, title: \"none\"")
        .file("2026/q1.qmd", "---\ntitle: \"Q1: 'good'\"\n---\n")
        .file("my report.Rmd", "")
        .file("notes.txt", "")
        .file(".hidden.Rmd", "")
        .file("output/example.html", "<p>")
        .file("output/2026/q1.pdf", b"%PDF-1.7\xff")
        .file("output/example.docx", b"PK\x03\x04")
        .file("output/example_files/x.png", b"x");
    let listed = fixture.documents.resources().list().await;
    let shown: Vec<_> = listed
        .iter()
        .map(|one| {
            format!(
                "{} | {} | {} | {}",
                one.uri,
                one.mime_type,
                one.name,
                one.description.as_deref().unwrap_or_default()
            )
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r"
    rmd:///2026/q1.qmd | text/markdown | Q1: 'good' | R Markdown file: Q1: 'good'
    rmd:///example.Rmd | text/markdown | Example R Markdown | R Markdown file: Example R Markdown
    rmd:///my%20report.Rmd | text/markdown | my report.Rmd | R Markdown file: my report.Rmd
    rmd:///plain.rmd | text/markdown | plain.rmd | R Markdown file: plain.rmd
    rmd-output:///2026/q1.pdf | application/pdf | Rendered: 2026/q1.pdf | Rendered output: 2026/q1.pdf
    rmd-output:///example.docx | application/vnd.openxmlformats-officedocument.wordprocessingml.document | Rendered: example.docx | Rendered output: example.docx
    rmd-output:///example.html | text/html | Rendered: example.html | Rendered output: example.html
    ");
    for one in &listed {
        assert!(fixture.read(&one.uri).await.is_some(), "{}", one.uri);
    }
    let pdf = fixture.read("rmd-output:///2026/q1.pdf").await.expect("an output");
    assert_eq!(
        pdf,
        ("application/pdf".to_owned(), Body::Bytes(b"%PDF-1.7\xff".to_vec())),
        "byte for byte"
    );
    let html = fixture.read("rmd-output:///example.html").await.expect("an output");
    assert_eq!(html, ("text/html".to_owned(), Body::Text("<p>".to_owned())));
}

#[tokio::test]
async fn missing_resources_and_invalid_uris_are_unknown() {
    let fixture = RmdFixture::new().file("a.Rmd", "a");
    for uri in [
        "rmd:///b.Rmd",
        "rmd:///a",
        "rmd://a.Rmd",
        "rmd-output:///a.html",
        "rmd-output:///../a.Rmd",
        "file:///etc/passwd",
    ] {
        assert_eq!(fixture.read(uri).await, None, "{uri}");
    }
}

#[tokio::test]
async fn lists_are_up_to_date() {
    let fixture = RmdFixture::new().file("a.Rmd", "---\ntitle: One\n---\n");
    let names = async |fixture: &RmdFixture| -> Vec<String> {
        fixture.documents.resources().list().await.into_iter().map(|one| one.name).collect()
    };
    assert_eq!(names(&fixture).await, ["One"]);
    let fixture = fixture.file("a.Rmd", "---\ntitle: Two\n---\n").file("b.Rmd", "");
    assert_eq!(names(&fixture).await, ["Two", "b.Rmd"]);
    fs::remove_file(fixture.path("a.Rmd")).expect("a file");
    assert_eq!(names(&fixture).await, ["b.Rmd"]);
}

#[tokio::test]
async fn completes_names() {
    let fixture = RmdFixture::new()
        .file("report.Rmd", "")
        .file("2026/q1.qmd", "")
        .file("output/report.html", "");
    let provider = fixture.documents.resources();
    let templates: Vec<_> =
        provider.templates().into_iter().map(|template| template.uri_template).collect();
    assert_eq!(templates, ["rmd:///{name}", "rmd-output:///{name}"]);
    let complete =
        async |template, value| provider.complete(template, "name", value, &HashMap::new()).await;
    assert_eq!(
        complete("rmd:///{name}", "").await,
        Some(vec!["2026/q1.qmd".to_owned(), "report.Rmd".to_owned()])
    );
    assert_eq!(complete("rmd:///{name}", "re").await, Some(vec!["report.Rmd".to_owned()]));
    assert_eq!(complete("rmd-output:///{name}", "r").await, Some(vec!["report.html".to_owned()]));
    assert_eq!(complete("other:///{name}", "r").await, None);
}

#[test]
fn maps_files_to_uris() {
    let fixture = RmdFixture::new();
    let told = |path: &str| fixture.documents.uri_of_file(&fixture.path(path));
    assert_eq!(told("a/b.Rmd").as_deref(), Some("rmd:///a/b.Rmd"));
    assert_eq!(told("output/a/b.html").as_deref(), Some("rmd-output:///a/b.html"));
    for path in ["a.txt", ".a.Rmd.toolcrib", "../secret.Rmd", "output/x.Rmd"] {
        assert_eq!(told(path), None, "{path}");
        assert!(!fixture.documents.may_be_folder(&fixture.path(path)), "{path}");
    }
    assert!(fixture.documents.may_be_folder(&fixture.path("2026/drafts")));
}

#[tokio::test]
async fn serves_nothing_if_not_enabled() {
    let fixture = RmdFixture::new().file("a.Rmd", "a");
    fixture.documents.replace(None);
    assert_eq!(fixture.documents.resources().list().await, []);
    assert_eq!(fixture.documents.resources().templates(), []);
    assert_eq!(fixture.read("rmd:///a.Rmd").await, None);
    assert_eq!(fixture.failure("create_rmd", example(json!({}))).await.0, "not_enabled");
}

#[tokio::test]
async fn a_document_folder_that_was_replaced_by_a_link_is_neither_read_nor_written() {
    for is_moved in [true, false] {
        let fixture = RmdFixture::new().file("a.Rmd", "own");
        let settings = fixture.documents.store().map(|store| store.settings().clone());
        // Loaded again, now that the folder exists.
        fixture.documents.replace(None);
        fixture.documents.replace(settings);
        let folder = fixture.path("");
        let parent = folder.parent().expect("a parent").to_owned();
        if is_moved {
            fs::rename(&folder, parent.join("moved")).expect("a folder");
        } else {
            fs::remove_dir_all(&folder).expect("a folder");
        }
        fs::create_dir(parent.join("outside")).expect("a folder");
        fs::write(parent.join("outside/secret.Rmd"), "secret").expect("a file");
        symlink(parent.join("outside"), parent.join("rmd")).expect("a link");
        let (error, _) = fixture.failure("read_rmd", json!({"filename": "secret"})).await;
        assert_eq!(error, "not_found");
        let create = fixture.outcome("create_rmd", example(json!({}))).await;
        let update = json!({"filename": "secret", "content": "x"});
        assert!(fixture.outcome("update_rmd", update).await.failed);
        assert_eq!(!create.failed, is_moved, "{create:?}");
        let names: Vec<_> = fs::read_dir(parent.join("outside")).expect("entries").collect();
        assert_eq!(names.len(), 1, "{names:?}");
        assert_eq!(
            fs::read_to_string(parent.join("outside/secret.Rmd")).expect("a file"),
            "secret"
        );
    }
}
