//! Replies of an R worker, which the function that it runs can forge, are decoded or rejected; no
//! sequence of them makes a value that is nested without limit.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // As in the pipe: each reply has its length in front, here in one byte, so that the fuzzer
    // reaches several replies.
    let mut replies = Vec::new();
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first() {
        let (reply, next) = after.split_at(after.len().min(usize::from(*length)));
        replies.push(reply);
        rest = next;
    }
    if let Some(value) = workers::decode_replies(&replies) {
        assert!(value.len() <= 1 << 20, "{} bytes", value.len());
    }
});
