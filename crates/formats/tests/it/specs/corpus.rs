//! Real specifications, compared with what a careful reader finds in them.

use std::{collections::BTreeMap, fmt::Write, fs};

use catalog::{SourceId, Tool};
use formats::{Guidance, Reading};
use serde_json::Value;
use testing::shared_corpus;

/// Parses the expected tools, by file.
fn parse_expectations() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut files = BTreeMap::new();
    let mut current: Option<&str> = None;
    for line in include_str!("expected.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match line.strip_prefix("== ") {
            Some(file) => {
                current = Some(file);
                files.insert(file, Vec::new());
            }
            None => files
                .get_mut(current.expect("a file comes first"))
                .expect("the file was just inserted")
                .push(line),
        }
    }
    files
}

fn read(file: &str) -> Option<Reading> {
    let path = shared_corpus("corpus/specs")?.join(file);
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(formats::read(&SourceId::new(file), &bytes, &Guidance::default()))
}

/// Describes a type in the notation of the expectations.
fn describe_type(schema: &Value) -> String {
    let arms = |arms: &[Value]| arms.iter().map(describe_type).collect::<Vec<_>>().join(" or ");
    let inner = |key: &str| {
        schema
            .get(key)
            .filter(|inner| inner.is_object())
            .map(|inner| format!(" of {}", describe_type(inner)))
            .unwrap_or_default()
    };
    let choices = schema
        .get("enum")
        .and_then(Value::as_array)
        .map(|choices| format!(" of {}", choices.len()))
        .unwrap_or_default();
    match (schema.get("type"), schema.get("anyOf"), schema.get("prefixItems")) {
        (_, _, Some(Value::Array(items))) => format!("tuple of {}", items.len()),
        (_, Some(Value::Array(any)), _) => arms(any),
        (Some(Value::Array(names)), ..) => {
            names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        (Some(Value::String(name)), ..) if name == "array" => format!("array{}", inner("items")),
        (Some(Value::String(name)), ..) if name == "object" => {
            format!("object{}", inner("additionalProperties"))
        }
        (Some(Value::String(name)), ..) => format!("{name}{choices}"),
        _ => "any".to_owned(),
    }
}

fn describe_tool(tool: &Tool) -> String {
    let required: Vec<_> = tool.input.required().collect();
    let mark = |name: &str| if required.contains(&name) { "!" } else { "" };
    let parameters = tool
        .input
        .properties()
        .map(|(name, schema)| format!("{name}: {}{}", describe_type(schema), mark(name)));
    format!("{}({})", tool.name, parameters.collect::<Vec<_>>().join(", "))
}

/// Describes a reading in the notation of the expectations, and in as much detail as they have.
fn describe_reading(reading: &Reading, expected: &[&str]) -> Vec<String> {
    let codes: Vec<_> = reading.diagnostics.iter().map(|found| found.code).collect();
    if reading.tools.is_empty() {
        let why = [
            ("TC801", "it says so"),
            ("TC802", "no section describes a tool"),
            ("TC803", "it is the template"),
        ];
        let why =
            why.iter().find(|(code, _)| codes.contains(code)).map_or("of nothing", |(_, why)| why);
        return vec![format!("nothing, because {why}")];
    }
    let has_signature = |index: usize| expected.get(index).is_none_or(|line| line.contains('('));
    let line = |(index, tool): (usize, &Tool)| {
        if has_signature(index) { describe_tool(tool) } else { tool.name.clone() }
    };
    reading.tools.iter().enumerate().map(line).collect()
}

#[test]
fn finds_the_tools_that_a_careful_reader_finds() {
    let files = parse_expectations();
    assert!(files.len() >= 25);
    let mut wrong = String::new();
    for (file, expected) in files {
        let Some(reading) = read(file) else { return };
        let found = describe_reading(&reading, &expected);
        if found != expected {
            writeln!(wrong, "{file}\n  expected {expected:#?}\n  found {found:#?}")
                .expect("writing to a string cannot fail");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_real_file_has_tools_or_a_reason_for_none() {
    let Some(folder) = shared_corpus("corpus/specs") else {
        return;
    };
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let reading = read(&name).expect("it was just listed");
        let has_reason = reading
            .diagnostics
            .iter()
            .any(|found| matches!(found.code, "TC801" | "TC802" | "TC803"));
        assert!(!reading.tools.is_empty() || has_reason, "{name}: {:#?}", reading.diagnostics);
        files += 1;
    }
    assert!(files >= 100, "{files}");
}
