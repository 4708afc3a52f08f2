//! Whatever a server says of its tools, reading it ends, panics never, every place can be found, and what is written of the
//! tools as a listing is read as the same schemas.
#![no_main]

use catalog::SourceId;
use formats::{Guidance, Locator, Target, convert};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = SourceId::new("fuzz.json");
    // The text as a file, as a list of tools, and as what is said of one: a fuzzer finds its way into each by itself.
    let wrapped = [
        text.to_owned(),
        format!("{{\"tools\": [{text}]}}"),
        format!("{{\"tools\": [{{\"name\": \"t\", {text}}}]}}"),
    ];
    for text in &wrapped {
        let reading = formats::read(&source, text.as_bytes(), &Guidance::default());
        let locator = Locator::new(text);
        for diagnostic in &reading.diagnostics {
            let range = locator.range(&diagnostic.origin.place);
            assert!(range.start <= range.end && text.get(range).is_some());
        }
        let again = convert(&reading.tools, Target::Mcp, "fuzz");
        assert!(
            reading.tools.is_empty() || again.losses.iter().all(|loss| loss.field != "inputSchema"),
            "{:?}",
            again.losses
        );
    }
});
