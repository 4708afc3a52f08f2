//! The files of clients after an edit.

mod lowering;

use std::path::Path;

use clients::{
    Authorization, CLIENTS, Client, Folders, Scope, Server, Transport, find, find_by_info,
};

/// Names that programs sent in November 2026. `scripts/real-clients` checks that they still do.
#[test]
fn recognizes_clients_by_the_names_that_they_send() {
    let sent = [
        ("claude-code", "claude-code"),
        ("codex-mcp-client", "codex"),
        ("copilot-cli", "copilot-cli"),
        ("gemini-cli-mcp-client", "gemini"),
        ("opencode", "opencode"),
    ];
    for (info, name) in sent {
        assert_eq!(find_by_info(info).map(|client| client.name), Some(name), "{info}");
    }
    assert!(find_by_info("another client").is_none());
}

fn stdio() -> Server {
    let arguments = ["-C", "/home/you/shop", "serve"].map(str::to_owned).to_vec();
    let transport = Transport::Stdio { program: "/usr/bin/toolcrib".to_owned(), arguments };
    let variables = vec![("XDG_STATE_HOME".to_owned(), "/state".to_owned())];
    Server { name: "shop".to_owned(), transport, variables }
}

fn http() -> Server {
    let url = "http://127.0.0.1:7337/mcp".to_owned();
    let token = Some(Authorization("s3cret".to_owned()));
    let transport = Transport::Http { url, token };
    Server { name: "shop".to_owned(), transport, variables: Vec::new() }
}

fn client(name: &str) -> &'static Client {
    find(name).expect("the table has it")
}

/// The file of a client after an edit, which must be reversible.
fn connect(client: &Client, server: &Server, text: &str) -> String {
    let editor = client.editor();
    let entry = client.entry(server).expect("it reaches such servers");
    let edited = editor.insert(text, &server.name, &entry).expect("the file is valid");
    let found = editor.entry(&edited, &server.name).expect("the result is valid");
    assert_eq!(found.as_ref(), Some(&entry), "{}:\n{edited}", client.name);
    assert_eq!(editor.insert(&edited, &server.name, &entry).expect("valid"), edited);
    edited
}

#[test]
fn every_client_gets_an_entry_in_a_new_file() {
    let files = CLIENTS
        .iter()
        .map(|client| format!("--- {}\n{}", client.name, connect(client, &stdio(), "")));
    insta::assert_snapshot!(files.collect::<String>());
}

#[test]
fn no_client_that_can_read_a_variable_gets_the_token_itself() {
    let able = CLIENTS.iter().filter(|client| client.entry(&http()).is_some());
    let files = able.map(|client| {
        let text = connect(client, &http(), "");
        assert_eq!(text.contains("s3cret"), client.stores_token(&http()), "{}", client.name);
        format!("--- {}\n{text}", client.name)
    });
    insta::assert_snapshot!(files.collect::<String>());
}

#[test]
fn comments_order_and_formatting_stay() {
    let zed = "// Zed settings\n{\n    \"theme\": \"One\", // dark\n    \"context_servers\": {\n        \"other\": { \"command\": \"x\", \"args\": [] },\n    },\n    \"vim_mode\": true,\n}\n";
    let codex = "# mine\nmodel = \"gpt\" # best\n\n[mcp_servers.other] # theirs\ncommand = \"x\"\n\n[profiles.a]\nb = 1\n";
    let goose = "GOOSE_MODEL: x # best\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n\n# end\nother: 1\n";
    let edited = [("zed", zed), ("codex", codex), ("goose", goose)].map(|(name, text)| {
        let edited = connect(client(name), &stdio(), text);
        let restored = client(name).editor().remove(&edited, "shop").expect("the file is valid");
        assert_eq!(restored, text, "{name}");
        format!("--- {name}\n{edited}")
    });
    insta::assert_snapshot!(edited.concat());
}

#[test]
fn an_entry_that_differs_is_replaced_in_its_place() {
    let cursor = "{\"mcpServers\": {\"shop\": {\"command\": \"old\"}, \"other\": {}}}";
    let codex = "[mcp_servers.shop]\ncommand = \"old\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
    let goose = "extensions:\n  shop:\n    cmd: old\n  other:\n    cmd: x\n";
    let edited = [("cursor", cursor), ("codex", codex), ("goose", goose)]
        .map(|(name, text)| format!("--- {name}\n{}\n", connect(client(name), &stdio(), text)));
    insta::assert_snapshot!(edited.concat());
}

#[test]
fn rejects_files_that_the_client_could_not_read() {
    let broken = [
        ("claude-code", "{ // comment\n}"),
        ("gemini", "{\"mcpServers\": {},}"),
        ("cursor", "{\"mcpServers\": []}"),
        ("cursor", "[]"),
        ("codex", "mcp_servers = 1"),
        ("codex", "[mcp_servers"),
        ("goose", "extensions: {a: {}}\n"),
    ];
    let errors = broken.map(|(name, text)| {
        let entry = client(name).entry(&stdio()).expect("all clients start servers");
        let error = client(name).editor().insert(text, "shop", &entry).expect_err(text);
        format!("{name}: {error}\n")
    });
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn files_are_found_by_variables_and_alternatives() {
    let variable = |name: &str| match name {
        "CODEX_HOME" => Some("/codex".to_owned()),
        "XDG_CONFIG_HOME" => Some("/config".to_owned()),
        "OPENCODE_CONFIG" => Some("/mine.json".to_owned()),
        _ => None,
    };
    let exists = |path: &Path| path.ends_with("opencode.jsonc");
    let paths = CLIENTS.iter().flat_map(|client| {
        let folders = Folders {
            home: Path::new("/home/you"),
            project: Path::new("/shop"),
            variable: &variable,
        };
        [Scope::User, Scope::Project].map(|scope| {
            let path = client.location(scope).map(|place| place.resolve(&folders, &exists));
            let path = path.map_or("-".to_owned(), |path| path.display().to_string());
            format!("{:14} {:7} {path}\n", client.name, scope.name())
        })
    });
    insta::assert_snapshot!(paths.collect::<String>());
}

/// Files as people write them, with an extension that names the syntax.
const FILES: [(&str, &str); 17] = [
    ("json", ""),
    ("json", "{}"),
    ("json", "\u{feff}{\"a\": 1}\n"),
    ("json", "{\r\n\t\"a\": 1,\r\n\t\"mcpServers\": {\r\n\t\t\"b\": {}\r\n\t}\r\n}\r\n"),
    ("json", "{\n    \"z\": 1,\n    \"a\": [1,2]\n}"),
    ("jsonc", "// mine\n{\n  // inner\n  \"a\": 1 /* why */\n}\n"),
    ("jsonc", "{\n\t\"mcpServers\": {\n\t\t// none\n\t},\n\t\"servers\": {},\n\t\"mcp\": {}\n}\n"),
    ("json5", "{\"a\": [1, 2,],}\n"),
    ("toml", ""),
    ("toml", "# mine\r\na = 1 # why\r\n\r\n[b]\r\nc = 'd'\r\n"),
    ("toml", "\u{feff}a = 1"),
    ("toml", "[mcp_servers]\n\n[mcp_servers.b]\n\tcommand = \"x\"\n"),
    ("yaml", ""),
    ("yaml", "# mine\na: 1\nextensions:\n    b:\n        cmd: x # why\n"),
    ("yaml", "a:\n- 1\n"),
    ("yaml", "a: 1\r\n# mine\r\n"),
    ("yaml", "extensions: {}\n"),
];

#[test]
fn removing_an_entry_leaves_what_was_there() {
    for client in CLIENTS {
        for (kind, text) in FILES {
            let editor = client.editor();
            // A file that the client itself cannot read is not edited.
            let Ok(None) = editor.entry(text, "shop") else { continue };
            let edited = connect(client, &stdio(), text);
            let removed = editor.remove(&edited, "shop").expect("the result is valid");
            assert_eq!(removed.starts_with('\u{feff}'), text.starts_with('\u{feff}'));
            assert_eq!(editor.entry(&removed, "shop"), Ok(None), "{}", client.name);
            for line in text.lines().filter(|line| !line.trim().is_empty() && text.len() > 20) {
                // A comma may come between a value and its comment.
                let is_kept = removed.replace(',', "").contains(&line.replace(',', ""));
                assert!(is_kept, "{} {kind}: {line:?} in {removed:?}", client.name);
            }
        }
    }
}

#[test]
fn yaml_in_another_notation_is_left_alone() {
    let texts = [
        "{extensions: {}}\n",
        "\"extensions\":\n  a:\n    cmd: x\n",
        "extensions: {a: {}}\n",
        "extensions: {}# no comment\n",
        "extensions:\n  shop: {cmd: x}\n",
        "extensions:\n  shop: # mine\n    cmd: x\n",
        "a: 1\n---\nb: 2\n",
        "a: 1\r\nb: 2\n",
    ];
    let entry = client("goose").entry(&stdio()).expect("it starts servers");
    for text in texts {
        let edited = client("goose").editor().insert(text, "shop", &entry);
        assert!(edited.is_err(), "{text:?} becomes {edited:?}");
    }
}

#[test]
fn yaml_keeps_an_empty_table_and_its_line_endings() {
    let texts = ["extensions: {} # none\na: 1\n", "a: 1\r\nextensions:\r\n  b:\r\n    cmd: x\r\n"];
    let edited = texts.map(|text| {
        let edited = connect(client("goose"), &stdio(), text);
        let removed = client("goose").editor().remove(&edited, "shop").expect("the file is valid");
        let spaces = |text: &str| text.replace(' ', "");
        assert_eq!(spaces(&removed), spaces(text));
        edited.replace('\r', "␍")
    });
    insta::assert_snapshot!(edited.join("---\n"));
}

#[test]
fn paths_that_a_client_would_expand_are_found() {
    let mut server = stdio();
    assert!(CLIENTS.iter().all(|client| client.find_reference(&server).is_none()));
    let Transport::Stdio { arguments, .. } = &mut server.transport else { panic!("stdio") };
    arguments[1] = "/home/you/{env:HOME}".to_owned();
    let able = |client: &&Client| client.find_reference(&server).is_some();
    assert_eq!(
        CLIENTS.iter().filter(able).map(|client| client.name).collect::<Vec<_>>(),
        ["opencode"]
    );
}
