//! Documents from a client's call to a finished report, with the real things.

mod answers;
mod containers;

use std::{env, fs, path::Path, process::Command};

use serde_json::{Value, json};
use testing::{SmallDisk, StdioClient, TempCrib, repository, request, skip_without, toolcrib_path};

const LOCAL: &str = "[documents]\nenabled = true\nbackend = \"local\"\nallow_local = true\n";

/// The content of the document that the usage examples make.
const EXAMPLE: &str = "---\ntitle: \"Example R Markdown\"\nauthor: \"R-Server\"\ndate: \"`r Sys.Date()`\"\noutput: html_document\n---\n\n## R Markdown Example\n\nThis is an example R Markdown file.\n\n```{r}\nplot(cars)\n```\n\n## Summary Statistics\n\n```{r}\nsummary(cars)\n```";

fn create(client: &mut StdioClient, filename: &str, content: &str) {
    let made =
        client.call("create_rmd", json!({"filename": filename, "title": "T", "content": content}));
    assert_ne!(made["isError"], true, "{made}");
}

fn pdf_text(path: &Path) -> String {
    let output = Command::new("pdftotext").arg(path).arg("-").output().expect("pdftotext");
    assert!(output.status.success(), "{} does not open", path.display());
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_document_is_rendered_and_read_back_as_a_resource() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let mut client = StdioClient::start(&crib, &[]);
    create(&mut client, "example", EXAMPLE);
    let rendered = client.call("render_rmd", json!({"filename": "example", "format": "html"}));
    assert_eq!(
        rendered["content"][0],
        json!({"type": "text", "text": "Successfully rendered example.Rmd to example.html"})
    );
    let value = &rendered["structuredContent"]["value"];
    assert_eq!(
        (&value["backend"], &value["cached"], &value["uri"]),
        (&json!("local"), &json!(false), &json!("rmd-output:///example.html"))
    );
    assert!(value["versions"]["rmarkdown"].is_string(), "{value}");
    let link = rendered["content"]
        .as_array()
        .expect("content")
        .iter()
        .find(|piece| piece["type"] == "resource_link");
    assert_eq!(link.expect("a link")["uri"], "rmd-output:///example.html");
    let read = client.request("resources/read", json!({"uri": "rmd-output:///example.html"}));
    let page = read["result"]["contents"][0]["text"].as_str().expect("a page");
    assert!(page.contains("Summary Statistics") && page.contains("data:image/png;base64,"));
    let content = rendered["content"].as_array().expect("content");
    let file = crib.root().join("rmd/output/example.html");
    assert_eq!(content[1]["text"], format!("File: {}", file.display()));
    assert_eq!(value["path"], file.display().to_string());
    assert!(
        content[2]["text"].as_str().is_some_and(|text| text.contains("Summary Statistics")),
        "{}",
        content[2]
    );
    assert_eq!(
        (&content[3]["type"], &content[3]["mimeType"]),
        (&json!("image"), &json!("image/png"))
    );
}

#[test]
fn renders_again_only_if_a_readable_file_changes() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib =
        TempCrib::new().file("toolcrib.toml", LOCAL).file("rmd/parts/child.Rmd", "Part one.\n");
    let mut client = StdioClient::start(&crib, &[]);
    create(&mut client, "plain", "Text.\n");
    create(&mut client, "parent", "```{r, child = 'parts/child.Rmd'}\n```\n");
    let mut cached = |name: &str| {
        let rendered = client.call("render_rmd", json!({"filename": name}));
        rendered["structuredContent"]["value"]["cached"].as_bool().expect("a result")
    };
    assert!(!cached("plain") && !cached("parent"));
    crib.write("rmd/elsewhere.Rmd", "Something else.\n");
    assert!(cached("plain") && cached("parent"), "neither reads the new document");
    crib.write("rmd/parts/child.Rmd", "Part two.\n");
    assert!(cached("plain") && !cached("parent"), "one of them reads that");
    assert!(
        fs::read_to_string(crib.root().join("rmd/output/parent.html"))
            .expect("a page")
            .contains("Part two.")
    );
    crib.write("rmd/data.csv", "a,b\n");
    assert!(!cached("plain") && !cached("parent"), "either may read data");
}

#[test]
fn a_terminal_call_prints_the_uri_of_the_document() {
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let made = crib.run(&[
        "call",
        "create_rmd",
        "--args",
        r#"{"filename": "a", "title": "A", "content": "text"}"#,
    ]);
    assert_eq!(
        (made.stdout.trim(), made.stderr.trim()),
        ("Created R Markdown file: a.Rmd", "a.Rmd: rmd:///a.Rmd")
    );
}

#[test]
fn output_names_include_subfolders_and_formats() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL).file("rmd/data/n.txt", "forty-two");
    let mut client = StdioClient::start(&crib, &[]);
    create(&mut client, "2026/q1", "It is `r readLines('../data/n.txt')`.\n");
    let rendered = client.call("render_rmd", json!({"filename": "2026/q1.Rmd", "format": "pdf"}));
    assert_eq!(
        rendered["content"][0]["text"], "Successfully rendered 2026/q1.Rmd to 2026/q1.pdf",
        "{rendered}"
    );
    assert!(pdf_text(&crib.root().join("rmd/output/2026/q1.pdf")).contains("forty-two"));
    let beside: Vec<_> =
        fs::read_dir(crib.root().join("rmd/2026")).expect("a folder").flatten().collect();
    assert_eq!(beside.len(), 1, "nothing is left beside the document");
}

#[test]
fn a_failed_render_reports_its_location_and_keeps_the_last_output() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let mut client = StdioClient::start(&crib, &[]);
    create(&mut client, "a", "Good.\n");
    client.call("render_rmd", json!({"filename": "a"}));
    let before = fs::read(crib.root().join("rmd/output/a.html")).expect("a page");
    crib.write("rmd/a.Rmd", "One.\n\n```{r bad}\nstop('oops')\n```\n");
    let failed = client.call("render_rmd", json!({"filename": "a"}));
    assert_eq!(failed["isError"], true);
    assert_eq!(
        failed["content"][0]["text"],
        "`a.Rmd` could not be rendered (chunk `bad`, lines 4-5): oops"
    );
    let diagnostic = &failed["structuredContent"]["error_data"]["diagnostics"][0];
    assert_eq!(
        (&diagnostic["label"], &diagnostic["first_line"]),
        (&json!("bad"), &json!(4)),
        "{failed}"
    );
    assert_eq!(fs::read(crib.root().join("rmd/output/a.html")).expect("a page"), before);
    let missing = client.call("render_rmd", json!({"filename": "nothing"}));
    assert_eq!(missing["content"][0]["text"], "R Markdown file not found: nothing.Rmd");
}

#[test]
fn embeds_a_small_page_in_the_response_on_request() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let mut client = StdioClient::start(&crib, &[]);
    let plain = "---\noutput:\n  html_document:\n    theme: null\n    highlight: null\n    mathjax: null\n---\n\nShort.\n";
    create(&mut client, "a", plain);
    let rendered = client.call("render_rmd", json!({"filename": "a", "inline": true}));
    let resource = rendered["content"]
        .as_array()
        .expect("content")
        .iter()
        .find(|piece| piece["type"] == "resource");
    assert!(
        resource.expect("the page")["resource"]["text"].as_str().expect("text").contains("Short."),
        "{rendered}"
    );
}

#[test]
fn a_long_render_becomes_an_operation_that_can_be_cancelled() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let mut client = StdioClient::start(&crib, &[]);
    create(&mut client, "slow", "```{r long}\nSys.sleep(9620)\n```\n");
    client.send(&json!({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": {"name": "render_rmd",
        "arguments": {"filename": "slow"}, "_meta": {"progressToken": "p"}}}));
    let told = client.wait(|message| {
        message["method"] == "notifications/progress"
            && message["params"]["message"] == "chunk `long`"
    });
    assert_eq!(told["params"]["progressToken"], "p");
    let status = client.call("status", json!({}));
    let operations =
        status["structuredContent"]["operations"].as_array().expect("operations").clone();
    let id = operations
        .iter()
        .find(|operation| operation["tool"] == "render_rmd")
        .expect("a render")["id"]
        .clone();
    // The call is answered before or after the cancellation is.
    client.send(
        &json!({"jsonrpc": "2.0", "id": 901, "method": "tools/call", "params": {"name": "cancel", "arguments": {"id": id}}}),
    );
    let answer = client.wait(|message| message["id"] == 900);
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["structuredContent"]["error_type"], "cancelled", "{answer}");
}

#[test]
fn reports_a_full_disk_and_keeps_the_previous_output() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib = TempCrib::new()
        .file("toolcrib.toml", LOCAL)
        .file("rmd/a.Rmd", "Text.\n")
        .file("rmd/output/a.html", "the last one");
    let output = crib.root().join("rmd/output");
    let Some(_disk) = SmallDisk::mount(&output, 64) else {
        return;
    };
    crib.write("rmd/output/a.html", "the last one");
    let mut client = StdioClient::start(&crib, &[]);
    let failed = client.call("render_rmd", json!({"filename": "a"}));
    let kept = fs::read_to_string(output.join("a.html"));
    let left = fs::read_dir(&output).map(Iterator::count);
    drop(client);
    assert_eq!(failed["isError"], true, "{failed}");
    assert!(
        failed["content"][0]["text"].as_str().is_some_and(|text| text.contains("No space left")),
        "{failed}"
    );
    assert_eq!((kept.expect("a page").as_str(), left.expect("a folder")), ("the last one", 1));
}

#[test]
fn rejects_a_document_of_fifty_megabytes() {
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let mut client = StdioClient::start(&crib, &[]);
    crib.write("rmd/big.Rmd", &"long line of text\n".repeat(3_000_000));
    let failed = client.call("render_rmd", json!({"filename": "big"}));
    assert_eq!(
        (&failed["isError"], &failed["structuredContent"]["error_type"]),
        (&json!(true), &json!("too_large")),
        "{failed}"
    );
}

#[test]
fn rejects_a_call_with_fifty_megabytes_of_content() {
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let mut client = StdioClient::start(&crib, &[]);
    let long = json!({"filename": "big", "title": "T", "content": "x".repeat(50_000_000)});
    let params = json!({"name": "create_rmd", "arguments": long});
    client.send(&request(9, "tools/call", params));
    // The message is not parsed, so its id is unknown.
    let refused = client.wait(|message| message.get("error").is_some());
    assert_eq!(refused["id"], Value::Null, "{refused}");
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    create(&mut client, "small", "x");
}

#[test]
fn parameters_that_a_document_does_not_declare_are_refused() {
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let mut client = StdioClient::start(&crib, &[]);
    create(&mut client, "none", "Text.");
    create(&mut client, "some", "---\nparams:\n  year: 2026\n  unit: kg\n---\nText.");
    for (name, expected) in [
        (
            "none",
            "`none.Rmd` does not declare the parameter `yaer`; declare it under `params:` in the front matter",
        ),
        ("some", "`some.Rmd` does not declare the parameter `yaer`; it declares `year`, `unit`"),
    ] {
        let failed = client.call("render_rmd", json!({"filename": name, "params": {"yaer": 1}}));
        assert_eq!(failed["content"][0]["text"], expected, "{failed}");
        assert_eq!(failed["structuredContent"]["error_type"], "invalid_arguments");
    }
}

#[test]
fn rejects_unsafe_document_names() {
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL).file("secret.Rmd", "x");
    let mut client = StdioClient::start(&crib, &[]);
    for name in ["../secret", "/etc/passwd", "a\nb", "a\"b", "..", "a b", "x;y"] {
        let failed = client.call("render_rmd", json!({"filename": name}));
        assert_eq!(failed["isError"], true, "{name}: {failed}");
    }
}

#[test]
fn doctor_lists_render_components() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let crib = TempCrib::new().file("toolcrib.toml", LOCAL);
    let said = crib.run(&["doctor"]).stdout;
    for line in [
        "  rmarkdown ",
        "  pandoc    pandoc 2",
        "  tex ",
        "  quarto    not found",
        "  docker    ",
        "  compose   ",
        "  renders with R on this machine",
    ] {
        assert!(said.contains(line), "{line} is not in\n{said}");
    }
    let mut client = StdioClient::start(&crib, &[]);
    let told = client.call("doctor", json!({}));
    let abilities = told["structuredContent"]["value"].as_array().expect("abilities").clone();
    let of = |name: &str| {
        abilities.iter().find(|ability| ability["name"] == name).expect("an ability").clone()
    };
    assert!(of("R")["ok"] == true && of("quarto")["hint"].is_string(), "{told}");
}

#[test]
fn doctor_continues_after_an_unusable_configuration() {
    let crib =
        TempCrib::new().file("toolcrib.toml", "[documents]\nenabled = true\nbackend = \"local\"\n");
    let output = crib.run(&["doctor"]);
    assert_eq!(output.code, 2);
    for words in [
        "`backend` is `local`",
        "set `allow_local = true`",
        "Rendering of documents",
        "  docker    ",
    ] {
        assert!(output.stdout.contains(words), "{words} is not in\n{}", output.stdout);
    }
    let refused = crib.run(&["list"]);
    assert!(refused.stderr.contains("set `allow_local = true`"), "{}", refused.stderr);
}

/// Follows the user documentation for a first report, except for the installation.
#[test]
fn the_documented_walkthrough_works() {
    skip_without!("Rscript", "pandoc", "pdflatex", "pdftotext");
    let page = fs::read_to_string(repository().join("docs/rmarkdown.md")).expect("the page");
    let (_, walk) = page.split_once("## A first report").expect("the walk");
    let blocks = walk.split("```sh\n").skip(1).filter_map(|rest| rest.split("\n```\n").next());
    let script: String = blocks
        .filter(|block| !block.contains("apt install"))
        .map(|block| format!("{block}\n"))
        .collect();
    let home = tempfile::tempdir().expect("a folder");
    let programs = toolcrib_path().parent().expect("a folder").display().to_string();
    let path = format!("{programs}:{}", env::var("PATH").unwrap_or_default());
    let output = Command::new("bash")
        .args(["-e", "-c", &script])
        .current_dir(home.path())
        .env("PATH", path)
        .env("XDG_STATE_HOME", home.path().join("state"))
        .env("DOCKER_HOST", "unix:///nowhere.sock")
        .output()
        .expect("bash");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("Successfully rendered first.Rmd to first.pdf"), "{said}");
    assert!(
        pdf_text(&home.path().join("reports/rmd/output/first.pdf")).contains("My first report")
    );
}
