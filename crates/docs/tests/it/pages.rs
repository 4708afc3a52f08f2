//! The pages of a catalog.

use catalog::Catalog;

use crate::harness::{grep, plain, sequence};

#[test]
fn the_index_leads_to_a_page_for_each_tool() {
    let (catalog, _) = Catalog::merge([grep(), sequence(), plain("zero")]);
    let pages = docs::pages(&catalog, "my crib");
    insta::assert_snapshot!(pages[0].text, @r##"
    # `my crib`

    3 tools.

    | tool | what it does | effect |
    |---|---|---|
    | [`release`](tools/release.md) | Do nothing | dangerous |
    | [`search_grep`](tools/search_grep.md) | Find lines that match a pattern | reads |
    | [`zero`](tools/zero.md) | Do nothing | reads |
    "##);
    let paths: Vec<_> = pages.iter().map(|page| page.path.as_str()).collect();
    assert_eq!(paths, ["index.md", "tools/release.md", "tools/search_grep.md", "tools/zero.md"]);
    assert_eq!(pages[2].text, docs::tool_page(&grep()));
}

#[test]
fn pages_depend_on_nothing_but_the_catalog() {
    let forward = docs::pages(&Catalog::merge([plain("a"), plain("b")]).0, "c");
    let backward = docs::pages(&Catalog::merge([plain("b"), plain("a")]).0, "c");
    assert_eq!(forward, backward);
}

#[test]
fn every_tool_has_a_path_of_its_own_inside_the_folder() {
    let (catalog, _) = Catalog::merge(["a", "A", "../x", ".._x", "a/b"].map(plain));
    let pages = docs::pages(&catalog, "c");
    let mut paths: Vec<_> = pages.iter().map(|page| page.path.to_lowercase()).collect();
    assert!(
        paths
            .iter()
            .skip(1)
            .all(|path| path.starts_with("tools/") && path.matches('/').count() == 1),
        "{paths:?}"
    );
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 6);
}
