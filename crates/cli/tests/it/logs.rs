//! What goes to standard error, and what never goes to standard output.

use crate::crib::{Crib, definition};

/// A crib with a good tool and a broken file.
fn half_broken() -> Crib {
    Crib::new()
        .tool("good", definition("good", "true"))
        .file("tools/bad.json", "{\n  \"name\": \"bad\",\n  \"command\" \"true\"\n}")
}

#[test]
fn what_is_wrong_is_logged_at_load_with_its_place() {
    // Standard input is at its end at once, so the server starts, says what it has to say, and ends.
    let ran = half_broken().run(&["serve"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("tools/bad.json:3:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 tool from 2 files"), "{}", ran.stderr);
}

#[test]
fn the_level_is_set_by_flag_and_by_variable() {
    let crib = half_broken();
    assert!(!crib.run(&["serve", "--log-level", "error"]).stderr.contains(" from 2 files"));
    let quiet = crib.command(&["serve"]).env("TOOLCRIB_LOG", "error").output().expect("a run");
    assert!(!String::from_utf8_lossy(&quiet.stderr).contains(" from 2 files"));
    assert_eq!(crib.run(&["serve", "--log-level", "loud"]).code, 2);
}

#[test]
fn logs_can_be_json() {
    let ran = half_broken().run(&["serve", "--log-json"]);
    assert!(!ran.stderr.is_empty());
    for line in ran.stderr.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        assert!(entry["level"].is_string() && entry["fields"]["message"].is_string(), "{entry}");
    }
}
