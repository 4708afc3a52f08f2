//! Drafts of definitions from files of a project.

mod layouts;

use std::collections::BTreeMap;

use import::{Draft, Project, find_drafts};

#[derive(Default)]
struct Files(BTreeMap<&'static str, &'static str>);

impl Project for Files {
    fn exists(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).map(|text| (*text).to_owned())
    }
}

fn drafts(files: &[(&'static str, &'static str)]) -> Vec<Draft> {
    find_drafts(&Files(files.iter().copied().collect()))
}

fn only(files: &[(&'static str, &'static str)]) -> Draft {
    let [draft] = <[Draft; 1]>::try_from(drafts(files)).expect("one source");
    draft
}

#[test]
fn targets_of_a_makefile_are_tools() {
    let text = "\
# Variables: none of them is a target
CC := gcc
CFLAGS ?= -O2
all: build test ## Build and test everything
# Compile the program
.PHONY: build
build: main.o
\t$(CC) -o app: main.o
%.o: %.c
\t$(CC) -c $<
main.o: main.c
test lint:
\t./run
deploy:
\tscp app server:
$(OUT): x
";
    insta::assert_snapshot!(only(&[("Makefile", text)]).text());
}

#[test]
fn recipes_of_a_justfile_are_tools_unless_they_need_arguments() {
    let text = "\
set shell := [\"bash\", \"-c\"]
version := \"1\"
# Build everything
build profile='dev':
    cargo build
[private]
hidden:
    true
_helper:
    true
greet name:
    echo {{name}}
@test *filter:
    cargo test
";
    let draft = only(&[("justfile", text)]);
    assert_eq!(draft.summary, "justfile: build, test");
    insta::assert_snapshot!(draft.text());
}

#[test]
fn scripts_of_a_package_are_tools() {
    let text = r#"{"scripts": {"build": "vite build", "pretest": "x", "preview": "vite preview", "prettier": "prettier .", "prepack": "x", "test": "vitest", "db:reset": "x", "release": "np"}}"#;
    insta::assert_snapshot!(only(&[("package.json", text)]).text());
    let yarn = drafts(&[("package.json", text), ("yarn.lock", "")]);
    assert_eq!(yarn[0].definition["command"], "yarn run");
}

#[test]
fn a_python_package_without_programs_is_run_as_a_module() {
    let project = ("pyproject.toml", "[project]\nname = \"Word-Count\"\n");
    let draft = only(&[project, ("src/word_count/__main__.py", "")]);
    assert_eq!(
        (draft.name.as_str(), draft.summary.as_str()),
        ("word_count", "src/word_count/__main__.py")
    );
    assert_eq!(draft.definition["command"], "env PYTHONPATH=src python3 -m word_count");
    assert_eq!(drafts(&[project, ("word_count/__init__.py", "")]), []);
}

#[test]
fn nothing_is_drafted_from_files_without_commands() {
    let files = [("Makefile", "X = 1\n"), ("package.json", "{"), ("pyproject.toml", "[project]\n")];
    assert_eq!(drafts(&files), []);
}

#[test]
fn every_source_is_found() {
    let files = [
        (".git", ""),
        ("Makefile", "build:\n\ttrue\nclean:\n\ttrue\n"),
        ("justfile", "build:\n  true\n"),
        ("package.json", r#"{"scripts": {"build": "x"}}"#),
        ("Cargo.toml", ""),
        ("pyproject.toml", "[tool.pytest.ini_options]\n"),
    ];
    let drafts = drafts(&files);
    let names: Vec<_> = drafts.iter().map(Draft::file).collect();
    assert_eq!(
        names,
        ["git", "make", "just", "npm", "cargo", "pytest"].map(|name| format!("tools/{name}.json"))
    );
}
