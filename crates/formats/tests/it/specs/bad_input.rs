//! Hostile and broken input: reading ends in bounded time, with a result or a diagnostic.

use std::time::{Duration, Instant};

use catalog::SourceId;
use formats::{Guidance, Locator, find_fixes};

use crate::specs::{codes, document_with, read, source, tool_names};

/// Reads a text and returns how long that took. Every reported location must exist in the text, and
/// finding fixes must not panic.
fn read_hostile(text: &str) -> Duration {
    let start = Instant::now();
    let reading = read(text);
    let elapsed = start.elapsed();
    let locator = Locator::new(text);
    for found in &reading.diagnostics {
        let range = locator.range(&found.origin.location);
        assert!(range.start <= range.end && text.get(range).is_some());
    }
    find_fixes(&source(), text);
    elapsed
}

#[test]
fn reports_bytes_that_are_not_text() {
    let read = |bytes: &[u8]| formats::read(&source(), bytes, &Guidance::default());
    assert_eq!(codes(&read(b"# M - MCP Tool Specification\n\xff")), ["TC001"]);
    assert_eq!(codes(&read(b"# M - MCP Tool Specification\n\0\n## Tool: `a_b`\n")), ["TC005"]);
    assert_eq!(codes(&read(&vec![b'#'; 50 << 20])), ["TC002"]);
}

#[test]
fn a_document_that_takes_too_much_memory_is_not_read() {
    // Each row would be filled up to 5,000 cells: 7 GB.
    let [header, delimiter] = ["|a", "|-"].map(|cell| cell.repeat(5_000));
    let wide = document_with(&format!("{header}|\n{delimiter}|\n{}", "|b\n".repeat(20_000)));
    let marks = document_with(&"*a _b ".repeat(200_000));
    for text in [wide, marks] {
        assert!(read_hostile(&text) < Duration::from_secs(5));
        let reading = read(&text);
        assert_eq!(codes(&reading), ["TC012"]);
        assert!(reading.tools.is_empty());
    }
}

#[test]
fn a_byte_order_mark_and_crlf_change_no_tool() {
    let text = document_with(
        "| Name | Type | Required | Description |\n|---|---|---|---|\n| `who` | string | Yes | Whom |\n",
    );
    let plain = read(&text);
    let windows = read(&format!("\u{feff}{}", text.replace('\n', "\r\n")));
    assert_eq!(codes(&windows), ["TC006"]);
    assert_eq!(windows.tools[0].input, plain.tools[0].input);
    assert_eq!(windows.tools[0].description, plain.tools[0].description);
    let marked = format!("\u{feff}{text}");
    let catalog::Location::Span(span) = read(&marked).tools[0].origin.location.clone() else {
        panic!("a span")
    };
    assert_eq!(&marked[span], "greet");
}

#[test]
fn reads_ten_thousand_tables_and_tools_in_bounded_time() {
    let table = "| Name | Type | Required | Description |\n|---|---|---|---|\n| `a` | string | Yes | One |\n\n";
    let many = (0..10_000)
        .map(|index| format!("## Tool: `tool_{index}`\n\nDo it.\n\n{table}"))
        .collect::<String>();
    let text = format!("# M - MCP Tool Specification\n\n{many}");
    assert!(read_hostile(&text) < Duration::from_secs(20));
    assert_eq!(tool_names(&read(&text)).len(), 5_000, "no more are read from one document");
    assert_eq!(codes(&read(&text)), ["TC012"]);
    assert!(read_hostile(&document_with(&table.repeat(10_000))) < Duration::from_secs(20));
}

#[test]
fn reads_deeply_nested_and_long_text_in_bounded_time() {
    let deep = (0..2_000)
        .map(|depth| format!("{}- `a` (string): x\n", "  ".repeat(depth)))
        .collect::<String>();
    for body in [
        deep,
        "> ".repeat(20_000),
        "- ".repeat(20_000),
        "`".repeat(100_000),
        "**a".repeat(50_000),
        "[".repeat(100_000),
        "|".repeat(100_000),
        format!("**Parameters**: `{}`", "{".repeat(50_000)),
        format!("| Name | Type |\n|---|---|\n| `a` | `{}` |", "list[".repeat(20_000)),
        format!("| {} |\n|{}\n| a |", "Name | ".repeat(5_000), "---|".repeat(5_001)),
        "\r".repeat(10_000),
        "é\u{301}`|\\".repeat(10_000),
    ] {
        let elapsed = read_hostile(&document_with(&body));
        assert!(
            elapsed < Duration::from_secs(20),
            "{elapsed:?} for {:?}",
            &body.chars().take(20).collect::<String>()
        );
    }
}

#[test]
fn reads_every_prefix_of_a_document() {
    let text = include_str!("whole.md");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)).step_by(7) {
        formats::read(
            &SourceId::new("MCP_TOOL_SPECIFICATION.md"),
            &text.as_bytes()[..end],
            &Guidance::default(),
        );
    }
}

/// Pieces of specifications, complete and broken, which the property test joins at random.
const PIECES: [&str; 36] = [
    "# M - MCP Tool Specification\n",
    "## Tool: `a_b`\n",
    "### `c_d` / `e_f`\n",
    "### 3. Input Schema (Parameters)\n",
    "### 4. Output Schema (Return Value)\n",
    "### 5. Idempotency\n",
    "## Tools\n",
    "| Name | Type | Required | Default | Description |\n",
    "| Tool | Inputs | Output |\n",
    "|---|---|---|---|---|\n",
    "|---|---|---|\n",
    "| `a` | `str \\ | null` | No | `null` text |\n",
    "| `a.b[].c` | `list[dict[str, int]]` | Yes | 5 |\n",
    "| `x` | é` | \\| |\n",
    "|`a`|\n",
    "- `a` (string, default \"é\"): text\n",
    "  - `b` (enum[\"x\"], optional)\n",
    "- **Parameters**: None\n",
    "**Parameters**:",
    "**Returns:** `status`, `x`\n",
    "**Version**: v1.2\n",
    "```json\n",
    "```\n",
    "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\"}}}\n",
    "{\"tool_name\": \"a_b\", \"arguments\": {...}} // x\n",
    "[schema](../a.json#/x)\n",
    "`a: str = 'é'`",
    "<!-- toolcrib: allow TC405",
    " because -->\n",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "> ",
    "    ",
    "…é\u{301}",
];

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn reads_any_text_and_fixes_it_in_one_round(pieces in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = pieces.into_iter().map(|index| PIECES[index]).collect();
        read_hostile(&text);
        let fixed = formats::apply_edits(&text, &find_fixes(&source(), &text));
        assert_eq!(find_fixes(&source(), &fixed), []);
    }
}

#[test]
fn recognizes_a_specification_that_is_not_utf_8() {
    assert!(formats::is_candidate(&source(), b"# Caf\xe9\n"));
    assert!(formats::is_candidate(&SourceId::new("a.md"), b"# X - MCP Tools\n\nCaf\xe9\n"));
    assert!(!formats::is_candidate(&SourceId::new("a.md"), b"# Caf\xe9\n"));
}
