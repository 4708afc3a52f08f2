//! The launcher process never panics on a request, and accepts only what encodes to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    assert_ne!(process::check_start_request(bytes), Some(false));
});
