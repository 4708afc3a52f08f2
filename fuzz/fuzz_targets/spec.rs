//! For any text, reading it as a specification terminates without panicking, every location is
//! valid, and fixes are idempotent.
#![no_main]

use catalog::SourceId;
use formats::{Guidance, Locator, apply_edits, find_fixes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = SourceId::new("MCP_TOOL_SPECIFICATION.md");
    let reading = formats::read(&source, bytes, &Guidance::default());
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let locator = Locator::new(text);
    for diagnostic in &reading.diagnostics {
        let range = locator.range(&diagnostic.origin.location);
        assert!(range.start <= range.end && text.get(range).is_some());
    }
    for tool in &reading.tools {
        assert!(catalog::name::check(&tool.name).is_ok());
        for parameter in &tool.parameters {
            assert!(text.get(locator.range(&parameter.location)).is_some());
        }
    }
    let fixed = apply_edits(text, &find_fixes(&source, text));
    assert!(find_fixes(&source, &fixed).is_empty(), "a second run finds more to fix");
});
