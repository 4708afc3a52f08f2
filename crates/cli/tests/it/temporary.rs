//! Temporary folders: each call has one, and none is left when the program has ended.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib, skip_without};

const COUNT: &str = "demo-mcp_tool_count";

/// An R function, a Python function and a document, all of which report their temporary folder.
fn crib_with_every_backend() -> TempCrib {
    let page = "# M - MCP Tool Specification\n\n**Version**: 1.0.0\n\n## Tool: `shout`\n\nShout a word.\n\n\
                | Name | Type | Required | Description |\n|---|---|---|---|\n| `word` | `string` | Yes | The word |\n";
    let config = "[[bind]]\ntools = \"shout\"\npython = \"desk\"\nmutates = false\n\n\
                  [documents]\nenabled = true\nbackend = \"local\"\nallow_local = true\n";
    // With a state, closing a session also has to remove the state.
    let code = "mcp_tool_count <- function(.state_env = NULL) {\n  .state_env$set('n', 1L)\n  Sys.getenv('TMPDIR')\n}\n";
    TempCrib::new()
        .file("toolcrib.toml", config)
        .file("MCP_TOOL_SPECIFICATION.md", page)
        .file("desk.py", "import os\n\ndef shout(word):\n    return {word: os.environ['TMPDIR']}\n")
        .file("rmd/report.Rmd", "---\ntitle: T\n---\n\n`r Sys.getenv('TMPDIR')` `r getwd()`\n")
        .file("DESCRIPTION", "Package: demo\nVersion: 1.0\n")
        .file("R/all.R", code)
        .file(
            &format!("inst/mcp/tools/{COUNT}.yaml"),
            &format!(
                "name: {COUNT}\ndescription: Counts\nparameters: {{type: object, properties: {{}}}}\n\
                 implementation_example: f()\nmutates: no\n"
            ),
        )
}

/// The private folders that a text names.
fn folders(text: &str) -> BTreeSet<String> {
    const START: &str = "/tmp/toolcrib-";
    let ids = text.split(START).skip(1);
    ids.map(|rest| {
        let id = rest.chars().take_while(char::is_ascii_hexdigit).collect::<String>();
        format!("{START}{id}")
    })
    .collect()
}

fn assert_removed(folders: &BTreeSet<String>) {
    let left: Vec<_> = folders.iter().filter(|folder| Path::new(folder).exists()).collect();
    assert!(left.is_empty(), "{left:?} are left");
}

#[test]
fn a_call_from_the_terminal_leaves_none() {
    skip_without!("Rscript", "pandoc", "python3");
    let crib = crib_with_every_backend();
    let mut all = BTreeSet::new();
    for (tool, arguments) in
        [(COUNT, "{}"), ("shout", r#"{"word": "hi"}"#), ("render_rmd", r#"{"filename": "report"}"#)]
    {
        let output = crib.run(&["call", tool, "--args", arguments]);
        assert_eq!(output.code, 0, "{tool}: {}{}", output.stdout, output.stderr);
        let page = fs::read_to_string(crib.root().join("rmd/output/report.html"));
        let named = folders(&(output.stdout + &page.unwrap_or_default()));
        assert_removed(&named);
        all.extend(named);
    }
    assert_eq!(all.len(), 4, "one of R, one of Python, and a render has two: {all:?}");
}

#[test]
fn a_server_leaves_none() {
    skip_without!("Rscript", "python3");
    let crib = crib_with_every_backend();
    let mut client = StdioClient::start(&crib, &[]);
    let mut call = |name: &str, arguments: Value| {
        let reply = client.request("tools/call", json!({"name": name, "arguments": arguments}));
        folders(&reply.to_string())
    };
    let mut all = call(COUNT, json!({}));
    all.extend(call("shout", json!({"word": "hi"})));
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all.iter().all(|folder| Path::new(folder).exists()), "workers wait for more calls");
    client.close();
    assert_removed(&all);
}
