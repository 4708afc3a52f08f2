//! Markdown pages of tools.

use catalog::{Consent, Implementation};

use crate::sample_tools::{grep_tool, plain_tool, sequence_tool};

#[test]
fn documents_a_command_line_tool() {
    insta::assert_snapshot!(docs::render_tool_page(&grep_tool()), @r#"
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
    | `ignore-case` | boolean | no | `false` | Ignore the case of letters (alias `i`) |
    | `max-count` | integer | no |  | Stop after this many lines (1 to 999) |
    | `colour` | string | no |  | When to use colours (one of `auto`, `never`) |
    | `include` | array of string | no |  | Only files with these names (each matches &#94;&#40;a&#124;b&#41;&#36;) |
    | `pattern` | string | yes |  | The pattern to search for (at least 1 character) |
    | `files` | array of path | yes |  | The files to search (at least 1 item) |
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
    | returns | the result |
    | timeout | 30 s |
    | installation | apt install grep |
    | defined in | tools/search.json#/subcommand/0 |
    "#);
}

#[test]
fn lists_the_steps_of_a_sequence() {
    insta::assert_snapshot!(docs::render_tool_page(&sequence_tool()), @r#"
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
    | effect | makes changes that are hard to undo |
    | approval | every call needs approval |
    | returns | the result |
    | defined in | tools/plain.json |
    "#);
}

#[test]
fn documents_a_tool_that_requires_consent() {
    let mut tool = plain_tool("erase");
    tool.consent = Some(Consent { parameter: "confirm".into(), word: "ERASE".into() });
    insta::assert_snapshot!(docs::render_tool_page(&tool), @r"
    # `erase`

    Do nothing. Successfully.

    REQUIRES EXPLICIT USER INSTRUCTION: call this only if the user has asked for exactly this in this conversation. Confirm it by passing `confirm` as `ERASE`; never pass it on your own initiative or to see what happens.

    ## Call

    ```sh
    toolcrib call erase
    ```

    ## Parameters

    None.

    ## Runs

    ```text
    true
    ```

    ## Facts

    | | |
    |---|---|
    | effect | changes nothing |
    | approval | every call needs approval |
    | consent | confirm must be ERASE |
    | returns | the result |
    | defined in | tools/plain.json |
    ");
}

#[test]
fn shows_no_call_of_a_tool_without_an_implementation() {
    let mut tool = plain_tool("idea");
    tool.implementation = Implementation::Missing;
    insta::assert_snapshot!(docs::render_tool_page(&tool), @r"
    # `idea`

    Do nothing. Successfully.

    ## Parameters

    None.

    ## Runs

    Nothing: it has no implementation, so it is not served.

    ## Facts

    | | |
    |---|---|
    | effect | changes nothing |
    | defined in | tools/plain.json |
    ");
}

#[test]
fn escapes_text_that_could_become_structure() {
    let mut tool = plain_tool("p");
    tool.description.text = "<b>bold</b> & `a|b` | [x](y)\n# no heading\n```\nno fence\n---\n> no quote\n- a list\n\\<i>".into();
    tool.description.install = Some("a | b\n<script>".into());
    insta::assert_snapshot!(docs::render_tool_page(&tool), @r"
    # `p`

    &lt;b>bold&lt;/b> &amp; a&#124;b &#124; \[x](y)
    \# no heading
    \`\`\`
    no fence
    \---
    \> no quote
    - a list
    \\&lt;i>

    ## Call

    ```sh
    toolcrib call p
    ```

    ## Parameters

    None.

    ## Runs

    ```text
    true
    ```

    ## Facts

    | | |
    |---|---|
    | effect | changes nothing |
    | returns | the result |
    | installation | a &#124; b &lt;script> |
    | defined in | tools/plain.json |
    ");
}

#[test]
fn quotes_words_for_a_shell() {
    let mut tool = grep_tool();
    tool.name = "it's".into();
    tool.input = catalog::Schema::empty();
    if let Implementation::Process(process) = &mut tool.implementation {
        let words = ["--level=3", "a,b", "a b", "it's", "$HOME", "=ls", ""];
        process.pieces = words.map(|word| catalog::implementation::Piece::Word(word.into())).into();
    }
    insta::assert_snapshot!(docs::render_tool_page(&tool), @r#"
    # `it's`

    **Search**

    **Note:** runs at once.

    Find lines that match a pattern.

    ## Call

    ```sh
    toolcrib call "it's"
    ```

    ## Parameters

    None.

    ## Runs

    ```text
    grep --level=3 a,b 'a b' "it's" '$HOME' '=ls' ''
    ```

    ## Facts

    | | |
    |---|---|
    | effect | changes nothing |
    | network | not needed |
    | version | 1.2.0 |
    | returns | the result |
    | timeout | 30 s |
    | installation | apt install grep |
    | defined in | tools/search.json#/subcommand/0 |
    "#);
}
