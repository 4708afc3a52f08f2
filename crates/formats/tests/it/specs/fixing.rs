//! Fixes: their result, that it keeps the meaning, and that one round is enough.

use std::fs;

use catalog::{Location, Origin, SourceId, Tool};
use formats::{Guidance, apply_edits, find_fixes};
use testing::shared_corpus;

use crate::specs::{codes, document_with, read, source};

fn apply_fixes(text: &str) -> String {
    apply_edits(text, &find_fixes(&source(), text))
}

#[test]
fn formats_tables_and_repairs_broken_rows() {
    let before = document_with(
        "| Name|Type   | Required | Default | Description |\n|:------|---|:-:|---|---|\n|`a`  | `list[str]` | yes | — | One   |\n| `b` | `str \\ | null` | **No** | `null` Two |\n",
    );
    let after = document_with(
        "| Name | Type | Required | Default | Description |\n| :--- | --- | :---: | --- | --- |\n| `a` | `array[string]` | Yes | — | One |\n| `b` | `string \\| null` | No | `null` | Two |\n",
    );
    assert_eq!(apply_fixes(&before), after);
    assert_eq!(codes(&read(&after)), Vec::<&str>::new());
}

#[test]
fn leaves_other_tables_text_and_unknown_types_alone() {
    for text in [
        document_with("| Property|Value |\n|---|---|\n| a|b |\n"),
        document_with(
            "| Name | Type | Description |\n| --- | --- | --- |\n| `a` | `strng` | One  two |\n",
        ),
        format!("| Name|Type |\n|---|---|\n|a|b|\n\n{}", document_with("**Parameters**: None")),
        "no specification at all | a|b |".to_owned(),
    ] {
        assert_eq!(apply_fixes(&text), text);
    }
}

#[test]
fn keeps_line_endings() {
    let text = document_with("| Name|Type |\n|---|---|\n|`a`|`str`|\n").replace('\n', "\r\n");
    let after = apply_fixes(&text);
    assert!(after.contains("| `a` | `string` |\r\n"), "{after:?}");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
}

/// Reads the tools without locations, which fixes move.
fn read_meaning(text: &str, name: &SourceId) -> Vec<Tool> {
    let mut tools = formats::read(name, text.as_bytes(), &Guidance::default()).tools;
    for tool in &mut tools {
        tool.origin = Origin::whole_file(name);
        tool.parameters.iter_mut().for_each(|parameter| parameter.location = Location::Whole);
        if let Some(details) = &mut tool.details {
            details.sections.iter_mut().for_each(|(_, location)| *location = Location::Whole);
            details.outputs.iter_mut().for_each(|field| field.location = Location::Whole);
            details.usages.iter_mut().for_each(|usage| {
                usage.location = Location::Whole;
                usage.problem.iter_mut().for_each(|problem| problem.location = Location::Whole);
            });
            details.security.iter_mut().for_each(|remark| remark.location = Location::Whole);
            details.errors.iter_mut().for_each(|errors| errors.location = Location::Whole);
            details.idempotency.iter_mut().for_each(|section| section.location = Location::Whole);
            details.version.iter_mut().for_each(|version| version.location = Location::Whole);
        }
    }
    tools
}

#[test]
fn fixes_of_real_files_keep_the_meaning_and_need_one_round() {
    let Some(folder) = shared_corpus("corpus/specs") else {
        return;
    };
    let mut fixed = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = SourceId::new(path.file_name().expect("a name").to_string_lossy());
        let before = fs::read_to_string(&path).expect("a text");
        let after = apply_edits(&before, &find_fixes(&name, &before));
        assert_eq!(read_meaning(&after, &name), read_meaning(&before, &name), "{name}");
        assert_eq!(find_fixes(&name, &after), [], "{name}");
        let is_broken = |text: &str| {
            formats::read(&name, text.as_bytes(), &Guidance::default())
                .diagnostics
                .iter()
                .any(|found| found.code == "TC804")
        };
        assert!(!is_broken(&after), "{name}");
        fixed += usize::from(before != after);
    }
    assert!(fixed > 20, "{fixed}");
}

#[test]
fn gives_columns_the_titles_of_the_template() {
    let before = document_with(
        "### 3. Input Schema\n\n| param | type | Required? | Behavior | Example |\n| --- | --- | --- | --- | --- |\n| `a` | `string` | Yes | One | `1` |\n\n### 4. Output Schema\n\n| Name | Data Type | **description** |\n| --- | --- | --- |\n| `b` | `string` | Two |\n",
    );
    let after = document_with(
        "### 3. Input Schema\n\n| Parameter Name | Type | Required | Behavior | Example Value |\n| --- | --- | --- | --- | --- |\n| `a` | `string` | Yes | One | `1` |\n\n### 4. Output Schema\n\n| Field Name | Type | Description |\n| --- | --- | --- |\n| `b` | `string` | Two |\n",
    );
    assert_eq!(apply_fixes(&before), after);
}
