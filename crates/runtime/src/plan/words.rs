//! From values to a command line: what each binding makes of its argument.

use catalog::{
    Failure,
    implementation::{Binding, Items, PassBy, Piece, Separator, ValueKind},
};
use process::Word;
use serde_json::Value;
use toolkit::Arguments;

use super::{paths::Places, variables};
use crate::failures;

/// Whether `--` stands before the positional values.
#[derive(Clone, Copy, PartialEq)]
enum DoubleDash {
    Absent,
    BeforeTheNextPositional,
    Written,
}

/// A command line in the making, and what travels beside it.
pub(crate) struct CommandLine<'a> {
    places: Option<&'a Places<'a>>,
    double_dash: DoubleDash,
    /// The arguments after the program.
    pub(crate) words: Vec<Word>,
    /// Environment variables of the call.
    pub(crate) variables: Vec<(String, String)>,
    /// What the program reads on its standard input.
    pub(crate) stdin: Option<String>,
    /// Files by name, with their content.
    pub(crate) files: Vec<(String, String)>,
}

impl<'a> CommandLine<'a> {
    /// A command line of fixed words.
    pub(crate) fn of_words(words: &[String]) -> Self {
        let words = words.iter().cloned().map(Word::Text).collect();
        let (variables, files) = (Vec::new(), Vec::new());
        Self { places: None, double_dash: DoubleDash::Absent, words, variables, stdin: None, files }
    }

    /// The command line that `pieces` make of `arguments`, without those that had to be refused.
    pub(crate) fn build(
        pieces: &[Piece],
        arguments: &Arguments,
        places: &'a Places<'a>,
        refusals: &mut Vec<Failure>,
    ) -> Self {
        let mut line = Self { places: Some(places), ..Self::of_words(&[]) };
        for piece in pieces {
            match piece {
                Piece::Word(word) => line.words.push(Word::Text(word.clone())),
                Piece::DoubleDash => line.double_dash = DoubleDash::BeforeTheNextPositional,
                Piece::Json => line.stdin = Some(Value::Object(arguments.clone()).to_string()),
                Piece::Parameter(binding) => match arguments.get(&binding.parameter) {
                    None | Some(Value::Null) => {}
                    Some(value) if binding.pass_by == PassBy::Variables => {
                        line.variables(binding, value, refusals)
                    }
                    Some(value) => refusals.extend(line.parameter(binding, value).err()),
                },
            }
        }
        line
    }

    fn parameter(&mut self, binding: &Binding, value: &Value) -> Result<(), Failure> {
        match &binding.pass_by {
            PassBy::Argument => self.argument(binding, value),
            PassBy::File => {
                let file = self.file(self.whole(binding, value)?);
                self.place(binding, binding.flag.as_deref(), file)
            }
            PassBy::FileIfMultiline(flag) => match value {
                Value::String(text) if text.contains('\n') => {
                    let file = self.file(text.clone());
                    self.words.push(Word::Text(flag.clone()));
                    self.words.push(file);
                    Ok(())
                }
                _ => self.argument(binding, value),
            },
            PassBy::Stdin => {
                let text = self.whole(binding, value)?;
                self.stdin.get_or_insert_default().push_str(&text);
                Ok(())
            }
            PassBy::Env(name) => self.variable(binding, name, self.whole(binding, value)?),
            // They have been taken care of: each variable may be refused, and other paths depend on the folder.
            PassBy::Variables | PassBy::Folder => Ok(()),
        }
    }

    fn argument(&mut self, binding: &Binding, value: &Value) -> Result<(), Failure> {
        match (value, &binding.flag) {
            (Value::Bool(on), Some(flag)) => {
                let flag = if *on { Some(flag) } else { binding.negate.as_ref() };
                self.words.extend(flag.cloned().map(Word::Text));
                Ok(())
            }
            (Value::Array(items), _) if binding.items == Items::Each => {
                items.iter().filter(|item| !item.is_null()).try_for_each(|item| {
                    let word = Word::Text(self.text(binding, item)?);
                    self.place(binding, binding.flag.as_deref(), word)
                })
            }
            (Value::Array(items), _) if items.is_empty() => Ok(()),
            _ => {
                let word = Word::Text(self.whole(binding, value)?);
                self.place(binding, binding.flag.as_deref(), word)
            }
        }
    }

    /// Puts a word behind its flag, or where positional values stand.
    fn place(&mut self, binding: &Binding, flag: Option<&str>, word: Word) -> Result<(), Failure> {
        match (flag, &binding.separator) {
            (Some(flag), Separator::Space) => {
                self.words.extend([Word::Text(flag.to_owned()), word])
            }
            (Some(flag), Separator::Equals) => {
                self.words.push(word.with_prefix(&format!("{flag}=")))
            }
            (Some(flag), Separator::Nothing) => self.words.push(word.with_prefix(flag)),
            (None, _) => self.positional(binding, word)?,
        }
        Ok(())
    }

    fn positional(&mut self, binding: &Binding, word: Word) -> Result<(), Failure> {
        match (self.double_dash, &word) {
            (DoubleDash::BeforeTheNextPositional, _) => {
                self.words.push(Word::Text("--".to_owned()));
                self.double_dash = DoubleDash::Written;
            }
            (DoubleDash::Absent, Word::Text(text))
                if text.starts_with('-') && !binding.allow_dash =>
            {
                let instead = match text.parse::<f64>() {
                    Ok(_) => "it cannot be passed until the definition allows it, with `double_dash` or `allow_dash`".to_owned(),
                    Err(_) => format!("write a file name as `./{text}`"),
                };
                let message = format!(
                    "'{}' must not begin with a dash, or the program would take `{text}` for an option; {instead}",
                    binding.parameter
                );
                return Err(failures::invalid_argument(
                    &binding.parameter,
                    message,
                    "a value without a leading dash",
                    text.as_str(),
                ));
            }
            _ => {}
        }
        self.words.push(word);
        Ok(())
    }

    /// One text for a value, the items of a joined array together.
    fn whole(&self, binding: &Binding, value: &Value) -> Result<String, Failure> {
        match (value, &binding.items) {
            (Value::Array(items), Items::Joined(separator)) => {
                let texts: Result<Vec<_>, _> = items
                    .iter()
                    .filter(|item| !item.is_null())
                    .map(|item| self.text(binding, item))
                    .collect();
                Ok(texts?.join(separator))
            }
            _ => self.text(binding, value),
        }
    }

    fn text(&self, binding: &Binding, value: &Value) -> Result<String, Failure> {
        let Value::String(text) = value else {
            return Ok(plain(value));
        };
        match (binding.kind, self.places) {
            (ValueKind::Path, Some(places)) if !text.is_empty() => {
                places.resolve(&binding.parameter, text)
            }
            (ValueKind::PathOrValue, Some(places)) => {
                places.resolve_if_exists(&binding.parameter, text)
            }
            _ => Ok(text.clone()),
        }
    }

    fn file(&mut self, content: String) -> Word {
        let name = format!("argument-{}", self.files.len() + 1);
        self.files.push((name.clone(), content));
        Word::File { prefix: String::new(), name }
    }

    fn variables(&mut self, binding: &Binding, value: &Value, refusals: &mut Vec<Failure>) {
        let Value::Object(members) = value else {
            let message = format!("'{}' must be an object of names and values", binding.parameter);
            return refusals.push(failures::invalid_argument(
                &binding.parameter,
                message,
                "object",
                value.clone(),
            ));
        };
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let text = value.as_str().map_or_else(|| plain(value), str::to_owned);
            refusals.extend(self.variable(binding, name, text).err());
        }
    }

    fn variable(&mut self, binding: &Binding, name: &str, value: String) -> Result<(), Failure> {
        variables::check(&binding.parameter, name)?;
        self.variables.retain(|(other, _)| other != name);
        self.variables.push((name.to_owned(), value));
        Ok(())
    }
}

/// A value as people write it: a whole number has no fraction, however it was sent.
fn plain(value: &Value) -> String {
    /// Up to here, every whole number is a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() <= EXACT => {
                (float as i64).to_string()
            }
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}
