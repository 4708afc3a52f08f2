//! Long outputs in results, and reading them with `read_output`.

use serde_json::{Value, json};
use testing::{StdioClient, TempCrib};

/// A crib with a tool that counts, and one that fails after counting.
fn crib() -> TempCrib {
    let tool = |name: &str, command: &str| {
        json!({
            "name": name, "description": "Count to a number", "command": command, "synchronous": true, "mutates": false,
            "subcommand": [{"name": "default", "description": "Count to a number",
                "positional_args": [{"name": "last", "type": "integer", "required": true, "description": "The last number"}]}],
        })
    };
    let mut short = tool("short", "seq");
    short["output_bytes"] = json!(1024);
    TempCrib::new()
        .tool("count", tool("count", "seq"))
        .tool("short", short)
        .tool("fail", tool("fail", "sh fail.sh"))
        .file("fail.sh", "seq $1; seq $1 >&2; exit 3\n")
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("text")
}

/// Model APIs reject texts without a visible character.
#[test]
fn no_text_is_blank() {
    let tool = |name: &str, command: &str| {
        json!({"name": name, "description": "Print little", "command": command, "synchronous": true, "mutates": false,
            "options": []})
    };
    let crib = TempCrib::new()
        .tool("silent", tool("silent", "true"))
        .tool("blank", tool("blank", "echo"))
        .tool("both", tool("both", "sh both.sh"))
        .file("both.sh", "echo; echo warning >&2\n")
        .tool(
            "steps",
            json!({"name": "steps", "description": "Print little twice", "command": "sequence", "synchronous": true,
                "mutates": false, "sequence": [
                    {"tool": "silent", "subcommand": "default", "description": "Nothing"},
                    {"tool": "blank", "subcommand": "default", "description": "A blank line"}]}),
        );
    let mut client = StdioClient::start(&crib, &[]);
    let mut texts = |tool: &str| {
        let result = client.call(tool, json!({}));
        let blocks = result["content"].as_array().expect("a list").iter();
        blocks.map(|block| block["text"].as_str().expect("text").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts("silent"), ["(no output)"]);
    assert_eq!(texts("blank"), ["(no output)"]);
    assert_eq!(texts("both"), ["stderr:\nwarning\n"]);
    assert_eq!(texts("steps"), ["`silent`: ok", "(no output)", "`blank`: ok"]);
}

#[test]
fn a_result_has_the_first_and_last_lines_in_text_and_structure() {
    let crib = crib();
    let mut client = StdioClient::start(&crib, &[]);
    let result = client.call("count", json!({"last": 100_000}));
    let (shown, structured) = (text(&result), &result["structuredContent"]);
    assert!(shown.len() < 17_000, "{}", shown.len());
    assert!(shown.starts_with("1\n2\n") && shown.ends_with("\n99999\n100000\n"), "{shown}");
    let output = structured["output"].as_str().expect("an address");
    let access =
        format!("of 588895 bytes left out; to read it, call `read_output` with output `{output}`");
    assert!(shown.contains(&access), "{shown}");
    assert_eq!(structured["stdout"], shown);
    let notice = structured["notice"].as_str().expect("a notice after the output");
    assert!(notice.contains(&access), "{notice}");
    let short = client.call("short", json!({"last": 100_000}));
    assert!(text(&short).len() < 1_300, "the limit of the tool");
}

#[test]
fn read_output_pages_tails_and_searches() {
    let crib = crib();
    let mut client = StdioClient::start(&crib, &[]);
    let result = client.call("count", json!({"last": 100_000}));
    let output = &result["structuredContent"]["output"];
    let mut read = |arguments: Value| {
        let mut given = json!({"output": output});
        for (name, value) in arguments.as_object().expect("an object") {
            given[name] = value.clone();
        }
        let result = client.call("read_output", given);
        assert_eq!(result["structuredContent"]["text"], text(&result), "both forms");
        text(&result).to_owned()
    };
    insta::assert_snapshot!(read(json!({"offset": 5000, "limit": 3})), @r"
    5000
    5001
    5002
    [lines 5000 to 5002; for more, pass offset 5003]
    ");
    insta::assert_snapshot!(read(json!({"tail": 2})), @r"
    99999
    100000
    [lines 99999 to 100000; no more]
    ");
    insta::assert_snapshot!(read(json!({"search": "^7{2,}$"})), @r"
    77: 77
    777: 777
    7777: 7777
    77777: 77777
    [lines 77 to 77777; no more]
    ");
    insta::assert_snapshot!(read(json!({"search": "never"})), @"[no line matches]");
    assert!(read(json!({"limit": 2000})).len() < 17_000);
    let wrong = client.call("read_output", json!({"output": output, "search": "("}));
    assert_eq!(wrong["structuredContent"]["error_type"], "invalid_arguments", "{wrong}");
    // Another owner cannot read it, and cannot tell whether it exists.
    let arguments = json!({"output": output}).to_string();
    let other = crib.run(&["call", "read_output", "--args", &arguments]);
    assert_eq!(other.code, 1);
    assert!(other.stderr.contains("there is no output"), "{}", other.stderr);
}

#[test]
fn a_refused_call_does_not_repeat_long_arguments() {
    let crib = TempCrib::new().tool(
        "show",
        json!({"name": "show", "description": "Show a file", "command": "cat", "mutates": false, "positional_args": [
            {"name": "file", "type": "string", "format": "path", "description": "The file"}]}),
    );
    let result = StdioClient::start(&crib, &[])
        .call("show", json!({"file": format!("/{}", "x/".repeat(9_000))}));
    assert!(text(&result).starts_with("'file' leads outside"), "{result}");
    assert!(text(&result).contains("add the folder to `roots`"), "{result}");
    assert!(result.to_string().len() < 5_000, "{result}");
}

#[test]
fn the_text_of_a_failure_is_bounded_and_stored() {
    let crib = crib();
    let mut client = StdioClient::start(&crib, &[]);
    for last in [2_000, 100_000] {
        let result = client.call("fail", json!({"last": last}));
        let texts: Vec<_> = result["content"]
            .as_array()
            .expect("content")
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect();
        let characters: usize = texts.iter().map(|text| text.chars().count()).sum();
        assert!(characters < 10_000, "{characters}");
        assert_eq!(texts.last(), Some(&"`fail` failed with exit code 3"));
        let notice = texts[0].lines().find(|line| line.starts_with("[…")).expect("a notice");
        let output = notice.split('`').nth(3).expect("an address");
        let read = client.call("read_output", json!({"output": output, "tail": 1}));
        let last_line = if last == 2_000 { "`fail` failed with exit code 3" } else { "100000" };
        assert!(text(&read).starts_with(&format!("{last_line}\n[")), "{read}");
    }
}
