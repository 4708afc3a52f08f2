//! For any text, reading it as YAML and compiling it as R terminate without panicking, and
//! generated definitions can be read.
#![no_main]

use catalog::SourceId;
use formats::{Guidance, Locator};
use libfuzzer_sys::fuzz_target;
use roxygen::{ExampleRecord, compile};

fuzz_target!(|text: &str| {
    let yaml = format!("name: p-f\n{text}");
    formats::read(&SourceId::new("fuzz.yaml"), yaml.as_bytes(), &Guidance::default());
    let code = format!("{text}\n#' @keywords mcp-tool\nf <- function(x) x\n");
    let compilation = compile("p", &[(SourceId::new("R/fuzz.R"), code.clone())], &|_| None);
    let locator = Locator::new(&code);
    for diagnostic in &compilation.diagnostics {
        assert!(locator.range(&diagnostic.origin.location).end <= code.len());
    }
    for definition in &compilation.definitions {
        let written = definition.to_yaml(&ExampleRecord::default());
        let reading = formats::read(
            &SourceId::new(definition.file_name()),
            written.as_bytes(),
            &Guidance::default(),
        );
        assert_eq!(reading.tools.len(), 1, "{written}");
    }
});
