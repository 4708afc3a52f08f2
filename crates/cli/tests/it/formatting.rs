//! `fmt`.

use testing::TempCrib;

const OLD: &str = r#"{"name": "count", "description": "Count", "command": "wc", "mutates": false, "asynchronous": false,
"subcommand": [{"name": "default", "description": "Count lines, words and bytes",
"positional_args": [{"name": "file", "type": "string", "format": "path", "description": "Which"}]}]}"#;

#[test]
fn fmt_rewrites_files_once_and_keeps_their_tools() {
    let crib = TempCrib::new().file("tools/count.json", OLD).file("tools/other.yaml", "a: 1\n");
    let before = crib.run(&["list", "--json"]).stdout;
    let check = || crib.run(&["fmt", "--check"]);
    assert_eq!((check().code, check().stdout.as_str()), (1, "tools/count.json\n"));
    assert_eq!(crib.run(&["fmt"]).stderr, "1 file changed\n");
    assert_eq!((check().code, check().stdout.as_str()), (0, ""));
    assert_eq!(crib.run(&["list", "--json"]).stdout, before);
    assert_eq!(crib.run(&["fmt", "--migrate"]).code, 0);
    assert_eq!(crib.run(&["list", "--json"]).stdout, before, "the tool is the same");
    insta::assert_snapshot!(crib.read("tools/count.json"), @r#"
    {
      "mtdf": "2",
      "name": "count",
      "description": "Count lines, words and bytes",
      "command": "wc",
      "mutates": false,
      "synchronous": true,
      "positional_args": [
        { "name": "file", "description": "Which", "type": "string", "format": "path" }
      ]
    }
    "#);
    assert_eq!(crib.run(&["fmt", "--check", "--migrate"]).code, 0);
}

#[test]
fn a_file_with_comments_is_left_as_it_is() {
    let text = format!("// Counts.\n{OLD}");
    let crib = TempCrib::new().file("tools/count.json", &text);
    let output = crib.run(&["fmt"]);
    assert!(
        output.stderr.contains("left tools/count.json as it is: it has comments"),
        "{}",
        output.stderr
    );
    assert_eq!(crib.read("tools/count.json"), text);
}
