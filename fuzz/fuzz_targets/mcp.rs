//! For any listing, reading terminates without panicking, every diagnostic has a valid location,
//! and tools converted back to a listing keep their schemas.
#![no_main]

use catalog::SourceId;
use formats::{Guidance, Locator, convert, find_format};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = SourceId::new("fuzz.json");
    // The input as a whole file, as a list of tools, and as members of one tool, so that the fuzzer
    // reaches all three levels without having to invent the wrapper.
    let wrapped = [
        text.to_owned(),
        format!("{{\"tools\": [{text}]}}"),
        format!("{{\"tools\": [{{\"name\": \"t\", {text}}}]}}"),
    ];
    for text in &wrapped {
        let reading = formats::read(&source, text.as_bytes(), &Guidance::default());
        let locator = Locator::new(text);
        for diagnostic in &reading.diagnostics {
            let range = locator.range(&diagnostic.origin.location);
            assert!(range.start <= range.end && text.get(range).is_some());
        }
        let mcp = find_format("mcp").and_then(|format| format.writer.as_ref());
        let again = convert(&reading.tools, mcp.expect("listings can be written"), "fuzz");
        assert!(
            reading.tools.is_empty() || again.losses.iter().all(|loss| loss.field != "inputSchema"),
            "{:?}",
            again.losses
        );
    }
});
