//! Locating the sources of R packages, and building them.

use catalog::Implementation;
use workspace::RPackage;

use crate::crib_fixture::CribFixture;

const TOOL: &str = "description: D\nparameters: {type: object, properties: {}}\nimplementation_example: f()\nmutates: no\n";

/// The R tools of a crib with these files, and the folders of their sources.
fn source_folders(files: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
    let loaded = CribFixture::new(files).load();
    let tools = loaded.catalog.tools().iter().filter_map(|tool| match &tool.implementation {
        Implementation::R(function) => Some((tool.name.clone(), function.sources.clone())),
        _ => None,
    });
    tools.collect()
}

#[test]
fn sources_near_a_definition_are_found() {
    let tool = |name: &str| format!("name: {name}\n{TOOL}");
    let found = source_folders(&[
        ("DESCRIPTION", "Package: own\nVersion: 1\n"),
        ("R/a.R", "f <- function() 1\n"),
        ("inst/mcp/tools/own-f.yaml", &tool("own-f")),
        ("beside/DESCRIPTION", "Package: beside\nVersion: 1\n"),
        ("beside/R/a.R", "f <- function() 1\n"),
        ("tools/beside-f.yaml", &tool("beside-f")),
        ("tools/installed-f.yaml", &tool("installed-f")),
    ]);
    let expected = [("beside-f", Some("beside")), ("installed-f", None), ("own-f", Some("."))];
    assert_eq!(
        found,
        expected.map(|(name, sources)| (name.to_owned(), sources.map(str::to_owned)))
    );
}

#[test]
fn code_for_this_operating_system_is_built_last() {
    let tool = |name: &str| {
        format!("#' T\n#' @examples {name}()\n#' @keywords mcp-tool\n{name} <- function() 1\n")
    };
    let folder = CribFixture::new(&[
        ("DESCRIPTION", "Package: own\nVersion: 1\n"),
        ("R/unix/a.R", &tool("a")),
        ("R/windows/b.R", &tool("b")),
        ("R/elsewhere/c.R", &tool("c")),
        ("R/z.R", &tool("z")),
    ]);
    let build = RPackage::open(&folder.root()).expect("a package").compile(None);
    let names: Vec<_> =
        build.definitions.iter().map(|definition| definition.tool.as_str()).collect();
    let own = if cfg!(windows) { "own-b" } else { "own-a" };
    assert_eq!(names, ["own-z", own]);
}
