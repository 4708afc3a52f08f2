//! `[content]` and prompts.

use crate::crib_fixture::{CribFixture, check_rule_examples};

#[test]
fn the_examples_of_rules_are_bad_and_good() {
    check_rule_examples("TC70", 5, CribFixture::with_config);
}

#[test]
fn names_that_no_expression_can_contain_are_rejected() {
    for name in ["a,b", "a+b", "a/b", "!a", "a b", "", ".a", "größe"] {
        let crib =
            CribFixture::with_config(&format!("[content.categories.\"{name}\"]\ndir = \".\"\n"));
        assert_eq!(crib.config_codes(), ["TC701"], "{name}");
        assert!(crib.check_config().starts_with("TC701 line 1: "), "{name}");
        assert_eq!(crib.load().content.categories.len(), 0, "{name}");
    }
}

#[test]
fn a_collection_with_an_unknown_name_or_a_cycle_is_reported() {
    let config = "[content.categories.lang]\ndir = \".\"\n[content.collections.a]\nitems = [\"lnag/python\", \"b\"]\n\
                  [content.collections.b]\nitems = [\"a\", \"lang/{x\"]\n[content.collections.c]\nitems = [\"c,lang\"]\n";
    insta::assert_snapshot!(CribFixture::with_config(config).check_config(), @r"
    TC704 line 4: `lnag/python` refers to an unknown category or collection (did you mean `lang`?)
    TC704 line 6: unclosed `{` (write `{a,b}`, or `\{` for a literal brace)
    TC704 line 8: the collection `c` contains itself (remove it from its own items)
    ");
}

#[test]
fn categories_have_a_folder_and_patterns() {
    let test_crib = CribFixture::with_config(
        "[content.categories.t]\ndir = \"tools\"\npatterns = [\"*.json\", \"!x*\"]\n[content.categories.u]\ndir = \".\"\n",
    );
    let (crib, loaded) = (test_crib.open_valid(), test_crib.load());
    let [t, u] = loaded.content.categories.as_slice() else { panic!("{:?}", loaded.content) };
    assert_eq!(t.folder, crib.folder.join("tools"));
    assert_eq!(t.patterns.iter().map(ToString::to_string).collect::<Vec<_>>(), ["*.json", "!x*"]);
    assert_eq!(u.patterns[0].to_string(), "**/*.md");
}

/// The diagnostics of a crib with these prompts, one per line.
fn check_prompts(files: &[(&str, &str)]) -> String {
    let crib = CribFixture::with_config("[prompts]\ndirs = [\"more\"]\n");
    for (name, text) in files {
        crib.write(name, text);
    }
    let diagnostics = crib.load().diagnostics;
    let lines = diagnostics.iter().map(|found| {
        let line = crib.line(found).map_or_else(String::new, |line| format!(":{line}"));
        format!("{} {}{line}: {}", found.code, found.origin.source, found.message)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn prompts_are_found_by_convention_and_configuration() {
    let prompt = "---\ndescription: P\n---\nbody";
    let workflow = "name: w\ndescription: W\njobs:\n  a:\n    steps:\n      - tool: git_log\n      - tool: get_content\n      - tool: git_lgo\n";
    let found = check_prompts(&[
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
    insta::assert_snapshot!(found, @"
    TC719 inst/mcp/workflows/w.yaml:8: there is no tool `git_lgo`
    TC717 more/a.md: the prompt `a` is already defined in prompts/a.md
    TC712 more/b.md:5: unexpected end of block, expected in
    TC719 prompts/c.md:4: there is no tool `guide_get_content`
    ");
}

#[test]
fn a_broken_prompt_keeps_its_last_valid_version() {
    let crib = CribFixture::with_config("");
    crib.write("prompts/a.md", "---\ndescription: Good\n---\nbody");
    let open = crib.open_valid();
    let mut loader = workspace::Loader::default();
    let valid = loader.load(&open).prompts;
    crib.write("prompts/a.md", "---\ndescription: [\n---\nbody");
    let loaded = loader.load(&open);
    assert_eq!((loaded.prompts, loaded.stale.len()), (valid, 1));
    std::fs::remove_file(crib.root().join("prompts/a.md")).expect("the file exists");
    assert_eq!(loader.load(&open).prompts, []);
}
