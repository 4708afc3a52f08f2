//! Catalogs as HTML pages.

use catalog::{
    Catalog, Example, Implementation, Location, Origin, SourceId, SpecDetails, Tool,
    spec_details::{ErrorText, Idempotency, IdempotencyClaim, Remark},
};
use docs::SitePage;
use serde_json::json;

use crate::sample_tools::{grep_tool, plain_tool, schema, sequence_tool};

fn render_site(tools: impl IntoIterator<Item = Tool>) -> Vec<SitePage> {
    docs::render_html_site(&Catalog::merge(tools).0, "my crib")
}

fn render_index(tools: impl IntoIterator<Item = Tool>) -> String {
    render_site(tools).remove(0).text
}

/// The body of a page, without the script of the index: the rest is the same in all pages.
fn body(page: &str) -> &str {
    let (_, body) = page.split_once("<body>\n").expect("a body");
    body.split_once("<script>\n").map_or(body, |(body, _)| body)
}

/// A tool without an implementation, with everything that a specification can have.
fn specified_tool() -> Tool {
    let mut tool = plain_tool("files.count");
    tool.implementation = Implementation::Missing;
    tool.annotations.category = Some("files".into());
    tool.output = Some(schema(json!({"type": "object", "properties": {
        "files": {"type": "array", "items": {"type": "object", "properties": {"lines": {"type": "integer", "description": "Number of lines"}}}}}})));
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
    let pages = render_site([grep_tool(), sequence_tool(), specified_tool()]);
    let paths: Vec<_> = pages.iter().map(|page| page.path.as_str()).collect();
    assert_eq!(
        paths,
        ["index.html", "tools/files.count.html", "tools/release.html", "tools/search_grep.html"]
    );
    insta::assert_snapshot!(body(&pages[0].text), @r##"
    <a class="skip" href="#main">Skip to content</a>
    <header class="top"><h1>my crib</h1>
    <p class="lead" id="count" role="status">3 tools</p>
    <form role="search" id="search" hidden><label for="q">Search tools</label><input id="q" name="q" type="search" autocomplete="off" placeholder="name, words, parameters"></form>
    </header>
    <nav class="contents" aria-label="Categories"><ul><li><a href="#group-1">files</a> <span class="number">1</span></li><li><a href="#group-2">plain</a> <span class="number">1</span></li><li><a href="#group-3">Other tools</a> <span class="number">1</span></li></ul></nav>
    <main id="main">
    <section id="group-1" aria-labelledby="group-1-title">
    <h2 id="group-1-title">files</h2>
    <ul class="tools">
    <li><a href="tools/files.count.html"><code>files.count</code></a> <span class="badge not-served">not served</span><br><span class="about">Do nothing</span></li>
    </ul>
    </section>
    <section id="group-2" aria-labelledby="group-2-title">
    <h2 id="group-2-title">plain</h2>
    <ul class="tools">
    <li><a href="tools/release.html"><code>release</code></a> <span class="badge dangerous">dangerous</span><br><span class="about">Do nothing</span></li>
    </ul>
    </section>
    <section id="group-3" aria-labelledby="group-3-title">
    <h2 id="group-3-title">Other tools</h2>
    <ul class="tools">
    <li><a href="tools/search_grep.html"><code>search_grep</code></a> <span class="title">Search</span> <span class="badge reads">reads</span><br><span class="about">Find lines that match a pattern</span></li>
    </ul>
    </section>
    <p id="nothing" hidden>No tools match.</p>
    </main>
    <script type="application/json" id="words">["files.count do nothing. successfully. files","release do nothing. successfully.","search_grep search find lines that match a pattern. ignore-case max-count colour include pattern files working_directory"]</script>
    "##);
}

#[test]
fn groups_tools_without_a_category_by_definition() {
    let defined_in = |name: &str, source: &str| {
        let mut tool = plain_tool(name);
        tool.origin = Origin::whole_file(&SourceId::new(source));
        tool
    };
    let specification = "modules/audio/MCP_TOOL_SPECIFICATION.md";
    let index = render_index([
        defined_in("git_log", "tools/git.json"),
        defined_in("git_push", "tools/git.json"),
        defined_in("one", "tools/one.json"),
        defined_in("play", specification),
        defined_in("record", specification),
    ]);
    let headings: Vec<_> = index
        .split("-title\">")
        .skip(1)
        .filter(|rest| !rest.starts_with('\n'))
        .filter_map(|rest| rest.split('<').next())
        .collect();
    assert_eq!(headings, ["audio", "git", "Other tools"]);
}

#[test]
fn documents_a_specified_tool() {
    let page = render_site([specified_tool()]).remove(1).text;
    insta::assert_snapshot!(body(&page), @r##"
    <a class="skip" href="#main">Skip to content</a>
    <header class="bar"><nav aria-label="Breadcrumb"><a href="../index.html">my crib</a> / <a href="../index.html#group-1">files</a></nav>
    <form role="search" action="../index.html" method="get"><label for="q">Search tools</label><input id="q" name="q" type="search" autocomplete="off"></form></header>
    <main id="main">
    <h1><code>files.count</code></h1>
    <p class="badges"><span class="badge not-served">not served</span></p>
    <nav class="contents" aria-label="On this page"><ul><li><a href="#about">Description</a></li><li><a href="#parameters">Parameters</a></li><li><a href="#result">Result</a></li><li><a href="#examples">Examples</a></li><li><a href="#errors">Errors</a></li><li><a href="#security">Security</a></li><li><a href="#runs">Implementation</a></li><li><a href="#facts">Facts</a></li></ul></nav>
    <section aria-labelledby="about">
    <h2 id="about">Description</h2>
    <p>Do nothing. Successfully.</p>
    </section>
    <section aria-labelledby="parameters">
    <h2 id="parameters">Parameters</h2>
    <p>None.</p>
    </section>
    <section aria-labelledby="result">
    <h2 id="result">Result</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Fields of the result"><table>
    <thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
    <tbody>
    <tr><th scope="row" class="depth-0"><code>files</code></th><td data-label="Type">array of object</td><td></td></tr>
    <tr><th scope="row" class="depth-1"><code>files[].lines</code></th><td data-label="Type">integer</td><td><p>Number of lines</p></td></tr>
    </tbody>
    </table></div>
    <details><summary>JSON Schema</summary>
    <pre tabindex="0" aria-label="JSON Schema of the output"><code>{
      &quot;type&quot;: &quot;object&quot;,
      &quot;properties&quot;: {
        &quot;files&quot;: {
          &quot;type&quot;: &quot;array&quot;,
          &quot;items&quot;: {
            &quot;type&quot;: &quot;object&quot;,
            &quot;properties&quot;: {
              &quot;lines&quot;: {
                &quot;type&quot;: &quot;integer&quot;,
                &quot;description&quot;: &quot;Number of lines&quot;
              }
            }
          }
        }
      }
    }</code></pre>
    </details>
    </section>
    <section aria-labelledby="examples">
    <h2 id="examples">Examples</h2>
    <p>One file</p>
    <pre tabindex="0" aria-label="Example call"><code>{&quot;tool_name&quot;:&quot;files.count&quot;,&quot;arguments&quot;:{&quot;path&quot;:&quot;a.txt&quot;}}</code></pre>
    </section>
    <section aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <p>A missing file is <code>FileNotFound</code>.</p>
    </section>
    <section aria-labelledby="security">
    <h2 id="security">Security</h2>
    <ul>
    <li><p><strong>Paths</strong> stay below the root.</p>
    </li>
    </ul>
    </section>
    <section aria-labelledby="runs">
    <h2 id="runs">Implementation</h2>
    <p>None, so it is not served. Bind it to a program or a function with <code>[[bind]]</code>.</p>
    </section>
    <section aria-labelledby="facts">
    <h2 id="facts">Facts</h2>
    <dl>
    <dt>effect</dt><dd>changes nothing</dd>
    <dt>idempotency</dt><dd>Yes: it only reads</dd>
    <dt>category</dt><dd>files</dd>
    <dt>defined in</dt><dd>tools/plain.json</dd>
    </dl>
    </section>
    </main>
    <footer><nav aria-label="Previous and next tool"><span></span><span></span></nav></footer>
    </body>
    </html>
    "##);
}

#[test]
fn documents_a_command_line_tool() {
    let page = render_site([grep_tool()]).remove(1).text;
    insta::assert_snapshot!(body(&page), @r##"
    <a class="skip" href="#main">Skip to content</a>
    <header class="bar"><nav aria-label="Breadcrumb"><a href="../index.html">my crib</a> / <a href="../index.html#group-1">Tools</a></nav>
    <form role="search" action="../index.html" method="get"><label for="q">Search tools</label><input id="q" name="q" type="search" autocomplete="off"></form></header>
    <main id="main">
    <h1><code>search_grep</code></h1>
    <p class="lead">Search</p>
    <p class="badges"><span class="badge reads">reads</span> <span class="badge">version 1.2.0</span></p>
    <nav class="contents" aria-label="On this page"><ul><li><a href="#about">Description</a></li><li><a href="#parameters">Parameters</a></li><li><a href="#examples">Examples</a></li><li><a href="#runs">Implementation</a></li><li><a href="#facts">Facts</a></li></ul></nav>
    <section aria-labelledby="about">
    <h2 id="about">Description</h2>
    <p><strong>Note:</strong> runs at once.</p>
    <p>Find lines that match a pattern.</p>
    </section>
    <section aria-labelledby="parameters">
    <h2 id="parameters">Parameters</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Parameters"><table>
    <thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Required</th><th scope="col">Default</th><th scope="col">Meaning</th></tr></thead>
    <tbody>
    <tr><th scope="row" class="depth-0"><code>ignore-case</code></th><td data-label="Type">boolean</td><td data-label="Required">no</td><td data-label="Default"><code>false</code></td><td><p>Ignore the case of letters</p><p class="must">alias <code>i</code></p></td></tr>
    <tr><th scope="row" class="depth-0"><code>max-count</code></th><td data-label="Type">integer</td><td data-label="Required">no</td><td data-label="Default"></td><td><p>Stop after this many lines</p><p class="must">1 to 999</p></td></tr>
    <tr><th scope="row" class="depth-0"><code>colour</code></th><td data-label="Type">string</td><td data-label="Required">no</td><td data-label="Default"></td><td><p>When to use colours</p><p class="must">one of <code>auto</code>, <code>never</code></p></td></tr>
    <tr><th scope="row" class="depth-0"><code>include</code></th><td data-label="Type">array of string</td><td data-label="Required">no</td><td data-label="Default"></td><td><p>Only files with these names</p><p class="must">each matches <code>^(a|b)$</code></p></td></tr>
    <tr><th scope="row" class="depth-0"><code>pattern</code></th><td data-label="Type">string</td><td data-label="Required"><strong>yes</strong></td><td data-label="Default"></td><td><p>The pattern to search for</p><p class="must">at least 1 character</p></td></tr>
    <tr><th scope="row" class="depth-0"><code>files</code></th><td data-label="Type">array of path</td><td data-label="Required"><strong>yes</strong></td><td data-label="Default"></td><td><p>The files to search</p><p class="must">at least 1 item</p></td></tr>
    <tr><th scope="row" class="depth-0"><code>working_directory</code></th><td data-label="Type">path</td><td data-label="Required">no</td><td data-label="Default"></td><td><p>The folder to run in</p></td></tr>
    </tbody>
    </table></div>
    <details><summary>JSON Schema</summary>
    <pre tabindex="0" aria-label="JSON Schema of the input"><code>{
      &quot;type&quot;: &quot;object&quot;,
      &quot;properties&quot;: {
        &quot;ignore-case&quot;: {
          &quot;type&quot;: &quot;boolean&quot;,
          &quot;default&quot;: false,
          &quot;description&quot;: &quot;Ignore the case of letters&quot;
        },
        &quot;max-count&quot;: {
          &quot;type&quot;: &quot;integer&quot;,
          &quot;minimum&quot;: 1,
          &quot;maximum&quot;: 999,
          &quot;description&quot;: &quot;Stop after this many lines&quot;
        },
        &quot;colour&quot;: {
          &quot;type&quot;: &quot;string&quot;,
          &quot;enum&quot;: [
            &quot;auto&quot;,
            &quot;never&quot;
          ],
          &quot;description&quot;: &quot;When to use colours&quot;
        },
        &quot;include&quot;: {
          &quot;type&quot;: &quot;array&quot;,
          &quot;items&quot;: {
            &quot;type&quot;: &quot;string&quot;,
            &quot;pattern&quot;: &quot;^(a|b)$&quot;
          },
          &quot;description&quot;: &quot;Only files with these names&quot;
        },
        &quot;pattern&quot;: {
          &quot;type&quot;: &quot;string&quot;,
          &quot;minLength&quot;: 1,
          &quot;description&quot;: &quot;The pattern to search for&quot;
        },
        &quot;files&quot;: {
          &quot;type&quot;: &quot;array&quot;,
          &quot;items&quot;: {
            &quot;type&quot;: &quot;string&quot;,
            &quot;format&quot;: &quot;path&quot;
          },
          &quot;minItems&quot;: 1,
          &quot;description&quot;: &quot;The files to search&quot;
        },
        &quot;working_directory&quot;: {
          &quot;type&quot;: &quot;string&quot;,
          &quot;format&quot;: &quot;path&quot;,
          &quot;description&quot;: &quot;The folder to run in&quot;
        }
      },
      &quot;required&quot;: [
        &quot;pattern&quot;,
        &quot;files&quot;
      ],
      &quot;additionalProperties&quot;: false
    }</code></pre>
    </details>
    </section>
    <section aria-labelledby="examples">
    <h2 id="examples">Examples</h2>
    <pre tabindex="0" aria-label="Minimal call"><code>toolcrib call search_grep --args &#39;{&quot;pattern&quot;:&quot;…&quot;,&quot;files&quot;:[&quot;…&quot;]}&#39;</code></pre>
    </section>
    <section aria-labelledby="runs">
    <h2 id="runs">Implementation</h2>
    <pre tabindex="0" aria-label="Command line"><code>[GREP_COLOUR=&lt;colour&gt;] grep --line-number [-i | --no-ignore-case] [--max-count=&lt;max-count&gt;] [--include &lt;include&gt;[,...]] [--] &lt;pattern&gt; &lt;files&gt;...</code></pre>
    <p class="must">Values of parameters are in angle brackets; optional parts are in square brackets.</p>
    </section>
    <section aria-labelledby="facts">
    <h2 id="facts">Facts</h2>
    <dl>
    <dt>effect</dt><dd>changes nothing</dd>
    <dt>network</dt><dd>not needed</dd>
    <dt>version</dt><dd>1.2.0</dd>
    <dt>returns</dt><dd>the result</dd>
    <dt>timeout</dt><dd>30 s</dd>
    <dt>installation</dt><dd>apt install grep</dd>
    <dt>defined in</dt><dd>tools/search.json#/subcommand/0</dd>
    </dl>
    </section>
    </main>
    <footer><nav aria-label="Previous and next tool"><span></span><span></span></nav></footer>
    </body>
    </html>
    "##);
}

#[test]
fn text_never_becomes_markup_or_a_request() {
    let hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) ![p](https://e.example/p.png)\u{202e}";
    let mut tool = specified_tool();
    tool.title = Some(hostile.into());
    tool.description.text = hostile.into();
    tool.annotations.category = Some(hostile.into());
    tool.annotations.version = Some(hostile.into());
    tool.input = schema(
        json!({"type": "object", "properties": {(hostile): {"type": "string", "description": hostile, "default": hostile, "enum": [hostile]}}}),
    );
    for SitePage { path, text } in render_site([tool]) {
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
fn headings_are_in_order_and_inputs_have_labels() {
    let mut tool = specified_tool();
    tool.description.text = "# One\n\ntext\n\n#### Two\n\ntext".into();
    for SitePage { path, text } in render_site([tool, grep_tool()]) {
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
            assert!(text.contains(&format!("id=\"{id}\"")), "{path} links to #{id}");
        }
    }
}

#[test]
fn pages_do_not_depend_on_the_order_of_tools() {
    let (first, second) = (grep_tool, specified_tool);
    assert_eq!(render_site([first(), second()]), render_site([second(), first()]));
}
