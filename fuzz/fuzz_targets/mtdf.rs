//! Whatever the bytes, reading a definition ends, panics never, and every diagnostic has a place that can be found.
#![no_main]

use catalog::SourceId;
use formats::{Guidance, Locator};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = SourceId::new("fuzz.json");
    let reading = formats::read(&source, bytes, &Guidance::default());
    let text = String::from_utf8_lossy(bytes);
    let locator = Locator::new(&text);
    for diagnostic in &reading.diagnostics {
        let range = locator.range(&diagnostic.origin.place);
        assert!(range.start <= range.end && range.end <= text.len());
    }
    for tool in &reading.tools {
        assert!(catalog::name::check(&tool.name).is_ok());
    }
});
