//! For any bytes, reading a definition terminates without panicking, and every diagnostic has a
//! valid location.
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
        let range = locator.range(&diagnostic.origin.location);
        assert!(range.start <= range.end && range.end <= text.len());
    }
    for tool in &reading.tools {
        assert!(catalog::name::check(&tool.name).is_ok());
    }
});
