//! Finds every error in a TOML text, where deserializing stops at the first one.

use serde::de::DeserializeOwned;
use toml::{
    Spanned,
    de::{DeTable, DeValue, Deserializer, Error},
};

/// The errors in `text` as a `T`, in the order of the text. A syntax error hides the others: what
/// follows it may have been read wrongly.
///
/// Each key of a section and each element of a list of tables is deserialized alone, so that each
/// of them can report an error. This needs a `T` whose sections have no required keys.
pub(crate) fn find_errors<T: DeserializeOwned>(text: &str) -> Vec<Error> {
    let start = |error: &Error| error.span().map_or(0, |span| span.start);
    let (table, mut syntax) = DeTable::parse_recoverable(text);
    if !syntax.is_empty() {
        syntax.sort_by_key(start);
        // One mistake often has consequences on the same line.
        let line =
            |error: &mut Error| text.get(..start(error)).map(|text| text.matches('\n').count());
        syntax.dedup_by_key(line);
        return syntax;
    }
    let parts = split(table).into_iter().map(Deserializer::from);
    let mut errors: Vec<_> = parts.filter_map(|part| T::deserialize(part).err()).collect();
    errors.sort_by_key(start);
    // An unknown section is reported for each of its keys.
    errors.dedup_by_key(|error| start(error));
    errors
}

/// The smallest documents that can be deserialized on their own.
fn split<'t>(document: Spanned<DeTable<'t>>) -> Vec<Spanned<DeTable<'t>>> {
    let whole = document.span();
    let mut parts = Vec::new();
    for (section, value) in document.into_inner() {
        let span = value.span();
        let mut add = |value: DeValue<'t>| {
            let value = Spanned::new(span.clone(), value);
            let table = DeTable::from_iter([(section.clone(), value)]);
            parts.push(Spanned::new(whole.clone(), table));
        };
        match value.into_inner() {
            DeValue::Table(table) => table
                .into_iter()
                .for_each(|entry| add(DeValue::Table([entry].into_iter().collect()))),
            DeValue::Array(items) if items.iter().all(|item| item.get_ref().is_table()) => {
                items.into_iter().for_each(|item| add(DeValue::Array([item].into_iter().collect())))
            }
            value => add(value),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::find_errors;
    use crate::Config;

    #[test]
    fn finds_all_errors_of_sections_and_lists() {
        let text = "[crib]\nnames = 1\nroots = \"here\"\nname = 7\n[confine]\nenabled = \"no\"\n\
                    [[policy]]\ntools = \"a\"\n[[policy]]\ntools = \"b\"\ndo = \"allow\"\nfor = 1\n\
                    [cirb]\na = 1\nb = 2\n";
        let errors = find_errors::<Config>(text);
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let found: Vec<_> = errors
            .iter()
            .map(|error| {
                let start = error.span().map_or(0, |span| span.start);
                format!(
                    "{}: {}",
                    line(start),
                    error.message().split(", expected one").next().unwrap_or_default()
                )
            })
            .collect();
        insta::assert_snapshot!(found.join("\n"), @r#"
        2: unknown field `names`
        3: invalid type: string "here", expected a sequence
        4: invalid type: integer `7`, expected a string
        6: invalid type: string "no", expected a boolean
        7: missing field `do`
        12: unknown field `for`
        13: unknown field `cirb`
        "#);
    }

    #[test]
    fn finds_only_syntax_errors_if_there_are_any() {
        let errors = find_errors::<Config>("[crib]\nname = \"a\nroots = 1\n[confine\n");
        let starts: Vec<_> = errors.iter().filter_map(|error| Some(error.span()?.start)).collect();
        assert!(starts.len() >= 2 && starts.is_sorted(), "{errors:?}");
    }
}
