//! Invalid, hostile and huge input gives a diagnostic in bounded time and memory, and never a
//! panic.

use std::time::{Duration, Instant};

use formats::{Document, Guidance, MAX_BYTES, Reading};
use proptest::prelude::*;

use crate::reading::{errors, names, read_text, source, summary};

const GOOD: &str = r#"{"name": "t", "description": "A \"tool\" \u00e9", "command": "prog", "timeout_seconds": 5, // note
  "subcommand": [{"name": "s", "description": "S", "options": [{"name": "o", "type": "array", "items": {"type": "string"}, "default": ["x"]}]}],
  "inputSchema": {"type": "object", "properties": {"a": {"$ref": "nowhere"}}}, "hints": {"default": null}}"#;

fn read(bytes: &[u8]) -> Reading {
    formats::read(&source(), bytes, &Guidance::default())
}

fn within(limit: Duration, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    assert!(start.elapsed() < limit, "took {:?}", start.elapsed());
}

#[test]
fn a_truncated_file_gives_an_error_and_no_tool() {
    assert_eq!(names(&read(GOOD.as_bytes())), ["t_s"]);
    for end in 0..GOOD.len() {
        let reading = read(&GOOD.as_bytes()[..end]);
        assert!(reading.tools.is_empty(), "{end}");
        assert!(reading.diagnostics.iter().any(catalog::Diagnostic::is_error), "{end}");
    }
}

#[test]
fn changed_bytes_never_cause_a_panic() {
    for index in 0..GOOD.len() {
        for byte in [0, b'"', b'{', b']', b'\\', 0xff, b' '] {
            let mut bytes = GOOD.as_bytes().to_vec();
            bytes[index] = byte;
            read(&bytes);
        }
    }
}

#[test]
fn undecodable_and_empty_files_give_one_error() {
    assert_eq!(summary(&read(b"{\"a\": \"\xff\"}").diagnostics), ["error TC001 -"]);
    let utf16 = read(b"\xff\xfe{\0}\0");
    assert!(utf16.diagnostics[0].hint.as_deref().is_some_and(|hint| hint.contains("UTF-16")));
    assert_eq!(summary(&read(b"").diagnostics), ["error TC003 -"]);
    assert_eq!(summary(&read(b"\xef\xbb\xbf \n").diagnostics), ["note TC006 -", "error TC003 -"]);
}

#[test]
fn rejects_raw_and_escaped_nul() {
    let raw = "{\"name\": \"t\", \"description\": \"A\0\", \"command\": \"prog\", \"subcommand\": [{\"name\": \"s\", \"description\": \"S\"}]}";
    assert_eq!(errors(&read_text(raw).diagnostics), ["error TC005 -"]);
    let escaped = raw.replace('\0', "\\u0000");
    assert_eq!(errors(&read_text(&escaped).diagnostics), ["error TC005 /description"]);
    assert!(read_text(raw).tools.is_empty());
}

#[test]
fn a_file_with_syntax_errors_gives_no_tools_but_all_diagnostics() {
    let text = r#"{"name": "t" "description": "A tool", "command": " ", "subcommand": [{"name": "s", "description": "S"}]}"#;
    let reading = read_text(text);
    assert!(reading.tools.is_empty());
    assert_eq!(errors(&reading.diagnostics), ["error TC004 -", "error TC025 /command"]);
    let harmless = r#"{"name": "t", "description": "A tool", "command": "prog", "subcommand": [{"name": "s", "description": "S"},],}"#;
    assert_eq!(names(&read_text(harmless)), ["t_s"]);
}

#[test]
fn rejects_oversized_files_without_reading_them() {
    let bytes = vec![b'['; 100_000_000];
    within(Duration::from_secs(1), || {
        assert_eq!(summary(&read(&bytes).diagnostics), ["error TC002 -"])
    });
    assert_eq!(
        formats::locate(
            std::str::from_utf8(&bytes).expect("text"),
            &catalog::Location::Value("/a".to_owned())
        ),
        0..0
    );
}

#[test]
fn hostile_large_files_take_bounded_time() {
    const SIZE: usize = MAX_BYTES / 4;
    let option = r#"{"name": "o", "type": "string", "zzz": 1},"#;
    let worst: [String; 6] = [
        format!(
            r#"{{"name": "t", "description": "A tool", "options": [{}0]}}"#,
            option.repeat(SIZE / option.len() - 20)
        ),
        "[".repeat(SIZE),
        "{\"a\":".repeat(SIZE / 5),
        format!("[{}0]", "0,".repeat(SIZE / 2 - 2)),
        format!("{{\"name\": \"t\", \"subcommand\": [{}0]}}", "{},".repeat(SIZE / 3 - 20)),
        format!("{{\"name\": \"t\", \"subcommand\": [{}0]}}", "[],".repeat(SIZE / 3 - 20)),
    ];
    for text in worst {
        within(Duration::from_secs(20), || {
            let reading = read_text(&text);
            assert!(reading.tools.is_empty());
            assert!((1..=1_001).contains(&reading.diagnostics.len()));
        });
    }
}

#[test]
fn limits_the_number_of_tools() {
    let subcommands = (0..10_000)
        .map(|n| format!(r#"{{"name": "s{n}", "description": "S"}}"#))
        .collect::<Vec<_>>()
        .join(",");
    let text = format!(
        r#"{{"name": "t", "description": "A tool", "command": "prog", "subcommand": [{subcommands}]}}"#
    );
    within(Duration::from_secs(5), || {
        let reading = read_text(&text);
        assert_eq!(reading.tools.len(), 5_000);
        assert_eq!(summary(&reading.diagnostics), ["error TC012 /subcommand/5000"]);
    });
}

#[test]
fn limits_the_memory_of_inherited_fields() {
    let options = (0..2_000)
        .map(|n| {
            format!(r#"{{"name": "o{n}", "type": "string", "description": "{}"}}"#, "x".repeat(200))
        })
        .collect::<Vec<_>>();
    let subcommands = (0..4_000)
        .map(|n| format!(r#"{{"name": "s{n}", "description": "S"}}"#))
        .collect::<Vec<_>>()
        .join(",");
    let options = options.join(",");
    let text = format!(
        r#"{{"name": "t", "description": "A tool", "command": "prog", "options": [{options}], "subcommand": [{subcommands}]}}"#
    );
    let reading = read_text(&text);
    assert!(reading.tools.len() < 100, "{}", reading.tools.len());
    assert_eq!(errors(&reading.diagnostics).len(), 1);
}

#[test]
fn limits_the_depth_of_subcommands() {
    let open = r#"{"name": "s", "description": "S", "subcommand": ["#.repeat(500);
    let text = format!("{open}{}", "]}".repeat(500));
    let reading = read_text(&text);
    let codes: Vec<_> = reading.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["TC011"]);
    let range = formats::locate(&text, &reading.diagnostics[0].origin.location);
    assert_eq!(&text[range], "{");
}

#[test]
fn many_properties_take_bounded_time() {
    let properties = (0..100_000)
        .map(|n| format!(r#""p{n}": {{"type": "string"}}"#))
        .collect::<Vec<_>>()
        .join(",");
    let text = format!(
        r#"{{"name": "t", "description": "A tool", "command": "prog", "argv": {{"p9": {{"positional": true}}}},
            "inputSchema": {{"type": "object", "properties": {{{properties}}}}}}}"#
    );
    within(Duration::from_secs(10), || assert_eq!(read_text(&text).tools.len(), 1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read(&bytes);
        Document::parse(&source(), &bytes).read_guidance();
    }

    #[test]
    fn no_fragments_of_definitions_cause_a_panic(pieces in prop::collection::vec(piece(), 0..40)) {
        let reading = read_text(&pieces.concat());
        let is_broken = reading.diagnostics.iter().any(catalog::Diagnostic::is_error);
        prop_assert!(is_broken || !reading.tools.is_empty() || reading.diagnostics.len() < 10);
    }
}

fn piece() -> impl Strategy<Value = &'static str> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"name\"",
        "\"t\"",
        "\"description\"",
        "\"subcommand\"",
        "\"options\"",
        "\"type\"",
        "\"string\"",
        "\"inputSchema\"",
        "\"object\"",
        "\"properties\"",
        "\"$ref\"",
        "\"#\"",
        "\"argv\"",
        "\"sequence\"",
        "\"command\"",
        "1",
        "-1e9",
        "true",
        "null",
        "\"\\u00",
        "//",
        "\n",
        "{\"name\": \"t\", \"description\": \"d\", \"subcommand\": [",
        "\"default\":",
        "\"enum\":",
        "\"items\":",
        "\"hints\":",
    ];
    prop::sample::select(pieces.to_vec())
}
