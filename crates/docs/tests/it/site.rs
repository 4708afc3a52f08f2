//! The pages of a catalog for a browser.

use catalog::{
    Catalog, Example, Implementation, Location, Origin, SourceId, SpecDetails, Tool,
    spec_details::{ErrorText, Idempotency, IdempotencyClaim, Remark},
};
use docs::Page;
use serde_json::json;

use crate::harness::{grep, plain, schema, sequence};

fn site(tools: impl IntoIterator<Item = Tool>) -> Vec<Page> {
    docs::site(&Catalog::merge(tools).0, "my crib")
}

/// The page of the only tool.
fn page(tool: Tool) -> String {
    site([tool]).remove(1).text
}

/// A tool with everything that a specification says.
fn specified() -> Tool {
    let mut tool = plain("files.count");
    tool.implementation = Implementation::Missing;
    tool.annotations.category = Some("files".into());
    tool.output = Some(schema(json!({"type": "object", "properties": {
        "files": {"type": "array", "items": {"type": "object", "properties": {"lines": {"type": "integer", "description": "How many"}}}}}})));
    tool.description.examples = vec![Example {
        arguments: json!({"path": "a.txt"}).as_object().cloned().unwrap_or_default(),
        explanation: "One file".into(),
    }];
    tool.details = Some(Box::new(SpecDetails {
        errors: Some(ErrorText {
            text: "A missing file is `FileNotFound`.".into(),
            fields: vec![],
            location: Location::Whole,
        }),
        idempotency: Some(Idempotency {
            claim: IdempotencyClaim::Yes,
            text: "Yes: it only reads".into(),
            location: Location::Whole,
        }),
        security: vec![Remark {
            text: "**Paths** stay below the root.".into(),
            location: Location::Whole,
        }],
        ..SpecDetails::default()
    }));
    tool
}

#[test]
fn the_index_has_every_tool_by_category() {
    let pages = site([grep(), sequence(), specified()]);
    let paths: Vec<_> = pages.iter().map(|page| page.path.as_str()).collect();
    assert_eq!(
        paths,
        ["index.html", "tools/files.count.html", "tools/release.html", "tools/search_grep.html"]
    );
    let index = &pages[0].text;
    let order = [
        "<h1>my crib</h1>",
        "3 tools",
        ">files</h2>",
        "tools/files.count.html",
        ">plain</h2>",
        "tools/release.html",
        ">Other tools</h2>",
        "tools/search_grep.html",
    ];
    let places: Vec<_> = order
        .iter()
        .map(|part| index.find(part).unwrap_or_else(|| panic!("{part}: {index}")))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(index.contains("<span class=\"badge dangerous\">dangerous</span>"));
}

#[test]
fn tools_without_a_category_stand_with_those_of_their_definition() {
    let of = |name: &str, source: &str| {
        let mut tool = plain(name);
        tool.origin = Origin::whole(&SourceId::new(source));
        tool
    };
    let specification = "modules/audio/MCP_TOOL_SPECIFICATION.md";
    let index = site([
        of("git_log", "tools/git.json"),
        of("git_push", "tools/git.json"),
        of("one", "tools/one.json"),
        of("hear", specification),
        of("say", specification),
    ])
    .remove(0)
    .text;
    let headings: Vec<_> = index
        .split("-title\">")
        .skip(1)
        .filter(|rest| !rest.starts_with('\n'))
        .filter_map(|rest| rest.split('<').next())
        .collect();
    assert_eq!(headings, ["audio", "git", "Other tools"]);
}

#[test]
fn a_page_says_all_there_is_to_know() {
    let text = page(specified());
    for part in [
        "files[].lines",
        "How many",
        "One file",
        "{&quot;tool_name&quot;:&quot;files.count&quot;,&quot;arguments&quot;:{&quot;path&quot;:&quot;a.txt&quot;}}",
        "A missing file is <code>FileNotFound</code>",
        "<strong>Paths</strong> stay below the root",
        "Yes: it only reads",
        "is not served",
        "tools/plain.json",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = page(grep());
    for part in [
        "version 1.2.0",
        "-i | --no-ignore-case",
        "at least 1 item",
        "&lt;pattern&gt;",
        "30 s",
        "apt install grep",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn nothing_that_an_author_writes_becomes_markup_or_a_request() {
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) ![p](https://e.example/p.png)\u{202e}";
    let mut tool = specified();
    tool.title = Some(evil.into());
    tool.description.text = evil.into();
    tool.annotations.category = Some(evil.into());
    tool.annotations.version = Some(evil.into());
    tool.input = schema(
        json!({"type": "object", "properties": {(evil): {"type": "string", "description": evil, "default": evil, "enum": [evil]}}}),
    );
    for Page { path, text } in site([tool]) {
        assert!(
            !text.contains("<script>alert")
                && !text.contains("<img")
                && !text.contains("href=\"javascript"),
            "{path}: {text}"
        );
        assert!(!text.contains("src=\"") && !text.contains('\u{202e}'), "{path}: {text}");
        let scripts = text.matches("<script").count();
        assert_eq!(scripts, if path == "index.html" { 2 } else { 0 }, "{path}");
        let addresses: Vec<_> =
            text.match_indices("://").map(|(at, _)| &text[at.saturating_sub(20)..at]).collect();
        assert!(
            addresses.iter().all(|before| !before.contains("src") && !before.contains("url(")),
            "{addresses:?}"
        );
    }
}

#[test]
fn headings_follow_each_other_in_order_and_everything_has_a_label() {
    let mut tool = specified();
    tool.description.text = "# One\n\ntext\n\n#### Two\n\ntext".into();
    for Page { path, text } in site([tool, grep()]) {
        let levels: Vec<u32> = text
            .match_indices("<h")
            .filter_map(|(at, _)| text[at + 2..].chars().next()?.to_digit(10))
            .collect();
        assert_eq!(levels.first(), Some(&1), "{path}");
        assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1, "{path}");
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{path}: {levels:?}");
        assert_eq!(text.matches("<main").count(), 1, "{path}");
        assert_eq!(
            text.matches("<input").count(),
            text.matches("<label for=\"q\"").count(),
            "{path}"
        );
        assert!(text.contains("<html lang=\"en\">") && text.contains("class=\"skip\""), "{path}");
        for id in text.split(" href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(text.contains(&format!("id=\"{id}\"")), "{path} leads to #{id}");
        }
    }
}

#[test]
fn the_index_of_words_has_names_texts_and_parameters() {
    let index = site([grep()]).remove(0).text;
    let words = index
        .split("id=\"words\">")
        .nth(1)
        .and_then(|rest| rest.split("</script>").next())
        .expect("the words");
    let words: Vec<String> = serde_json::from_str(words).expect("JSON");
    assert_eq!(words.len(), 1);
    for word in ["search_grep", "find lines that match a pattern.", "max-count"] {
        assert!(words[0].contains(word), "{word}: {words:?}");
    }
}

#[test]
fn pages_are_the_same_bytes_whatever_the_order_of_tools() {
    assert_eq!(site([grep(), plain("a"), specified()]), site([specified(), grep(), plain("a")]));
}
