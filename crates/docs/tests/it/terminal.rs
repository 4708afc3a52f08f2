//! Tools on a terminal.

use catalog::{
    Implementation,
    implementation::{Access, Piece},
};

use crate::sample_tools::{grep_tool, plain_tool, sequence_tool};

#[test]
fn aligns_and_wraps_a_command_line_tool() {
    let mut tool = grep_tool();
    if let Implementation::Process(process) = &mut tool.implementation {
        for piece in &mut process.pieces {
            if let Piece::Parameter(binding) = piece
                && binding.parameter == "files"
            {
                binding.access = Some(Access::Read);
            }
        }
    }
    insta::assert_snapshot!(docs::render_for_terminal(&tool, docs::WIDTH), @r#"
    search_grep  (Search)
      **Note:** runs at once.

      Find lines that match a pattern.

    Parameters
      ignore-case        Ignore the case of letters (boolean; default false; alias i)
      max-count          Stop after this many lines (integer; 1 to 999)
      colour             When to use colours (string; one of auto, never)
      include            Only files with these names (array of string; each matches ^(a|b)$)
      pattern            The pattern to search for (string; required; at least 1 character)
      files              The files to search (array of path; required; at least 1 item; is
                         read)
      working_directory  The folder to run in (path)

    Runs
      [GREP_COLOUR=<colour>] grep --line-number [-i | --no-ignore-case]
          [--max-count=<max-count>] [--include <include>[,...]] [--] <pattern> <files>...

    Call
      toolcrib call search_grep --args '{"pattern":"…","files":["…"]}'

    Facts
      effect        changes nothing
      network       not needed
      version       1.2.0
      returns       the result
      timeout       30 s
      installation  apt install grep
      defined in    tools/search.json#/subcommand/0
    "#);
}

#[test]
fn lists_the_steps_of_a_sequence() {
    insta::assert_snapshot!(docs::render_for_terminal(&sequence_tool(), docs::WIDTH), @r#"
    release
      Do nothing. Successfully.

    Runs
      1. fmt {"check":true}
      2. build, unless target/done exists

    Call
      toolcrib call release

    Facts
      effect      makes changes that are hard to undo
      approval    every call needs approval
      returns     the result
      defined in  tools/plain.json
    "#);
}

#[test]
fn replaces_characters_that_control_the_terminal() {
    let mut tool = plain_tool("p");
    tool.title = Some("one\r\ntwo".into());
    tool.description.text = "red \u{1b}[31m and back\u{8} and \u{202e}turned".into();
    insta::assert_snapshot!(docs::render_for_terminal(&tool, docs::WIDTH), @r"
    p  (one  two)
      red �[31m and back� and �turned

    Runs
      true

    Call
      toolcrib call p

    Facts
      effect      changes nothing
      returns     the result
      defined in  tools/plain.json
    ");
}
