//! `[content]` and prompts: what is wrong with them, and where.

use catalog::Location;
use workspace::RULES;

use crate::harness::Folder;

const CODES: [&str; 5] = ["TC701", "TC702", "TC703", "TC704", "TC705"];

#[test]
fn examples_of_rules_have_their_problem_and_no_other() {
    for rule in RULES.iter().filter(|rule| CODES.contains(&rule.code)) {
        let codes = |config: &str| {
            Folder::new(config)
                .findings()
                .iter()
                .map(|found| found[..5].to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(codes(rule.bad).first().map(String::as_str), Some(rule.code));
        assert!(codes(rule.bad).iter().all(|code| code == rule.code), "{}", rule.code);
        assert_eq!(codes(rule.good), [""; 0], "{}", rule.code);
    }
}

#[test]
fn names_that_no_expression_can_hold_are_refused() {
    for name in ["a,b", "a+b", "a/b", "!a", "a b", "", ".a", "größe"] {
        let folder = Folder::new(&format!("[content.categories.\"{name}\"]\ndir = \".\"\n"));
        assert!(
            folder.findings().iter().all(|found| found.starts_with("TC701 1 ")),
            "{name}: {:?}",
            folder.findings()
        );
        assert_eq!(
            (folder.findings().len(), folder.load().1.content.categories.len()),
            (1, 0),
            "{name}"
        );
    }
}

#[test]
fn a_collection_that_names_what_is_not_there_is_told() {
    let config = "[content.categories.lang]\ndir = \".\"\n[content.collections.a]\nitems = [\"lnag/python\", \"b\"]\n\
                  [content.collections.b]\nitems = [\"a\", \"lang/{x\"]\n[content.collections.c]\nitems = [\"c,lang\"]\n";
    let found = Folder::new(config).findings();
    assert_eq!(
        found,
        [
            "TC704 4 `lnag/python` names no category or collection",
            "TC704 6 this `{` is not closed",
            "TC704 8 the collection `c` contains itself",
        ]
    );
}

#[test]
fn categories_are_given_with_their_folder_and_patterns() {
    let folder = Folder::new(
        "[content.categories.t]\ndir = \"tools\"\npatterns = [\"*.json\", \"!x*\"]\n[content.categories.u]\ndir = \".\"\n",
    );
    let (crib, loaded) = folder.load();
    let [t, u] = loaded.content.categories.as_slice() else { panic!("{:?}", loaded.content) };
    assert_eq!(t.folder, crib.folder.join("tools"));
    assert_eq!(t.patterns.iter().map(ToString::to_string).collect::<Vec<_>>(), ["*.json", "!x*"]);
    assert_eq!(u.patterns[0].to_string(), "**/*.md");
}

/// The codes and lines of what is wrong with prompts.
fn prompt_findings(files: &[(&str, &str)]) -> Vec<String> {
    let folder = Folder::new("[prompts]\ndirs = [\"more\"]\n");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let (_, loaded) = folder.load();
    let line = |found: &catalog::Diagnostic| match found.origin.place {
        Location::Offset(at) => {
            std::fs::read_to_string(folder.path().join(found.origin.source.as_str())).expect("it")
                [..at]
                .matches('\n')
                .count()
                + 1
        }
        _ => 0,
    };
    loaded
        .diagnostics
        .iter()
        .map(|found| format!("{} {}:{}", found.code, found.origin.source, line(found)))
        .collect()
}

#[test]
fn prompts_are_found_where_they_are_by_convention_and_configuration() {
    let prompt = "---\ndescription: P\n---\nbody";
    let workflow = "name: w\ndescription: W\njobs:\n  a:\n    steps:\n      - tool: git_log\n      - tool: get_content\n      - tool: git_lgo\n";
    let found = prompt_findings(&[
        ("prompts/a.md", prompt),
        (
            "prompts/c.md",
            "---\ndescription: C\n---\n{{ call('guide_get_content', {}) }}{{ tool('git_log') }}",
        ),
        ("more/a.md", prompt),
        ("more/b.md", "---\ndescription: B\n---\n\n{% for %}"),
        ("inst/mcp/workflows/w.yaml", workflow),
        ("prompts/.hidden.md", "{% broken"),
    ]);
    assert_eq!(
        found,
        [
            "TC719 inst/mcp/workflows/w.yaml:8",
            "TC717 more/a.md:0",
            "TC712 more/b.md:5",
            "TC719 prompts/c.md:4"
        ]
    );
}

#[test]
fn a_prompt_that_breaks_stays_as_it_was() {
    let folder = Folder::new("");
    let path = folder.path().join("prompts/a.md");
    std::fs::create_dir(folder.path().join("prompts")).expect("a folder");
    std::fs::write(&path, "---\ndescription: Good\n---\nbody").expect("a file");
    let crib = folder.open().expect("a crib");
    let mut loader = workspace::Loader::default();
    let good = loader.load(&crib).prompts;
    std::fs::write(&path, "---\ndescription: [\n---\nbody").expect("a file");
    let loaded = loader.load(&crib);
    assert_eq!((loaded.prompts, loaded.stale.len()), (good, 1));
    std::fs::remove_file(&path).expect("a file");
    assert_eq!(loader.load(&crib).prompts, []);
}
