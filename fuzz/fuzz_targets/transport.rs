//! Parsing a line from a client never panics, and every request is parsed or answered with an
//! error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use server::transport::{Incoming, parse_line};

fuzz_target!(|line: &[u8]| {
    let text = String::from_utf8_lossy(line);
    match parse_line(line) {
        // Only empty lines, notifications and responses may be ignored.
        Incoming::Ignored => assert!(
            text.trim().trim_start_matches('\u{feff}').trim().is_empty() || text.contains('"')
        ),
        Incoming::Invalid { error, .. } => assert!(!error.message.is_empty()),
        Incoming::Message(_) => assert!(text.contains('{')),
    }
});
