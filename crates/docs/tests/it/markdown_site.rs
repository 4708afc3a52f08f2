//! Catalogs as Markdown pages.

use catalog::Catalog;

use crate::sample_tools::{grep_tool, plain_tool, sequence_tool};

#[test]
fn the_index_links_to_a_page_per_tool() {
    let (catalog, _) = Catalog::merge([grep_tool(), sequence_tool(), plain_tool("zero")]);
    let pages = docs::render_markdown_site(&catalog, "my crib");
    insta::assert_snapshot!(pages[0].text, @r"
    # `my crib`

    3 tools.

    | tool | description | effect |
    |---|---|---|
    | [`release`](tools/release.md) | Do nothing | dangerous |
    | [`search_grep`](tools/search_grep.md) | Find lines that match a pattern | reads |
    | [`zero`](tools/zero.md) | Do nothing | reads |
    ");
    let paths: Vec<_> = pages.iter().map(|page| page.path.as_str()).collect();
    assert_eq!(paths, ["index.md", "tools/release.md", "tools/search_grep.md", "tools/zero.md"]);
    assert_eq!(pages[2].text, docs::render_tool_page(&grep_tool()));
}

#[test]
fn pages_do_not_depend_on_the_order_of_tools() {
    let render = |names: [&str; 2]| {
        docs::render_markdown_site(&Catalog::merge(names.map(plain_tool)).0, "c")
    };
    assert_eq!(render(["a", "b"]), render(["b", "a"]));
}

#[test]
fn paths_are_unique_and_inside_the_site() {
    let (catalog, _) = Catalog::merge(["a", "A", "../x", ".._x", "a/b"].map(plain_tool));
    let pages = docs::render_markdown_site(&catalog, "c");
    let paths: Vec<_> = pages.iter().map(|page| page.path.as_str()).collect();
    insta::assert_snapshot!(paths.join("\n"), @r"
    index.md
    tools/.._x.md
    tools/.._x~2.md
    tools/A.md
    tools/a~2.md
    tools/a_b.md
    ");
}
