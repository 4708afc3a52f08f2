//! For any line from a client, the guard returns a decision without panicking, and every rejected
//! request gets an error message.
#![no_main]

use libfuzzer_sys::fuzz_target;
use server::guard::{Incoming, read};

fuzz_target!(|line: &[u8]| {
    let text = String::from_utf8_lossy(line);
    match read(line) {
        // Only an empty line, a notification or a response may be dropped without an error.
        Incoming::Nothing => assert!(
            text.trim().trim_start_matches('\u{feff}').trim().is_empty() || text.contains('"')
        ),
        Incoming::Refused { error, .. } => assert!(!error.message.is_empty()),
        Incoming::Message(_) => assert!(text.contains('{')),
    }
});
