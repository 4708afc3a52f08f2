//! Invalid files: a diagnostic with a location, and the other files still
//! load.

use std::fs;

use serde_json::json;
use testing::{TempCrib, definition};

/// Checks a crib with one good tool and one bad file, and returns the codes of the errors.
fn codes_of(bad: &[u8]) -> Vec<String> {
    let crib = TempCrib::new().tool("good", definition("good", "true"));
    fs::write(crib.root().join("tools/bad.json"), bad).expect("a file");
    let report = crib.run(&["check", "--format", "json"]).json();
    assert!(report["summary"]["tools"].as_u64() >= Some(1), "the good tool loads: {report}");
    let found = report["diagnostics"].as_array().expect("diagnostics").iter();
    found
        .filter(|found| found["severity"] == "error")
        .map(|found| found["code"].as_str().expect("a code").to_owned())
        .collect()
}

#[test]
fn broken_text_is_one_finding_and_affects_no_other_file() {
    let deep = "[".repeat(100_000);
    let mut nul = definition("nul", "true").to_string().into_bytes();
    nul.insert(5, 0);
    for bad in [b"".as_slice(), b"{", b"[1, 2", b"\xff\xfe{}", b"null", deep.as_bytes(), &nul] {
        assert!(
            !codes_of(bad).is_empty(),
            "{:?}",
            String::from_utf8_lossy(&bad[..bad.len().min(20)])
        );
    }
}

#[test]
fn a_huge_file_is_not_read() {
    let crib = TempCrib::new().tool("good", definition("good", "true"));
    let huge = fs::File::create(crib.root().join("tools/huge.json")).expect("a file");
    huge.set_len(100 << 20).expect("a hole of 100 MiB");
    let report = crib.run(&["check", "--format", "json"]).json();
    assert_eq!(report["summary"]["tools"], 1);
    assert_eq!(report["diagnostics"][0]["code"], "TC602");
    assert_eq!(report["diagnostics"][0]["file"], "tools/huge.json");
}

#[test]
fn rejects_too_wide_and_too_deep_definitions_in_bounded_time() {
    let leaves: Vec<_> = (0..10_000)
        .map(|index| json!({"name": format!("n{index}"), "description": "One"}))
        .collect();
    let wide = json!({"name": "wide", "description": "Wide", "command": "true", "mutates": false, "subcommand": leaves});
    let mut deep = json!({"name": "leaf", "description": "The end"});
    for _ in 0..500 {
        deep = json!({"name": "n", "description": "A level", "subcommand": [deep]});
    }
    let start = std::time::Instant::now();
    assert_eq!(codes_of(wide.to_string().as_bytes()).len(), 1, "too many");
    assert!(!codes_of(deep.to_string().as_bytes()).is_empty(), "too deep");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn duplicate_keys_and_bad_references_are_errors() {
    let duplicate =
        br#"{"name": "a", "name": "b", "description": "x", "command": "true", "subcommand": []}"#;
    assert!(!codes_of(duplicate).is_empty());
    let with_reference = |reference: &str| {
        json!({"name": "r", "description": "x", "command": "true", "mutates": false,
            "inputSchema": {"type": "object", "properties": {"a": {"$ref": reference}}, "$defs": {"l": {"$ref": "#/$defs/l"}}}})
        .to_string()
    };
    for reference in ["https://example.com/x.json", "#/$defs/none", "#/$defs/l"] {
        assert!(!codes_of(with_reference(reference).as_bytes()).is_empty(), "{reference}");
    }
}

#[test]
fn reports_a_dangling_link() {
    let crib = TempCrib::new().tool("good", definition("good", "true"));
    std::os::unix::fs::symlink("/nowhere", crib.root().join("tools/dangling.json"))
        .expect("a link");
    let report = crib.run(&["check", "--format", "json"]).json();
    assert_eq!(report["diagnostics"][0]["code"], "TC602");
}
