//! Formats definitions, unless that would change the tools that they define.

use std::fmt;

use catalog::{SourceId, Tool};
use serde_json::Value;

use super::{canonical, detect, read};
use crate::{comparison::find_losses, context::Guidance, json, report::Report};

/// The extent of a rewrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// Writes the canonical form; fields keep their names.
    Format,
    /// Writes the canonical form, with the field names of the current version of the format.
    Migrate,
}

/// The reason why a file is not formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unformatted {
    /// It is not a definition of a command-line tool in JSON.
    OtherFormat,
    /// It has comments, which would be lost, or is not JSON.
    NotPlainJson,
    /// The result would define other tools.
    OtherTools,
}

impl fmt::Display for Unformatted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherFormat => "not a JSON definition of a command-line tool",
            Self::NotPlainJson => "it has comments or is not valid JSON",
            Self::OtherTools => "its tools would change",
        })
    }
}

/// Renders a definition in canonical form.
pub fn format_definition(text: &str, rewrite: Rewrite) -> Result<String, Unformatted> {
    let parsed = json::parse(text);
    let is_ours = parsed.root.as_ref().is_some_and(|root| detect(root, text).is_some());
    if !is_ours {
        return Err(Unformatted::OtherFormat);
    }
    // Unlike our own parser, serde_json accepts no comments, which the rendering would lose.
    let mut value: Value = serde_json::from_str(text).map_err(|_| Unformatted::NotPlainJson)?;
    if rewrite == Rewrite::Migrate {
        canonical::migrate(&mut value);
    }
    let formatted = canonical::render(value);
    if is_same(&read_tools(text), &read_tools(&formatted)) {
        Ok(formatted)
    } else {
        Err(Unformatted::OtherTools)
    }
}

fn read_tools(text: &str) -> Vec<Tool> {
    let mut report = Report::new(&SourceId::new("definition"));
    let parsed = json::parse(text);
    let read = parsed.root.map(|root| read(&root, &Guidance::default(), &mut report));
    read.map(|(tools, broken)| tools.into_iter().chain(broken).collect()).unwrap_or_default()
}

/// Whether two lists define the same tools, ignoring their locations.
fn is_same(before: &[Tool], after: &[Tool]) -> bool {
    let mut pairs = before.iter().zip(after);
    before.len() == after.len()
        && pairs.all(|(before, after)| {
            before.name == after.name
                // In both directions, because an added property is not a loss.
                && find_losses(before, after).is_empty()
                && find_losses(after, before).is_empty()
        })
}

#[cfg(test)]
mod tests {
    use super::{Rewrite, Unformatted, format_definition};

    const OLD: &str = r#"{"description": "Count", "name": "count", "command": "wc", "force_synchronous": true,
"subcommand": [{"description": "Count lines, words and bytes of files", "name": "default", "options": [
{"type": "integer", "name": "width", "min": 1, "description": "Minimum width of a column of numbers"}]}]}"#;

    #[test]
    fn formats_and_migrates() {
        let formatted = format_definition(OLD, Rewrite::Format).expect("a definition");
        assert_eq!(format_definition(&formatted, Rewrite::Format).as_ref(), Ok(&formatted));
        assert!(
            formatted.starts_with("{\n  \"name\": \"count\",\n  \"description\": \"Count\",\n")
        );
        assert!(formatted.contains("force_synchronous"), "only the layout: {formatted}");
        let migrated = format_definition(OLD, Rewrite::Migrate).expect("a definition");
        assert_eq!(format_definition(&migrated, Rewrite::Migrate).as_ref(), Ok(&migrated));
        insta::assert_snapshot!(migrated, @r#"
        {
          "mtdf": "2",
          "name": "count",
          "description": "Count lines, words and bytes of files",
          "command": "wc",
          "synchronous": true,
          "options": [
            {
              "name": "width",
              "description": "Minimum width of a column of numbers",
              "type": "integer",
              "minimum": 1
            }
          ]
        }
        "#);
    }

    #[test]
    fn a_migration_keeps_a_text_that_only_the_upper_level_has() {
        let text = OLD.replacen("\"Count\"", "\"Count. Never on binaries.\"", 1);
        let migrated = format_definition(&text, Rewrite::Migrate).expect("a definition");
        assert!(migrated.contains("Never on binaries."), "{migrated}");
    }

    #[test]
    fn leaves_other_files_alone() {
        let format = |text| format_definition(text, Rewrite::Format);
        assert_eq!(format("[1]"), Err(Unformatted::OtherFormat));
        let comment =
            "// a comment\n{\"name\": \"a\", \"description\": \"A\", \"command\": \"true\"}";
        assert_eq!(format(comment), Err(Unformatted::NotPlainJson));
    }
}
