//! `[[bind]]`: what it gives to which tools, and what is said about one that cannot work.

use std::{fs, time::Duration};

use catalog::{Implementation, Location, OnMismatch, implementation::Piece};
use tempfile::TempDir;
use workspace::{Crib, Environment, Loaded, Loader, OpenError};

/// A page with these tools, each with one parameter.
fn page(names: &[&str]) -> String {
    let tool = |name: &&str| {
        format!(
            "## Tool: `{name}`\n\nDo something well.\n\n| Parameter | Type | Required | Description |\n|---|---|---|---|\n| `a` | string | Yes | One thing |\n\n"
        )
    };
    format!("# M - MCP Tool Specification\n\n{}", names.iter().map(tool).collect::<String>())
}

/// A tool that runs by itself, and one of command lines that does not.
const LIST_FILES: &str = r#"{"name": "list_files", "description": "List files", "command": "ls", "mutates": false,
 "subcommand": [{"name": "default", "description": "List files"}]}"#;
const GREP: &str = r#"{"name": "find_text", "description": "Find text", "mutates": false,
 "subcommand": [{"name": "default", "description": "Find text", "options": [{"name": "text", "type": "string", "description": "What"}]}]}"#;

struct Folder(TempDir);

impl Folder {
    fn new(config: &str, names: &[&str]) -> Self {
        let folder = Self(TempDir::new().expect("a folder"));
        fs::create_dir(folder.0.path().join("tools")).expect("a folder");
        for (name, text) in [
            ("toolcrib.toml", config),
            ("MCP_TOOL_SPECIFICATION.md", &page(names)),
            ("tools/l.json", LIST_FILES),
            ("tools/g.json", GREP),
        ] {
            fs::write(folder.0.path().join(name), text).expect("a file");
        }
        folder
    }

    fn load(&self) -> Result<Loaded, OpenError> {
        Ok(Loader::default().load(&Crib::open(Some(self.0.path()), &Environment::default())?))
    }

    fn loaded(&self) -> Loaded {
        self.load().expect("a good configuration")
    }

    /// `TC820 at 0: message`, of the configuration.
    fn findings(&self) -> Vec<String> {
        let found = match self.load() {
            Ok(loaded) => loaded.diagnostics,
            Err(OpenError::Config { diagnostics }) => diagnostics,
            Err(error) => panic!("{error}"),
        };
        let of_config =
            found.iter().filter(|found| found.origin.source.as_str() == "toolcrib.toml");
        let line = |found: &catalog::Diagnostic| match found.origin.place {
            Location::Offset(offset) => format!("{} at {offset}: {}", found.code, found.message),
            _ => panic!("it has a place: {found:?}"),
        };
        of_config.map(line).collect()
    }
}

fn implementation<'a>(loaded: &'a Loaded, name: &str) -> &'a Implementation {
    &loaded.catalog.get(name).expect("a tool").implementation
}

#[test]
fn one_line_binds_a_module_of_forty_tools() {
    let names: Vec<String> = (1..=40).map(|number| format!("shop.item_{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = Folder::new(
        "[[bind]]\ntools = \"shop.*\"\npython = \"shop.api\"\npath = [\"src\"]\nmutates = true\n",
        &names,
    );
    fs::create_dir(folder.0.path().join("src")).expect("a folder");
    let loaded = folder.loaded();
    for (number, name) in names.iter().enumerate() {
        let Implementation::Python(function) = implementation(&loaded, name) else {
            panic!("{name} is not bound")
        };
        assert_eq!(
            (function.module.as_str(), function.function.as_str()),
            ("shop.api", format!("item_{}", number + 1).as_str())
        );
        assert_eq!(function.path, ["src"]);
    }
    assert_eq!(folder.findings(), [""; 0]);
}

#[test]
fn a_command_gets_json_for_specifications_and_words_for_command_lines() {
    let config =
        "[[bind]]\ntools = \"*\"\ncommand = [\"prog\", \"{a}\", \"{text}\"]\nmutates = false\n";
    let loaded = Folder::new(config, &["one_tool"]).loaded();
    let Implementation::Process(spec) = implementation(&loaded, "one_tool") else {
        panic!("a program")
    };
    assert_eq!(
        spec.pieces,
        [Piece::Word("{a}".into()), Piece::Word("{text}".into()), Piece::Json],
        "nothing is spliced in"
    );
    let Implementation::Process(line) = implementation(&loaded, "find_text") else {
        panic!("a program")
    };
    assert!(!line.speaks_json() && line.bindings().any(|binding| binding.parameter == "text"));
}

#[test]
fn a_clause_says_more_about_its_tools() {
    let config = "[[bind]]\ntools = \"one_tool\"\npython = \"m:other\"\noutput = \"fail\"\ntimeout_seconds = 5\n\
                  mutates = true\ndangerous = true\nnetwork = true\nrequires_approval = true\n\
                  [[bind]]\ntools = \"two_tool\"\ntool = \"list_files\"\n";
    let loaded = Folder::new(config, &["one_tool", "two_tool"]).loaded();
    let tool = loaded.catalog.get("one_tool").expect("a tool");
    assert!(
        matches!(&tool.implementation, Implementation::Python(function) if function.function == "other")
    );
    assert_eq!(
        (tool.on_mismatch, tool.timeout),
        (Some(OnMismatch::Fail), Some(Duration::from_secs(5)))
    );
    let annotations = &tool.annotations;
    assert_eq!(
        [
            annotations.mutates,
            annotations.dangerous,
            annotations.network,
            annotations.requires_approval
        ],
        [Some(true); 4]
    );
    let other = loaded.catalog.get("two_tool").expect("a tool");
    assert_eq!(other.implementation, Implementation::Tool("list_files".to_owned()));
    assert_eq!(
        (other.on_mismatch, other.annotations.mutates),
        (Some(OnMismatch::Warn), Some(false)),
        "as the tool behind it"
    );
}

#[test]
fn the_first_clause_that_matches_counts_and_that_is_told() {
    let config = "[[bind]]\ntools = \"one_tool\"\npython = \"special\"\n\n[[bind]]\ntools = \"*_tool\"\npython = \"general\"\n\n\
                  [[bind]]\ntools = \"two_*\"\npython = \"late\"\n";
    let folder = Folder::new(config, &["one_tool", "two_tool"]);
    let loaded = folder.loaded();
    let module = |name: &str| match implementation(&loaded, name) {
        Implementation::Python(function) => function.module.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (module("one_tool"), module("two_tool")),
        ("special".to_owned(), "general".to_owned())
    );
    let found = folder.findings();
    assert_eq!(
        found,
        [
            "TC821 at 48: `one_tool` of `*_tool` stays bound by an earlier `[[bind]]`",
            "TC603 at 94: every tool that `two_*` matches is bound by an earlier `[[bind]]`",
        ]
    );
}

#[test]
fn tools_that_nothing_is_bound_to_are_documented() {
    let loaded =
        Folder::new("[[bind]]\ntools = \"one_*\"\npython = \"m\"\n", &["one_tool", "two_tool"])
            .loaded();
    assert!(!loaded.catalog.get("two_tool").expect("a tool").is_callable());
}

#[test]
fn circles_and_targets_that_are_not_there_are_errors_and_not_served() {
    let config = "[[bind]]\ntools = \"one_tool\"\ntool = \"two_tool\"\n[[bind]]\ntools = \"two_tool\"\ntool = \"one_tool\"\n\
                  [[bind]]\ntools = \"three_tool\"\ntool = \"lost_files\"\n[[bind]]\ntools = \"four_tool\"\ntool = \"five_tool\"\n\
                  [[bind]]\ntools = \"six_tool\"\ntool = \"status\"\n";
    let folder = Folder::new(
        config,
        &["one_tool", "two_tool", "three_tool", "four_tool", "five_tool", "six_tool"],
    );
    let found = folder.findings();
    let codes: Vec<_> = found.iter().map(|line| &line[..5]).collect();
    assert_eq!(codes, ["TC823", "TC823", "TC822", "TC822"], "{found:?}");
    assert!(
        found[2].contains("`three_tool` is bound to `lost_files`, which is no tool of this crib"),
        "{found:?}"
    );
    assert!(found[3].contains("which nothing runs either"), "{found:?}");
    let loaded = folder.loaded();
    let served = loaded
        .catalog
        .tools()
        .iter()
        .filter(|tool| tool.is_callable())
        .map(|tool| tool.name.as_str());
    assert_eq!(served.collect::<Vec<_>>(), ["list_files", "six_tool"]);
}

#[test]
fn a_clause_that_is_not_understood_is_not_guessed_at() {
    for (clause, message) in [
        ("tools = \"*\"", "nothing is said that runs `*`"),
        ("tools = \"*\"\npython = \"m\"\ntool = \"x\"", "more than one thing is to run `*`"),
        ("tools = \"*\"\ncommand = []", "`command` names no program"),
        ("tools = \"a/b\"\ntool = \"x\"", "is not a glob"),
        ("tools = \"*\"\npython = \"m.2\"", "`m.2` is not a module of Python"),
        ("tools = \"*\"\npython = \"m:f-g\"", "`m:f-g` is not a module of Python"),
        ("tools = \"*\"\ntool = \"x\"\npath = [\".\"]", "`path` is for modules of Python"),
    ] {
        let found = Folder::new(&format!("[[bind]]\n{clause}\n"), &["one_tool"]).findings();
        assert!(
            found.len() == 1 && found[0].starts_with("TC820 at 0: ") && found[0].contains(message),
            "{clause}: {found:?}"
        );
    }
    let found = Folder::new("[[bind]]\ntools = \"*\"\npyhton = \"m\"\n", &["one_tool"]).findings();
    assert!(found[0].starts_with("TC601"), "{found:?}");
}

#[test]
fn the_examples_of_the_rules_have_their_problem_and_not_have_it() {
    let is_ours = |code: &str| code == "TC603" || ("TC820"..="TC829").contains(&code);
    let rules: Vec<_> = workspace::RULES.iter().filter(|rule| is_ours(rule.code)).collect();
    assert_eq!(rules.len(), 7);
    for rule in rules {
        let codes = |config: &str| {
            let found = Folder::new(config, &["count_lines", "other_tool", "other.2d"]).findings();
            found.iter().filter(|line| line.starts_with(rule.code)).count()
        };
        assert_eq!((codes(rule.bad), codes(rule.good)), (1, 0), "{}", rule.code);
    }
}
