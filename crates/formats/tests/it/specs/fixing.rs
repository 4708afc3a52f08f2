//! Fixes: what they write, that they mean nothing else, and that nothing is left to fix behind them.

use std::fs;

use catalog::{Location, Origin, SourceId, Tool};
use formats::{Guidance, apply_edits, find_fixes};

use crate::{
    harness::shared_corpus,
    specs::{codes, page, read, source},
};

fn fixed(text: &str) -> String {
    apply_edits(text, &find_fixes(&source(), text))
}

#[test]
fn tables_get_one_form_and_torn_rows_their_pipe() {
    let before = page(
        "| Name|Type   | Required | Default | Description |\n|:------|---|:-:|---|---|\n|`a`  | `list[str]` | yes | — | One   |\n| `b` | `str \\ | null` | **No** | `null` Two |\n",
    );
    let after = page(
        "| Name | Type | Required | Default | Description |\n| :--- | --- | :---: | --- | --- |\n| `a` | `array[string]` | Yes | — | One |\n| `b` | `string \\| null` | No | `null` | Two |\n",
    );
    assert_eq!(fixed(&before), after);
    assert_eq!(codes(&read(&after)), Vec::<&str>::new());
}

#[test]
fn other_tables_text_and_unknown_types_stay_as_they_are() {
    for text in [
        page("| Property|Value |\n|---|---|\n| a|b |\n"),
        page("| Name | Type | Description |\n| --- | --- | --- |\n| `a` | `strng` | One  two |\n"),
        format!("| Name|Type |\n|---|---|\n|a|b|\n\n{}", page("**Parameters**: None")),
        "no specification at all | a|b |".to_owned(),
    ] {
        assert_eq!(fixed(&text), text);
    }
}

#[test]
fn line_ends_are_kept() {
    let text = page("| Name|Type |\n|---|---|\n|`a`|`str`|\n").replace('\n', "\r\n");
    let after = fixed(&text);
    assert!(after.contains("| `a` | `string` |\r\n"), "{after:?}");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
}

/// Tools without places, which fixes move.
fn meaning(text: &str, name: &SourceId) -> Vec<Tool> {
    let mut tools = formats::read(name, text.as_bytes(), &Guidance::default()).tools;
    for tool in &mut tools {
        tool.origin = Origin::whole(name);
        tool.parameters.iter_mut().for_each(|parameter| parameter.location = Location::Whole);
        if let Some(details) = &mut tool.details {
            details.sections.iter_mut().for_each(|(_, place)| *place = Location::Whole);
            details.outputs.iter_mut().for_each(|field| field.location = Location::Whole);
            details.usages.iter_mut().for_each(|usage| {
                usage.location = Location::Whole;
                usage.problem.iter_mut().for_each(|problem| problem.location = Location::Whole);
            });
            details.security.iter_mut().for_each(|remark| remark.location = Location::Whole);
            details.errors.iter_mut().for_each(|errors| errors.location = Location::Whole);
            details.idempotency.iter_mut().for_each(|said| said.location = Location::Whole);
            details.version.iter_mut().for_each(|version| version.location = Location::Whole);
        }
    }
    tools
}

#[test]
fn no_fix_of_a_real_file_changes_its_meaning_and_one_round_is_enough() {
    let Some(folder) = shared_corpus("corpus/specs") else {
        return;
    };
    let mut fixed = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = SourceId::new(path.file_name().expect("a name").to_string_lossy());
        let before = fs::read_to_string(&path).expect("a text");
        let after = apply_edits(&before, &find_fixes(&name, &before));
        assert_eq!(meaning(&after, &name), meaning(&before, &name), "{name}");
        assert_eq!(find_fixes(&name, &after), [], "{name}");
        let torn = |text: &str| {
            formats::read(&name, text.as_bytes(), &Guidance::default())
                .diagnostics
                .iter()
                .any(|found| found.code == "TC804")
        };
        assert!(!torn(&after), "{name}");
        fixed += usize::from(before != after);
    }
    assert!(fixed > 20, "{fixed}");
}

#[test]
fn columns_get_the_titles_that_are_asked_for() {
    let before = page(
        "### 3. Input Schema\n\n| param | type | Required? | Behavior | Example |\n| --- | --- | --- | --- | --- |\n| `a` | `string` | Yes | One | `1` |\n\n### 4. Output Schema\n\n| Name | Data Type | **description** |\n| --- | --- | --- |\n| `b` | `string` | Two |\n",
    );
    let after = page(
        "### 3. Input Schema\n\n| Parameter Name | Type | Required | Behavior | Example Value |\n| --- | --- | --- | --- | --- |\n| `a` | `string` | Yes | One | `1` |\n\n### 4. Output Schema\n\n| Field Name | Type | Description |\n| --- | --- | --- |\n| `b` | `string` | Two |\n",
    );
    assert_eq!(fixed(&before), after);
}
