//! Text that no person wrote: it ends, soon, with a result or a diagnostic.

use std::time::{Duration, Instant};

use catalog::SourceId;
use formats::{Guidance, Locator, find_fixes};

use crate::specs::{codes, names, page, read, source};

/// Reads a text, and looks up every place that is named in what was found.
fn survives(text: &str) -> Duration {
    let start = Instant::now();
    let reading = read(text);
    let passed = start.elapsed();
    let locator = Locator::new(text);
    for found in &reading.diagnostics {
        let range = locator.range(&found.origin.location);
        assert!(range.start <= range.end && text.get(range).is_some());
    }
    find_fixes(&source(), text);
    passed
}

#[test]
fn bytes_that_are_no_text_are_told() {
    let read = |bytes: &[u8]| formats::read(&source(), bytes, &Guidance::default());
    assert_eq!(codes(&read(b"# M - MCP Tool Specification\n\xff")), ["TC001"]);
    assert_eq!(codes(&read(b"# M - MCP Tool Specification\n\0\n## Tool: `a_b`\n")), ["TC005"]);
    assert_eq!(codes(&read(&vec![b'#'; 50 << 20])), ["TC002"]);
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_change_nothing() {
    let text = page(
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
fn ten_thousand_tables_and_tools_are_read_in_time() {
    let table = "| Name | Type | Required | Description |\n|---|---|---|---|\n| `a` | string | Yes | One |\n\n";
    let many = (0..10_000)
        .map(|index| format!("## Tool: `tool_{index}`\n\nDo it.\n\n{table}"))
        .collect::<String>();
    let text = format!("# M - MCP Tool Specification\n\n{many}");
    assert!(survives(&text) < Duration::from_secs(20));
    assert_eq!(names(&read(&text)).len(), 5_000, "more are not read from one page");
    assert_eq!(codes(&read(&text)), ["TC012"]);
    assert!(survives(&page(&table.repeat(10_000))) < Duration::from_secs(20));
}

#[test]
fn deep_and_long_text_ends() {
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
        let passed = survives(&page(&body));
        assert!(
            passed < Duration::from_secs(20),
            "{passed:?} for {:?}",
            &body.chars().take(20).collect::<String>()
        );
    }
}

#[test]
fn every_cut_of_a_page_is_survived() {
    let text = include_str!("whole.md");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)).step_by(7) {
        formats::read(
            &SourceId::new("MCP_TOOL_SPECIFICATION.md"),
            &text.as_bytes()[..end],
            &Guidance::default(),
        );
    }
}

/// Pieces of specifications, whole and broken, out of which any nonsense can be made.
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
    fn any_nonsense_is_survived_and_fixed_in_one_round(pieces in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = pieces.into_iter().map(|index| PIECES[index]).collect();
        survives(&text);
        let fixed = formats::apply_edits(&text, &find_fixes(&source(), &text));
        assert_eq!(find_fixes(&source(), &fixed), []);
    }
}

#[test]
fn a_specification_that_is_not_utf_8_is_still_known_by_its_name() {
    assert!(formats::is_candidate(&source(), b"# Caf\xe9\n"));
    assert!(formats::is_candidate(&SourceId::new("a.md"), b"# X - MCP Tools\n\nCaf\xe9\n"));
    assert!(!formats::is_candidate(&SourceId::new("a.md"), b"# Caf\xe9\n"));
}
