//! Arguments that take one of the names in a table.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// One value of an argument.
#[derive(Clone)]
pub(crate) struct Choice<T> {
    /// The value as it is typed.
    pub(crate) name: &'static str,
    /// Its line in the help.
    pub(crate) help: &'static str,
    /// The meaning.
    pub(crate) value: T,
}

/// Accepts the names of the choices. Help, errors and completions list them.
pub(crate) fn parser<T: Clone + Send + Sync + 'static>(
    choices: Vec<Choice<T>>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<_> =
        choices.iter().map(|choice| PossibleValue::new(choice.name).help(choice.help)).collect();
    PossibleValuesParser::new(values).map(move |name| {
        let chosen = choices.iter().find(|choice| choice.name == name);
        chosen.expect("clap accepts only the names of the choices").value.clone()
    })
}
