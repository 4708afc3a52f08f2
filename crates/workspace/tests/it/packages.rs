//! Where the sources of R packages are looked for.

use std::fs;

use catalog::Launch;
use tempfile::TempDir;
use workspace::{Crib, Environment, Loader};

const TOOL: &str = "description: D\nparameters: {type: object, properties: {}}\nimplementation_example: f()\nmutates: no\n";

fn sources(files: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let crib = Crib::open(Some(folder.path()), &Environment::default()).expect("a crib");
    let loaded = Loader::default().load(&crib);
    let tools = loaded.catalog.tools().iter().filter_map(|tool| match &tool.launch {
        Launch::R(function) => Some((tool.name.clone(), function.sources.clone())),
        _ => None,
    });
    tools.collect()
}

#[test]
fn sources_beside_a_definition_are_found() {
    let tool = |name: &str| format!("name: {name}\n{TOOL}");
    let found = sources(&[
        ("DESCRIPTION", "Package: own\nVersion: 1\n"),
        ("R/a.R", "f <- function() 1\n"),
        ("inst/mcp/tools/own-f.yaml", &tool("own-f")),
        ("beside/DESCRIPTION", "Package: beside\nVersion: 1\n"),
        ("beside/R/a.R", "f <- function() 1\n"),
        ("tools/beside-f.yaml", &tool("beside-f")),
        ("tools/installed-f.yaml", &tool("installed-f")),
    ]);
    let expected = [("beside-f", Some("beside")), ("installed-f", None), ("own-f", Some("."))];
    assert_eq!(found, expected.map(|(name, sources)| (name.to_owned(), sources.map(str::to_owned))));
}
