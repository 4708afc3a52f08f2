//! A tool on a terminal.

use crate::harness::{grep, plain, sequence};

#[test]
fn shows_a_tool_aligned_and_wrapped() {
    insta::assert_snapshot!(docs::terminal(&grep()), @r##"
    search_grep  (Search)
      **Note:** runs at once.

      Find lines that match a pattern.

    Parameters
      ignore-case        Take `A` for `a` (boolean; default false; short form i)
      max-count          Stop after so many lines (integer; 1 to 999)
      colour             When to colour (string; one of auto, never)
      include            Only these (array of string; each matches ^(a|b)$)
      pattern            What to look for (string; required; at least 1 character)
      files              Where (array of path; required; at least 1 item)
      working_directory  The folder to run in (path)

    Runs
      [GREP_COLOUR=<colour>] grep --line-number [-i | --no-ignore-case]
          [--max-count=<max-count>] [--include <include>[,...]] [--] <pattern> <files>...

    Call
      toolcrib call search_grep --args '{"pattern":"…","files":["…"]}'

    Facts
      effect      changes nothing
      network     not needed
      version     1.2.0
      answer      the result
      time limit  30 s
      installing  apt install grep
      defined in  tools/search.json#/subcommand/0
    "##);
}

#[test]
fn shows_a_sequence() {
    insta::assert_snapshot!(docs::terminal(&sequence()), @r##"
    release
      Do nothing. Successfully.

    Runs
      1. fmt {"check":true}
      2. build, unless target/done exists

    Call
      toolcrib call release

    Facts
      effect      changes things in a way that is hard to undo
      approval    each call must be approved
      answer      the result
      defined in  tools/plain.json
    "##);
}

#[test]
fn text_moves_no_cursor() {
    let mut tool = plain("p");
    tool.title = Some("one\r\ntwo".into());
    tool.description.text = "red \u{1b}[31m and back\u{8} and \u{202e}turned".into();
    let shown = docs::terminal(&tool);
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{shown:?}");
}

#[test]
fn tells_what_is_done_with_a_path() {
    let mut tool = grep();
    if let catalog::Implementation::Process(process) = &mut tool.implementation {
        for piece in &mut process.pieces {
            match piece {
                catalog::implementation::Piece::Parameter(binding)
                    if binding.parameter == "files" =>
                {
                    binding.access = Some(catalog::implementation::Access::Read);
                }
                _ => {}
            }
        }
    }
    assert!(
        docs::terminal(&tool).contains("Where (array of path; required; at least 1 item; is read)")
    );
}
