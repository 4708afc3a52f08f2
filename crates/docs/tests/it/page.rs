//! One tool as a page, and as a client sees it.

use catalog::{Consent, Implementation};

use crate::harness::{grep, plain, sequence};

#[test]
fn a_client_sees_guidance_an_empty_line_and_the_text() {
    assert_eq!(
        docs::description(&grep()),
        "**Note:** runs at once.\n\nFind lines that match a pattern."
    );
    assert_eq!(docs::description(&plain("p")), "Do nothing. Successfully.");
    let mut guided = plain("p");
    guided.description.guidance = Some(" ".into());
    guided.description.hint = Some("Wait".into());
    guided.description.install = Some("Install".into());
    assert_eq!(docs::description(&guided), "Do nothing. Successfully.");
}

#[test]
fn a_word_of_consent_is_explained_unless_the_author_did() {
    let mut asked = plain("p");
    asked.consent = Some(Consent { parameter: "confirm".into(), word: "ERASE".into() });
    let seen = docs::description(&asked);
    assert!(
        seen.starts_with("Do nothing. Successfully.\n\nREQUIRES EXPLICIT USER INSTRUCTION: "),
        "{seen}"
    );
    assert!(
        seen.contains("`confirm` as `ERASE`")
            && seen.contains("never pass it on your own initiative"),
        "{seen}"
    );
    let page = docs::tool_page(&asked);
    assert!(
        page.contains("confirm must be ERASE") && page.contains("each call must be approved"),
        "{page}"
    );

    asked.description.text = "REQUIRES EXPLICIT USER INSTRUCTION. Erases.".into();
    assert_eq!(docs::description(&asked), "REQUIRES EXPLICIT USER INSTRUCTION. Erases.");
}

#[test]
fn a_page_says_all_there_is_to_know() {
    insta::assert_snapshot!(docs::tool_page(&grep()), @r##"
    # `search_grep`

    **Search**

    **Note:** runs at once.

    Find lines that match a pattern.

    ## Call

    ```sh
    toolcrib call search_grep --args '{"pattern":"…","files":["…"]}'
    ```

    ## Parameters

    | name | type | required | default | meaning |
    |---|---|---|---|---|
    | `ignore-case` | boolean | no | `false` | Take `A` for `a` (short form `i`) |
    | `max-count` | integer | no |  | Stop after so many lines (1 to 999) |
    | `colour` | string | no |  | When to colour (one of `auto`, `never`) |
    | `include` | array of string | no |  | Only these (each matches &#94;&#40;a&#124;b&#41;&#36;) |
    | `pattern` | string | yes |  | What to look for (at least 1 character) |
    | `files` | array of path | yes |  | Where (at least 1 item) |
    | `working_directory` | path | no |  | The folder to run in |

    ## Runs

    ```text
    [GREP_COLOUR=<colour>] grep --line-number [-i | --no-ignore-case] [--max-count=<max-count>] [--include <include>[,...]] [--] <pattern> <files>...
    ```

    ## Facts

    | | |
    |---|---|
    | effect | changes nothing |
    | network | not needed |
    | version | 1.2.0 |
    | answer | the result |
    | time limit | 30 s |
    | installing | apt install grep |
    | defined in | tools/search.json#/subcommand/0 |
    "##);
}

#[test]
fn a_page_of_a_sequence_lists_its_steps() {
    insta::assert_snapshot!(docs::tool_page(&sequence()), @r##"
    # `release`

    Do nothing. Successfully.

    ## Call

    ```sh
    toolcrib call release
    ```

    ## Parameters

    None.

    ## Runs

    ```text
    1. fmt {"check":true}
    2. build, unless target/done exists
    ```

    ## Facts

    | | |
    |---|---|
    | effect | changes things in a way that is hard to undo |
    | approval | each call must be approved |
    | answer | the result |
    | defined in | tools/plain.json |
    "##);
}

#[test]
fn a_page_says_when_a_tool_is_not_served() {
    let mut tool = plain("idea");
    tool.implementation = Implementation::Missing;
    let page = docs::tool_page(&tool);
    assert!(page.contains("Nothing: it has no command and is not served."), "{page}");
    assert!(!page.contains("toolcrib call"), "{page}");
}

#[test]
fn text_cannot_become_structure() {
    let mut tool = plain("p");
    tool.description.text = "<b>bold</b> & `a|b` | [x](y)\n# no heading\n```\nno fence\n---\n> no quote\n- a list\n\\<i>".into();
    tool.description.install = Some("a | b\n<script>".into());
    let page = docs::tool_page(&tool);
    insta::assert_snapshot!(page.split("## Call").next().unwrap_or_default(), @r##"
    # `p`

    &lt;b>bold&lt;/b> &amp; a&#124;b &#124; \[x](y)
    \# no heading
    \`\`\`
    no fence
    \---
    \> no quote
    - a list
    \\&lt;i>
    "##);
    assert!(page.contains("| installing | a &#124; b &lt;script> |"), "{page}");
}
