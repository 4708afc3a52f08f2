//! Builds the command line of a call: how each binding passes its argument.

use catalog::{
    Failure, Tool,
    budget::spend,
    failures::FailureList,
    implementation::{Binding, Items, PassBy, Piece, Process, Separator, ValueKind},
    runs_named_files,
};
use process::Word;
use serde_json::Value;
use toolkit::Arguments;

use super::{paths::PathResolver, variables};
use crate::failures;

/// Whether `--` comes before the positional values.
#[derive(Clone, Copy, PartialEq)]
enum DoubleDash {
    Absent,
    BeforeNextPositional,
    Written,
}

/// A command line, and what is passed besides.
pub(crate) struct CommandLine<'a> {
    tool: Option<&'a Tool>,
    resolver: Option<&'a PathResolver<'a>>,
    double_dash: DoubleDash,
    runs_files: bool,
    /// The arguments after the program.
    pub(crate) words: Vec<Word>,
    /// Environment variables that the call sets.
    pub(crate) variables: Vec<(String, String)>,
    /// Text for standard input.
    pub(crate) stdin: Option<String>,
    /// Files to create in the private folder, by name and content.
    pub(crate) files: Vec<(String, String)>,
}

impl<'a> CommandLine<'a> {
    /// A command line of fixed words.
    pub(crate) fn from_words(words: &[String]) -> Self {
        let words = words.iter().cloned().map(Word::Text).collect();
        let (variables, files) = (Vec::new(), Vec::new());
        Self {
            tool: None,
            resolver: None,
            double_dash: DoubleDash::Absent,
            runs_files: false,
            words,
            variables,
            stdin: None,
            files,
        }
    }

    /// Builds the command line of `process` from `arguments`. Arguments that cannot be passed are left out
    /// and reported in `failures`.
    pub(crate) fn build(
        tool: &'a Tool,
        process: &Process,
        arguments: &Arguments,
        resolver: &'a PathResolver<'a>,
        failures: &mut FailureList,
    ) -> Self {
        let (tool, resolver) = (Some(tool), Some(resolver));
        let runs_files = runs_named_files(&process.program);
        let mut line = Self { tool, resolver, runs_files, ..Self::from_words(&[]) };
        for piece in &process.pieces {
            match piece {
                Piece::Word(word) => line.words.push(Word::Text(word.clone())),
                Piece::DoubleDash => line.double_dash = DoubleDash::BeforeNextPositional,
                Piece::Json => line.stdin = Some(Value::Object(arguments.clone()).to_string()),
                Piece::Parameter(binding) => match arguments.get(&binding.parameter) {
                    None | Some(Value::Null) => {}
                    Some(value) if binding.pass_by == PassBy::Variables => {
                        line.add_variables(binding, value, failures)
                    }
                    Some(value) => failures.extend(line.add_parameter(binding, value).err()),
                },
            }
        }
        line
    }

    fn add_parameter(&mut self, binding: &Binding, value: &Value) -> Result<(), Failure> {
        match &binding.pass_by {
            PassBy::Argument => self.add_argument(binding, value),
            PassBy::File => {
                let file = self.add_file(self.join_text(binding, value)?);
                self.add_word(binding, binding.flag.as_deref(), file)
            }
            PassBy::FileIfMultiline(flag) => match value {
                Value::String(text) if text.contains('\n') => {
                    let file = self.add_file(text.clone());
                    self.words.push(Word::Text(flag.clone()));
                    self.words.push(file);
                    Ok(())
                }
                _ => self.add_argument(binding, value),
            },
            PassBy::Stdin => {
                let text = self.join_text(binding, value)?;
                // Several parameters may go to stdin; they follow each other in the order of the
                // definition.
                self.stdin.get_or_insert_default().push_str(&text);
                Ok(())
            }
            PassBy::Env(name) => self.add_variable(binding, name, self.join_text(binding, value)?),
            // Handled elsewhere: each variable can fail on its own, and paths depend on the folder.
            PassBy::Variables | PassBy::Folder => Ok(()),
        }
    }

    fn add_argument(&mut self, binding: &Binding, value: &Value) -> Result<(), Failure> {
        match (value, &binding.flag) {
            (Value::Bool(on), Some(flag)) => {
                // A boolean flag has no value: its presence is `true`, its absence or its negation
                // `false`.
                let flag = if *on { Some(flag) } else { binding.negate.as_ref() };
                self.words.extend(flag.cloned().map(Word::Text));
                Ok(())
            }
            (Value::Array(items), _) if binding.items == Items::Each => {
                items.iter().filter(|item| !item.is_null()).try_for_each(|item| {
                    let word = Word::Text(self.to_text(binding, item)?);
                    self.add_word(binding, binding.flag.as_deref(), word)
                })
            }
            (Value::Object(members), _) if matches!(binding.items, Items::Pairs { .. }) => {
                let words = to_pairs(&binding.items, members).into_iter();
                words
                    .map(Word::Text)
                    .try_for_each(|word| self.add_word(binding, binding.flag.as_deref(), word))
            }
            // Joined, an empty array would become an empty word, which programs take for a value.
            (Value::Array(items), _) if items.is_empty() => Ok(()),
            _ => {
                let word = Word::Text(self.join_text(binding, value)?);
                self.add_word(binding, binding.flag.as_deref(), word)
            }
        }
    }

    /// Adds a word after its flag, or as a positional value.
    fn add_word(
        &mut self,
        binding: &Binding,
        flag: Option<&str>,
        word: Word,
    ) -> Result<(), Failure> {
        match (flag, &binding.separator) {
            (Some(flag), Separator::Space) => {
                // A flag whose value is optional takes no word that looks like an option. `-` alone
                // is never one: it means standard input.
                reject_dash(binding, &word, |text| text.len() > 1)?;
                self.words.extend([Word::Text(flag.to_owned()), word])
            }
            (Some(flag), Separator::Equals) => {
                self.words.push(word.with_prefix(&format!("{flag}=")))
            }
            (Some(flag), Separator::Nothing) => {
                reject_empty(binding, flag, &word)?;
                self.words.push(word.with_prefix(flag))
            }
            (None, _) => self.add_positional(binding, word)?,
        }
        Ok(())
    }

    fn add_positional(&mut self, binding: &Binding, word: Word) -> Result<(), Failure> {
        match self.double_dash {
            DoubleDash::BeforeNextPositional => {
                self.words.push(Word::Text("--".to_owned()));
                self.double_dash = DoubleDash::Written;
            }
            DoubleDash::Absent => reject_dash(binding, &word, |_| true)?,
            DoubleDash::Written => {}
        }
        self.words.push(word);
        Ok(())
    }

    /// One text for a value; the items of an array are joined.
    fn join_text(&self, binding: &Binding, value: &Value) -> Result<String, Failure> {
        match (value, &binding.items) {
            (Value::Array(items), Items::Joined(separator)) => {
                let texts: Result<Vec<_>, _> = items
                    .iter()
                    .filter(|item| !item.is_null())
                    .map(|item| self.to_text(binding, item))
                    .collect();
                Ok(texts?.join(separator))
            }
            (Value::Object(members), Items::Pairs { .. }) => {
                Ok(to_pairs(&binding.items, members).join("\n"))
            }
            _ => self.to_text(binding, value),
        }
    }

    fn to_text(&self, binding: &Binding, value: &Value) -> Result<String, Failure> {
        let Value::String(text) = value else {
            return Ok(to_plain_text(value));
        };
        let Some(resolver) = self.resolver.map(|resolver| resolver.for_access(binding.access))
        else {
            return Ok(text.clone());
        };
        let path = match binding.kind {
            ValueKind::Path if !text.is_empty() => resolver.resolve(&binding.parameter, text)?,
            ValueKind::PathOrValue => resolver.resolve_if_exists(&binding.parameter, text)?,
            _ => return Ok(text.clone()),
        };
        // A program that executes files must get the resolved path that was checked: it would look up a
        // bare name in `PATH`.
        Ok(if self.runs_files { path } else { resolver.like_given(text, path) })
    }

    fn add_file(&mut self, content: String) -> Word {
        let name = format!("argument-{}", self.files.len() + 1);
        self.files.push((name.clone(), content));
        Word::File { prefix: String::new(), name }
    }

    fn add_variables(&mut self, binding: &Binding, value: &Value, failures: &mut FailureList) {
        let Value::Object(members) = value else {
            let message = format!("'{}' must be an object of names and values", binding.parameter);
            return failures.push(failures::argument_failure(
                &binding.parameter,
                message,
                "object",
                value.clone(),
            ));
        };
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let text = value.as_str().map_or_else(|| to_plain_text(value), str::to_owned);
            failures.extend(self.add_variable(binding, name, text).err());
        }
    }

    fn add_variable(
        &mut self,
        binding: &Binding,
        name: &str,
        value: String,
    ) -> Result<(), Failure> {
        // The author of the definition answers for the names in it.
        let is_listed = binding.pass_by == PassBy::Variables
            && self.tool.is_some_and(|tool| tool.lists_variable(&binding.parameter, name));
        variables::check_name(&binding.parameter, name, is_listed)?;
        // A caller may send any number, and each is compared with all before it.
        spend(1 + self.variables.len() as u64);
        self.variables.retain(|(other, _)| other != name);
        self.variables.push((name.to_owned(), value));
        Ok(())
    }
}

/// Rejects a value that the program would read as an option, unless the definition allows it.
fn reject_dash(binding: &Binding, word: &Word, is_option: fn(&str) -> bool) -> Result<(), Failure> {
    let Word::Text(text) = word else {
        return Ok(());
    };
    if binding.allow_dash || !text.starts_with('-') || !is_option(text) {
        return Ok(());
    }
    let is_number = text.parse::<f64>().is_ok();
    let instead = if binding.is_path() && !is_number {
        format!("write a file name as `./{text}`")
    } else {
        let setting = if binding.flag.is_none() { "double_dash" } else { "separator" };
        format!("to pass it, the definition needs `allow_dash` or `{setting}`")
    };
    let message = format!(
        "'{}' must not begin with a dash, or the program would take `{text}` for an option; {instead}",
        binding.parameter
    );
    Err(failures::argument_failure(
        &binding.parameter,
        message,
        "a value without a leading dash",
        text.as_str(),
    ))
}

/// Rejects an empty value that is glued to its flag: the program would take the next word for the
/// value, and that may be anything.
fn reject_empty(binding: &Binding, flag: &str, word: &Word) -> Result<(), Failure> {
    let is_empty = matches!(word, Word::Text(text) if text.is_empty());
    if !is_empty || !flag.starts_with('-') || flag.ends_with('=') {
        return Ok(());
    }
    let message = format!(
        "'{}' must not be empty, or the program would take the next word for the value of `{flag}`; leave it out",
        binding.parameter
    );
    Err(failures::argument_failure(&binding.parameter, message, "a value that is not empty", ""))
}

/// Converts the members of an object to words `name=value`, which may be joined into one.
fn to_pairs(items: &Items, members: &Arguments) -> Vec<String> {
    let Items::Pairs { separator, join } = items else {
        return Vec::new();
    };
    let present = members.iter().filter(|(_, value)| !value.is_null());
    let pairs: Vec<_> = present
        .map(|(name, value)| {
            let text = value.as_str().map_or_else(|| to_plain_text(value), str::to_owned);
            format!("{name}{separator}{text}")
        })
        .collect();
    match join {
        Some(join) if !pairs.is_empty() => vec![pairs.join(join)],
        _ => pairs,
    }
}

/// A value as people write it: a whole number has no fraction, even if JSON has `1.0`.
fn to_plain_text(value: &Value) -> String {
    /// Up to 2⁵³, floats represent every whole number exactly.
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
