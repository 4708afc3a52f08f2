//! Markdown specifications in a crib: found, read once, held against each other, allowed, judged, fixed.

use std::{fs, path::Path};

use catalog::Location;
use tempfile::TempDir;
use workspace::{Crib, Environment, Loaded, Loader, OpenError, check_paths, fix_crib, read_paths};

struct Tree(TempDir);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn crib(&self) -> Result<Crib, OpenError> {
        Crib::open(Some(self.path()), &Environment::default())
    }

    fn load(&self) -> Loaded {
        Loader::default().load(&self.crib().expect("a good configuration"))
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect("a file")
    }
}

fn spec(name: &str, kind: &str) -> String {
    format!(
        "# M - MCP Tool Specification\n\n## Tool: `{name}`\n\nDo something well.\n\n| Parameter | Type | Required | Description |\n|---|---|---|---|\n| `a` | {kind} | Yes | One thing |\n"
    )
}

fn names(loaded: &Loaded) -> Vec<&str> {
    loaded.catalog.tools().iter().map(|tool| tool.name.as_str()).collect()
}

/// `TC405 docs/MCP_TOOL_SPECIFICATION.md message` for the codes that begin so.
fn found(loaded: &Loaded, codes: &[&str]) -> Vec<String> {
    let wanted = loaded.diagnostics.iter().filter(|found| codes.contains(&found.code));
    wanted
        .map(|found| format!("{} {} {}", found.code, found.origin.source, found.message))
        .collect()
}

#[test]
fn specifications_are_found_anywhere_below_a_crib() {
    let tree = Tree::new(&[
        ("docs/a/MCP_TOOL_SPECIFICATION.md", &spec("one_tool", "string")),
        ("src/b/mcp_tool_specification.md", &spec("two_tool", "string")),
        ("node_modules/x/MCP_TOOL_SPECIFICATION.md", &spec("foreign_tool", "string")),
        (".hidden/MCP_TOOL_SPECIFICATION.md", &spec("hidden_tool", "string")),
        ("README.md", "# About MCP tools\n"),
    ]);
    let loaded = tree.load();
    assert_eq!((names(&loaded), loaded.files), (vec!["one_tool", "two_tool"], 2));
    assert!(loaded.catalog.tools().iter().all(|tool| !tool.is_callable()));
}

#[test]
fn identical_copies_count_once_and_diverged_ones_are_told_with_both_places() {
    let (same, other) = (spec("same_tool", "string"), spec("other_tool", "string"));
    let tree = Tree::new(&[
        ("docs/a/MCP_TOOL_SPECIFICATION.md", &same),
        ("src/a/MCP_TOOL_SPECIFICATION.md", &same),
        ("docs/b/MCP_TOOL_SPECIFICATION.md", &other),
        ("src/b/MCP_TOOL_SPECIFICATION.md", &other.replace("string", "integer")),
    ]);
    let loaded = tree.load();
    assert_eq!((names(&loaded), loaded.files), (vec!["other_tool", "same_tool"], 3));
    assert_eq!(
        found(&loaded, &["TC201", "TC210"]),
        [
            "TC210 src/b/MCP_TOOL_SPECIFICATION.md `other_tool` is also described in docs/b/MCP_TOOL_SPECIFICATION.md, which differs in its parameters"
        ]
    );
    let diverged =
        loaded.diagnostics.iter().find(|found| found.code == "TC210").expect("it was found");
    let also = diverged.also.as_ref().expect("the other place");
    assert!(matches!(also.place, Location::Span(_)) && also.source.as_str().starts_with("docs/b"));
    let sections = found(&loaded, &["TC405"]);
    assert!(
        !sections.iter().any(|line| line.contains("src/a")),
        "a copy is not judged again: {sections:?}"
    );
}

#[test]
fn the_same_holds_below_a_folder_that_is_no_crib() {
    let tree = Tree::new(&[
        ("x/spec.md", &spec("a_tool", "string")),
        ("y/spec.md", &spec("a_tool", "integer")),
        ("z.md", "# Text\n"),
    ]);
    let loaded =
        check_paths(&[tree.path().to_owned()], &Environment::default()).expect("a readable folder");
    assert_eq!(loaded.files, 2, "other Markdown is left alone");
    assert_eq!(loaded.diagnostics.iter().filter(|found| found.code == "TC210").count(), 1);
}

#[test]
fn a_name_that_is_there_twice_in_one_document_or_in_another_format_is_an_error() {
    let twice = format!(
        "{}\n## Tool: `a_tool`\n\nDo it.\n\n**Parameters**: None\n",
        spec("a_tool", "string")
    );
    assert_eq!(
        found(&Tree::new(&[("MCP_TOOL_SPECIFICATION.md", &twice)]).load(), &["TC201"]).len(),
        1
    );
    let json = r#"{"name": "a_tool", "description": "Do it", "command": "echo", "mutates": false, "subcommand": [{"name": "default", "description": "Do it"}]}"#;
    let both = Tree::new(&[
        ("tools/a.json", json),
        ("MCP_TOOL_SPECIFICATION.md", &spec("a_tool", "string")),
    ])
    .load();
    assert_eq!(found(&both, &["TC201"]).len(), 1);
}

#[test]
fn linked_schemas_are_read_below_the_crib_and_nowhere_else() {
    let page = |link: &str| {
        format!(
            "# M - MCP Tool Specification\n\n## Tool: `a_tool`\n\nDo it.\n\n### Parameters\n\nSee [the schema]({link}).\n"
        )
    };
    let schema = r#"{"type": "object", "properties": {"who": {"type": "string"}}}"#;
    let tree = |link: &str| {
        Tree::new(&[
            ("crib/docs/MCP_TOOL_SPECIFICATION.md", &page(link)),
            ("crib/schemas/a.json", schema),
            ("outside.json", schema),
        ])
    };
    let load = |tree: &Tree| {
        Loader::default().load(
            &Crib::open(Some(&tree.path().join("crib")), &Environment::default()).expect("a crib"),
        )
    };
    let inside = load(&tree("../schemas/a.json"));
    assert!(inside.catalog.get("a_tool").expect("the tool").input.property("who").is_some());
    for outside in ["../../outside.json", "/etc/hosts.json", "https://example.com/a.json"] {
        let told = found(&load(&tree(outside)), &["TC810"]);
        assert!(told.len() == 1 && told[0].contains("crib"), "{outside}: {told:?}");
    }
    let linked = tree("../schemas/link.json");
    std::os::unix::fs::symlink(
        linked.path().join("outside.json"),
        linked.path().join("crib/schemas/link.json"),
    )
    .expect("a link");
    assert!(found(&load(&linked), &["TC810"])[0].contains("outside the crib"));
}

#[test]
fn problems_are_allowed_in_the_document_and_in_the_configuration() {
    let all = |tree: &Tree| found(&tree.load(), &["TC405", "TC411"]).len();
    let plain = spec("a_tool", "string");
    assert_eq!(all(&Tree::new(&[("MCP_TOOL_SPECIFICATION.md", &plain)])), 2);
    let comment = plain.replace(
        "Do something",
        "<!-- toolcrib: allow TC405 it is internal -->\n<!-- toolcrib: allow TC411 as well -->\n\nDo something",
    );
    assert_eq!(all(&Tree::new(&[("MCP_TOOL_SPECIFICATION.md", &comment)])), 0);
    for scope in ["tools = \"a_*\"", "file = \"docs/*\""] {
        let config = ["TC405", "TC411"]
            .map(|code| {
                format!("[[allow]]\ncode = \"{code}\"\n{scope}\nreason = \"it is internal\"\n")
            })
            .concat();
        assert_eq!(
            all(&Tree::new(&[
                ("docs/MCP_TOOL_SPECIFICATION.md", &plain),
                ("toolcrib.toml", &config)
            ])),
            0,
            "{scope}"
        );
    }
    let elsewhere = "[[allow]]\ncode = \"TC405\"\ntools = \"b_*\"\nreason = \"it is internal\"\n";
    let useless = Tree::new(&[("MCP_TOOL_SPECIFICATION.md", &plain), ("toolcrib.toml", elsewhere)]);
    assert_eq!(all(&useless), 2);
    assert_eq!(found(&useless.load(), &["TC641"]).len(), 1);
}

#[test]
fn what_is_allowed_needs_a_reason_and_errors_are_not_allowed_away() {
    let config = |tree: &Tree| match tree.crib() {
        Err(OpenError::Config { diagnostics }) => {
            diagnostics.iter().map(|found| found.code).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    };
    assert_eq!(
        config(&Tree::new(&[("toolcrib.toml", "[[allow]]\ncode = \"TC405\"\nreason = \" \"\n")])),
        ["TC640"]
    );
    assert_eq!(
        config(&Tree::new(&[("toolcrib.toml", "[[allow]]\ncode = \"TC405\"\n")])),
        ["TC601"]
    );
    let template = "# M - MCP Tool Specification\n\n<!-- toolcrib: allow TC803 later -->\n\n## Tool: `[YourToolName]`\n\nDo it.\n";
    assert_eq!(
        found(&Tree::new(&[("MCP_TOOL_SPECIFICATION.md", template)]).load(), &["TC803", "TC641"])
            .len(),
        2
    );
}

#[test]
fn a_crib_judges_by_rules_of_its_own() {
    let rule = |when: &str, severity: &str| {
        format!(
            "[[rule]]\ncode = \"ACME-1\"\nseverity = \"{severity}\"\nwhen = {when:?}\nmessage = \"not as we do it\"\nhint = \"ask us\"\n"
        )
    };
    let tree = |when: &str, severity: &str| {
        Tree::new(&[
            ("MCP_TOOL_SPECIFICATION.md", &spec("a_tool", "string")),
            ("toolcrib.toml", &rule(when, severity)),
        ])
    };
    for when in [
        "!tool.name.startsWith('acme_')",
        "tool.input.properties.exists(name, name == 'a')",
        "!tool.served && size(tool.security) == 0",
        "!('Security Considerations' in tool.sections)",
        "tool.version == null",
    ] {
        assert_eq!(
            found(&tree(when, "warning").load(), &["ACME-1"]),
            ["ACME-1 MCP_TOOL_SPECIFICATION.md not as we do it"],
            "{when}"
        );
    }
    assert_eq!(
        found(&tree("tool.name == 'other'", "warning").load(), &["ACME-1"]),
        Vec::<String>::new()
    );
    assert_eq!(
        names(&tree("true", "error").load()),
        Vec::<&str>::new(),
        "an error keeps a tool out"
    );
    let failed =
        found(&tree("tool.input.properties.b.type == 'string'", "warning").load(), &["TC643"]);
    assert!(failed.len() == 1 && failed[0].contains("`b`"), "{failed:?}");
    for broken in ["tool.nam == ''", "args.x == 1", "1 +"] {
        assert!(
            matches!(tree(broken, "warning").crib(), Err(OpenError::Config { .. })),
            "{broken}"
        );
    }
    assert!(matches!(
        Tree::new(&[("toolcrib.toml", &rule("true", "warning").replace("ACME-1", "TC405"))]).crib(),
        Err(OpenError::Config { .. })
    ));
}

#[test]
fn a_clause_that_cannot_be_used_leaves_the_others_as_they_are() {
    let rule = |code: &str, when: &str| {
        format!(
            "[[rule]]\ncode = \"{code}\"\nseverity = \"warning\"\nwhen = \"{when}\"\nmessage = \"not as we do it\"\n"
        )
    };
    let good =
        [&rule("ACME-2", "true"), "[[allow]]\ncode = \"TC405\"\nreason = \"it is internal\"\n"]
            .concat();
    for (bad, code) in [
        (rule("ACME-1", "tool.nam == ''"), "TC642"),
        (rule("ACME-1", "true").replace("warning", "fatal"), "TC601"),
        ("[[rule]]\ncode = \"ACME-1\"\n".to_owned(), "TC601"),
        ("[[allow]]\ncode = \"TC411\"\nreason = \"\"\n".to_owned(), "TC640"),
        ("[[allow]]\ncode = \"TC411\"\nwhy = \"so\"\n".to_owned(), "TC601"),
    ] {
        let config = [&good, bad.as_str()].concat();
        let tree = Tree::new(&[
            ("MCP_TOOL_SPECIFICATION.md", &spec("a_tool", "string")),
            ("toolcrib.toml", &config),
        ]);
        let (crib, problems) =
            Crib::open_lenient(Some(tree.path()), &Environment::default()).expect("a folder");
        let told: Vec<_> =
            problems.iter().map(|found| (found.code, found.origin.place.clone())).collect();
        assert_eq!(told, [(code, Location::Offset(good.len()))], "{bad}");
        let loaded = Loader::default().load(&crib);
        assert_eq!(
            found(&loaded, &["ACME-1", "ACME-2", "TC405"]),
            ["ACME-2 MCP_TOOL_SPECIFICATION.md not as we do it"],
            "{bad}"
        );
        let named =
            check_paths(&[tree.path().to_owned()], &Environment::default()).expect("a folder");
        assert_eq!(found(&named, &["ACME-1", "ACME-2", "TC405", code]).len(), 2, "{bad}");
        assert!(matches!(tree.crib(), Err(OpenError::Config { .. })), "nothing is served with it");
    }
}

#[test]
fn reading_without_judging_tells_only_what_cannot_be_read() {
    let tree = Tree::new(&[
        ("a/MCP_TOOL_SPECIFICATION.md", &spec("a_tool", "string")),
        ("b/broken.json", "{\"name\":"),
        (
            "c/hidden.json",
            "{\"name\": \"b_tool\", \"description\": \"Do it\u{202e}\", \"command\": \"true\"}",
        ),
    ]);
    let paths = [tree.path().to_owned()];
    let judged = check_paths(&paths, &Environment::default()).expect("a folder");
    assert_eq!(names(&judged), ["a_tool"], "the other has an error");
    assert!(judged.diagnostics.len() > 3, "{:?}", judged.diagnostics);
    let read = read_paths(&paths, &Environment::default()).expect("a folder");
    assert_eq!((names(&read), read.files), (vec!["a_tool", "b_tool"], 3));
    let is_lint =
        |found: &&catalog::Diagnostic| lint::RULES.iter().any(|rule| rule.code == found.code);
    assert_eq!(read.diagnostics.iter().filter(is_lint).count(), 0, "{:?}", read.diagnostics);
    assert!(read.diagnostics.iter().any(catalog::Diagnostic::is_error));
}

#[test]
fn a_linked_schema_that_is_not_there_is_told_in_words() {
    let page = "# M - MCP Tool Specification\n\n## Tool: `a_tool`\n\nDo it.\n\n### Input Schema\n\nSee [it](gone.json).\n";
    let loaded = Tree::new(&[("MCP_TOOL_SPECIFICATION.md", page)]).load();
    let found = loaded.diagnostics.iter().find(|found| found.code == "TC810").expect("it is told");
    assert_eq!(found.message, "the schema in `gone.json` cannot be read: there is no such file");
    assert_eq!(found.hint.as_deref(), Some("correct the link, or write the schema here"));
}

#[test]
fn fixing_writes_files_whole_and_once() {
    let torn = spec("a_tool", "`str \\ | null`").replace("| Yes | One thing |", "| No One thing |");
    let tree = Tree::new(&[("docs/MCP_TOOL_SPECIFICATION.md", &torn)]);
    let crib = tree.crib().expect("a crib");
    let fixed = fix_crib(&crib).expect("it can be written");
    assert_eq!(fixed.len(), 1);
    assert!(
        tree.text("docs/MCP_TOOL_SPECIFICATION.md").contains("`string \\| null`"),
        "{}",
        tree.text("docs/MCP_TOOL_SPECIFICATION.md")
    );
    assert_eq!(fix_crib(&crib).expect("it can be read"), []);
    assert_eq!(
        fs::read_dir(tree.path().join("docs")).expect("a folder").count(),
        1,
        "nothing is left beside it"
    );
}
