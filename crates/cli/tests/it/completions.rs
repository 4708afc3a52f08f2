//! `completions` and `man`, tested with the real shells and the real `man`.

use std::{env, process::Command};

use serde_json::json;
use testing::{CommandOutput, TempCrib, toolcrib_path};

/// Timeout of a shell, in seconds.
const TIMEOUT: &str = "60";

/// A crib with two tools, one of which has parameters of several types.
fn crib() -> TempCrib {
    let tool = |name: &str, schema| {
        json!({
            "name": name, "description": "Print text", "command": "echo", "inputSchema": schema,
        })
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "colour": {"type": "string", "enum": ["red", "rose", "blue"], "description": "Colour"},
            "count": {"type": "integer", "description": "How often"},
            "loud": {"type": "boolean", "description": "In capitals"},
        },
    });
    TempCrib::new()
        .tool("paint", tool("paint", schema))
        .tool("print", tool("print", json!({"type": "object", "properties": {}})))
}

/// Runs a script in a shell that has `toolcrib` on its `PATH`, in the folder of the crib.
fn run(crib: &TempCrib, shell: &[&str], script: &str) -> String {
    let toolcrib = toolcrib_path();
    let folder = toolcrib.parent().expect("a folder").display();
    let path = format!("{folder}:{}", env::var("PATH").expect("a PATH"));
    let mut command = Command::new("timeout");
    command.arg(TIMEOUT).args(shell).arg(script).current_dir(crib.root());
    // A home folder is no crib.
    let home = crib.root().parent().expect("a folder").to_owned();
    command.env("PATH", path).env("HOME", home).env("TERM", "dumb");
    let output = CommandOutput::from(&command.output().expect("the shell starts"));
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    output.stdout
}

/// Returns the proposals of bash for a command line, which it also splits at `=`.
fn complete_in_bash(crib: &TempCrib, words: &str) -> String {
    let script = format!(
        r#"source <(toolcrib completions bash)
        COMP_WORDS=({words}) COMP_TYPE=9
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        current=${{COMP_WORDS[COMP_CWORD]}}
        [ "$current" != "=" ] || current=
        _clap_complete_toolcrib toolcrib "$current" "${{COMP_WORDS[COMP_CWORD - 1]}}"
        echo "${{COMPREPLY[@]}}""#
    );
    run(crib, &["bash", "--norc", "-c"], &script)
}

#[test]
fn bash_completes_commands_tools_parameters_and_values() {
    let crib = crib();
    // An empty word also proposes options, which follow.
    let complete = |words| {
        let proposed = complete_in_bash(&crib, words);
        proposed.split(" --args").next().unwrap_or_default().trim_end().to_owned()
    };
    insta::assert_snapshot!(complete("toolcrib com"), @"completions");
    insta::assert_snapshot!(complete("toolcrib call --dr"), @"--dry-run");
    insta::assert_snapshot!(complete("toolcrib call p"), @"paint print");
    insta::assert_snapshot!(complete("toolcrib show pai"), @"paint");
    insta::assert_snapshot!(complete("toolcrib call paint l"), @"loud=");
    insta::assert_snapshot!(complete("toolcrib call paint c"), @"colour= count=");
    insta::assert_snapshot!(complete("toolcrib call paint colour = r"), @"red rose");
    insta::assert_snapshot!(complete("toolcrib call paint loud ="), @"true false");
    insta::assert_snapshot!(complete("toolcrib call paint count = 1 loud = t"), @"true");
    insta::assert_snapshot!(complete("toolcrib call nothing c"), @"");
    insta::assert_snapshot!(complete("toolcrib completions ba"), @"bash");
}

#[test]
fn completes_the_tools_of_the_crib_that_the_command_line_names() {
    let other = TempCrib::new().tool("other", testing::definition("other", "echo"));
    let words = format!("toolcrib -C {} call o", other.root().display());
    assert_eq!(complete_in_bash(&crib(), &words), "other\n");
}

#[test]
fn fish_completes_tools_parameters_and_values() {
    let crib = crib();
    let complete = |line: &str| {
        let script = format!("toolcrib completions fish | source; complete -C '{line}'");
        run(&crib, &["fish", "--no-config", "-c"], &script)
    };
    insta::assert_snapshot!(complete("toolcrib call pa"), @"paint	Print text");
    insta::assert_snapshot!(complete("toolcrib call paint co"), @r"
    colour=	Colour
    count=	How often
    ");
    insta::assert_snapshot!(complete("toolcrib call paint colour=r"), @r"
    colour=red
    colour=rose
    ");
}

/// Types into an interactive zsh and waits for the completed line.
#[test]
fn zsh_completes_tools_parameters_and_values() {
    let crib = crib();
    let complete = |typed: &str, expected: &str| {
        let script = format!(
            r#"zmodload zsh/zpty
            zpty z zsh -f -i
            zpty -w z 'PS1=; autoload -U compinit; compinit -D -u; source <(toolcrib completions zsh); echo rea''dy'
            zpty -r -m z output '*ready*'
            zpty -n -w z $'{typed}\t'
            zpty -r -m z output '*{expected}*'
            zpty -d z"#
        );
        run(&crib, &["zsh", "-f", "-c"], &script);
    };
    complete("toolcrib call pa", "toolcrib call paint ");
    complete("toolcrib call paint lo", "toolcrib call paint loud=");
    complete("toolcrib call paint colour=b", "colour=blue");
}

/// Nushell is in no distribution that the tests run on, so the test does its part of the work.
#[test]
fn nushell_gets_records() {
    let crib = crib();
    let mut command = crib.command(&["--", "toolcrib", "call", "paint", "co"]);
    let output = command.env("TOOLCRIB_COMPLETE", "nushell").output().expect("the program starts");
    insta::assert_snapshot!(
        CommandOutput::from(&output).stdout,
        @r#"[{"value":"colour=","description":"Colour"},{"value":"count=","description":"How often"}]"#
    );
    insta::assert_snapshot!(crib.run(&["completions", "nushell"]).stdout);
}

/// Nor is PowerShell.
#[test]
fn powershell_gets_lines_with_tabs() {
    let crib = crib();
    let mut command = crib.command(&["--", "toolcrib", "call", "paint", "co"]);
    let output =
        command.env("TOOLCRIB_COMPLETE", "powershell").output().expect("the program starts");
    let proposals = CommandOutput::from(&output).stdout;
    assert_eq!(proposals.trim_end(), "colour=\tColour\ncount=\tHow often");
    let script = crib.run(&["completions", "powershell"]).stdout;
    assert!(
        script.starts_with("Register-ArgumentCompleter -Native -CommandName toolcrib"),
        "{script}"
    );
}

#[test]
fn manual_pages_are_read_without_warnings() {
    let crib = crib();
    crib.run(&["man", "--out", "pages"]);
    let script = "cd pages; ls; for page in *; do man --warnings -l $page >/dev/null; done";
    insta::assert_snapshot!(run(&crib, &["bash", "-c"], script));
    let script = "toolcrib man show | MANWIDTH=80 LC_ALL=C man -l -";
    insta::assert_snapshot!(run(&crib, &["bash", "-c"], script));
}

#[test]
fn an_unknown_page_is_an_error() {
    insta::assert_snapshot!(crib().transcript(&["man", "nothing"]));
}
