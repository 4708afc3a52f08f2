//! Documents from a client's call to a finished report, with the real things.

use std::{env, fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::{crib::Crib, serve::Client};

const LOCAL: &str = "[documents]\nenabled = true\nbackend = \"local\"\nallow_local = true\n";

/// The content of the document that the usage examples make.
const EXAMPLE: &str = "---\ntitle: \"Example R Markdown\"\nauthor: \"R-Server\"\ndate: \"`r Sys.Date()`\"\noutput: html_document\n---\n\n## R Markdown Example\n\nThis is an example R Markdown file.\n\n```{r}\nplot(cars)\n```\n\n## Summary Statistics\n\n```{r}\nsummary(cars)\n```";

/// Whether these programs are here. Where they are not, that is said; in CI they must be.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn has(programs: &[&str]) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_here = |program: &&&str| !env::split_paths(&path).any(|folder| folder.join(program).is_file());
    let missing: Vec<_> = programs.iter().filter(is_here).collect();
    assert!(missing.is_empty() || env::var_os("CI").is_none(), "CI must have {missing:?}");
    if !missing.is_empty() {
        eprintln!("SKIPPED: {missing:?} are not installed; scripts/test installs them");
    }
    missing.is_empty()
}

fn has_r() -> bool {
    has(&["Rscript", "pandoc", "pdflatex", "pdftotext"])
}

fn call(client: &mut Client, name: &str, arguments: Value) -> Value {
    client.ask("tools/call", json!({"name": name, "arguments": arguments}))["result"].take()
}

fn create(client: &mut Client, filename: &str, content: &str) {
    let made = call(client, "create_rmd", json!({"filename": filename, "title": "T", "content": content}));
    assert_eq!(made["isError"].as_bool().unwrap_or_default(), false, "{made}");
}

fn pdf_text(path: &Path) -> String {
    let output = Command::new("pdftotext").arg(path).arg("-").output().expect("pdftotext");
    assert!(output.status.success(), "{} does not open", path.display());
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_document_is_rendered_and_read_back_as_a_resource() {
    if !has_r() {
        return;
    }
    let crib = Crib::new().file("toolcrib.toml", LOCAL);
    let mut client = Client::start(&crib, &[]);
    create(&mut client, "example", EXAMPLE);
    let rendered = call(&mut client, "render_rmd", json!({"filename": "example", "format": "html"}));
    assert_eq!(rendered["content"][0], json!({"type": "text", "text": "Successfully rendered example.Rmd to example.html"}));
    let value = &rendered["structuredContent"]["value"];
    assert_eq!(
        (&value["backend"], &value["cached"], &value["uri"]),
        (&json!("local"), &json!(false), &json!("rmd-output:///example.html"))
    );
    assert!(value["versions"]["rmarkdown"].is_string(), "{value}");
    let link = rendered["content"].as_array().expect("content").iter().find(|piece| piece["type"] == "resource_link");
    assert_eq!(link.expect("a link")["uri"], "rmd-output:///example.html");
    let read = client.ask("resources/read", json!({"uri": "rmd-output:///example.html"}));
    let page = read["result"]["contents"][0]["text"].as_str().expect("a page");
    assert!(page.contains("Summary Statistics") && page.contains("data:image/png;base64,"));
    let again = call(&mut client, "render_rmd", json!({"filename": "example"}));
    assert_eq!(again["structuredContent"]["value"]["cached"], true);
    let fresh = call(&mut client, "render_rmd", json!({"filename": "example", "fresh": true}));
    assert_eq!(fresh["structuredContent"]["value"]["cached"], false);
}

#[test]
fn sub_folders_and_formats_are_in_the_names_of_rendered_files() {
    if !has_r() {
        return;
    }
    let crib = Crib::new().file("toolcrib.toml", LOCAL).file("rmd/data/n.txt", "forty-two");
    let mut client = Client::start(&crib, &[]);
    create(&mut client, "2026/q1", "It is `r readLines('../data/n.txt')`.\n");
    let rendered = call(&mut client, "render_rmd", json!({"filename": "2026/q1.Rmd", "format": "pdf"}));
    assert_eq!(rendered["content"][0]["text"], "Successfully rendered 2026/q1.Rmd to 2026/q1.pdf", "{rendered}");
    assert!(pdf_text(&crib.root().join("rmd/output/2026/q1.pdf")).contains("forty-two"));
    let beside: Vec<_> = fs::read_dir(crib.root().join("rmd/2026")).expect("a folder").flatten().collect();
    assert_eq!(beside.len(), 1, "nothing is left beside the document");
}

#[test]
fn a_failed_render_says_where_and_leaves_the_last_good_one() {
    if !has_r() {
        return;
    }
    let crib = Crib::new().file("toolcrib.toml", LOCAL);
    let mut client = Client::start(&crib, &[]);
    create(&mut client, "a", "Good.\n");
    call(&mut client, "render_rmd", json!({"filename": "a"}));
    let before = fs::read(crib.root().join("rmd/output/a.html")).expect("a page");
    crib.write("rmd/a.Rmd", "One.\n\n```{r bad}\nstop('oops')\n```\n");
    let failed = call(&mut client, "render_rmd", json!({"filename": "a"}));
    assert_eq!(failed["isError"], true);
    assert_eq!(failed["content"][0]["text"], "`a.Rmd` could not be rendered (chunk `bad`, lines 4-5): oops");
    let diagnostic = &failed["structuredContent"]["error_data"]["diagnostics"][0];
    assert_eq!((&diagnostic["label"], &diagnostic["first_line"]), (&json!("bad"), &json!(4)), "{failed}");
    assert_eq!(fs::read(crib.root().join("rmd/output/a.html")).expect("a page"), before);
    let missing = call(&mut client, "render_rmd", json!({"filename": "nothing"}));
    assert_eq!(missing["content"][0]["text"], "R Markdown file not found: nothing.Rmd");
}

#[test]
fn a_small_page_is_put_into_the_answer_on_request() {
    if !has_r() {
        return;
    }
    let crib = Crib::new().file("toolcrib.toml", LOCAL);
    let mut client = Client::start(&crib, &[]);
    let plain = "---\noutput:\n  html_document:\n    theme: null\n    highlight: null\n    mathjax: null\n---\n\nShort.\n";
    create(&mut client, "a", plain);
    let rendered = call(&mut client, "render_rmd", json!({"filename": "a", "inline": true}));
    let resource = rendered["content"].as_array().expect("content").iter().find(|piece| piece["type"] == "resource");
    assert!(resource.expect("the page")["resource"]["text"].as_str().expect("text").contains("Short."), "{rendered}");
}

#[test]
fn a_render_that_takes_long_is_an_operation_that_can_be_cancelled() {
    if !has_r() {
        return;
    }
    let crib = Crib::new().file("toolcrib.toml", LOCAL);
    let mut client = Client::start(&crib, &[]);
    create(&mut client, "slow", "```{r long}\nSys.sleep(9620)\n```\n");
    client.send(&json!({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": {"name": "render_rmd",
        "arguments": {"filename": "slow"}, "_meta": {"progressToken": "p"}}}));
    let told =
        client.wait(|message| message["method"] == "notifications/progress" && message["params"]["message"] == "chunk `long`");
    assert_eq!(told["params"]["progressToken"], "p");
    let status = call(&mut client, "status", json!({}));
    let operations = status["structuredContent"]["operations"].as_array().expect("operations").clone();
    let id = operations.iter().find(|operation| operation["tool"] == "render_rmd").expect("a render")["operation_id"].clone();
    call(&mut client, "cancel", json!({"id": id}));
    let answer = client.wait(|message| message["id"] == 900);
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["structuredContent"]["error_type"], "cancelled", "{answer}");
}

#[test]
fn fifty_megabytes_are_refused() {
    let crib = Crib::new().file("toolcrib.toml", LOCAL);
    let mut client = Client::start(&crib, &[]);
    crib.write("rmd/big.Rmd", &"long line of text\n".repeat(3_000_000));
    let failed = call(&mut client, "render_rmd", json!({"filename": "big"}));
    assert_eq!((&failed["isError"], &failed["structuredContent"]["error_type"]), (&json!(true), &json!("too_large")), "{failed}");
}

#[test]
fn names_that_lead_out_are_refused() {
    let crib = Crib::new().file("toolcrib.toml", LOCAL).file("secret.Rmd", "x");
    let mut client = Client::start(&crib, &[]);
    for name in ["../secret", "/etc/passwd", "a\nb", "a\"b", "..", "a b", "x;y"] {
        let failed = call(&mut client, "render_rmd", json!({"filename": name}));
        assert_eq!(failed["isError"], true, "{name}: {failed}");
    }
}

#[test]
fn the_doctor_says_what_can_render() {
    if !has_r() {
        return;
    }
    let crib = Crib::new().file("toolcrib.toml", LOCAL);
    let said = crib.run(&["doctor"]).stdout;
    for line in ["  rmarkdown ", "  pandoc    pandoc 2", "  tex ", "  quarto    not found", "  docker    ", "  compose   "] {
        assert!(said.contains(line), "{line} is not in\n{said}");
    }
    let mut client = Client::start(&crib, &[]);
    let told = call(&mut client, "doctor", json!({}));
    let components = told["structuredContent"]["value"]["components"].as_array().expect("components").clone();
    let of = |name: &str| components.iter().find(|component| component["name"] == name).expect("a component").clone();
    assert!(of("R")["found"].is_string() && of("quarto")["hint"].is_string());
}

/// The usage examples of the interface's document, word for word, with an engine and an image for tests alone.
#[test]
fn the_usage_examples_work_word_for_word_and_the_pdf_opens() {
    if !has_r() || !has(&["docker-compose", "dockerd"]) {
        return;
    }
    let (Ok(socket), Ok(image)) = (env::var("TOOLCRIB_TEST_DOCKER"), env::var("TOOLCRIB_TEST_IMAGE")) else {
        assert!(env::var_os("CI").is_none(), "CI must have Docker for tests: scripts/engine");
        return;
    };
    let crib = Crib::new().file("toolcrib.toml", &format!("[documents]\nenabled = true\nimage = \"{image}\"\n"));
    let mut client = Client::start_with(&crib, &[], &[("DOCKER_HOST", &socket)]);
    let created = client.ask(
        "tools/call",
        json!({
            "name": "create_rmd",
            "arguments": {"filename": "example", "title": "Example R Markdown", "content": EXAMPLE}
        }),
    );
    assert_eq!(created["result"]["content"][0]["text"], "Created R Markdown file: example.Rmd");
    let rendered =
        client.ask("tools/call", json!({"name": "render_rmd", "arguments": {"filename": "example", "format": "html"}}));
    assert_eq!(rendered["result"]["content"][0]["text"], "Successfully rendered example.Rmd to example.html", "{rendered}");
    let value = &rendered["result"]["structuredContent"]["value"];
    assert_eq!(value["backend"], "docker", "{value}");
    let read = client.ask("resources/read", json!({"uri": "rmd-output:///example.html"}));
    assert!(read["result"]["contents"][0]["text"].as_str().is_some_and(|page| page.contains("Summary Statistics")));
    let rendered = client.ask(
        "tools/call",
        json!({
            "name": "render_rmd",
            "arguments": {"filename": "example", "format": "pdf", "use_docker_compose": true}
        }),
    );
    assert_eq!(rendered["result"]["content"][0]["text"], "Successfully rendered example.Rmd to example.pdf", "{rendered}");
    assert_eq!(rendered["result"]["structuredContent"]["value"]["backend"], "compose");
    assert!(pdf_text(&crib.root().join("rmd/output/example.pdf")).contains("Summary Statistics"));
}
