//! The model of a program: commands, options and positional arguments, each fact with its origin.

use std::sync::Arc;

/// Where a fact was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The command that printed the text, or the name of the file.
    pub source: Arc<str>,
    /// The line in it, from 1.
    pub line: usize,
}

/// A value and where it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact<T> {
    /// The value.
    pub value: T,
    /// Its origin.
    pub origin: Origin,
}

impl<T> Fact<T> {
    /// A fact read at this place.
    pub fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }
}

/// What an author declares about the effect of a command. It is never inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It only reads.
    Read,
    /// It changes something.
    Write,
    /// Its changes are hard to undo.
    Destructive,
}

/// A program, or one of its commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Command {
    /// The word on the command line; of the program, its name.
    pub name: String,
    /// Other words for the same command.
    pub aliases: Vec<String>,
    /// What it does.
    pub description: Option<Fact<String>>,
    /// Its options, in the order of the source.
    pub options: Vec<Flag>,
    /// Its positional arguments, in order.
    pub positionals: Vec<Positional>,
    /// Its subcommands, in the order of the source.
    pub subcommands: Vec<Command>,
    /// Its declared effect.
    pub effect: Option<Fact<Effect>>,
    /// Whether it can be called although it has subcommands.
    pub runs_itself: bool,
    /// Whether the source hides it from its users.
    pub is_hidden: bool,
    /// Where it is listed.
    pub origin: Origin,
}

/// An option.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flag {
    /// Its names with their dashes, in the order of the source.
    pub names: Vec<String>,
    /// The flag for false.
    pub negation: Option<String>,
    /// Its value; without one it is a switch.
    pub value: Option<ValueSpec>,
    /// Whether it can be given several times.
    pub repeats: Option<Fact<()>>,
    /// Whether it must be given.
    pub required: Option<Fact<()>>,
    /// Its purpose.
    pub description: Option<Fact<String>>,
    /// The value that the program uses if it is absent, as written in the source.
    pub default: Option<Fact<String>>,
    /// The allowed values.
    pub choices: Option<Fact<Vec<String>>>,
    /// The declared effect of using it.
    pub effect: Option<Fact<Effect>>,
    /// Whether the source hides it from its users.
    pub is_hidden: bool,
    /// Where its names are listed.
    pub origin: Origin,
}

/// The value of an option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueSpec {
    /// The placeholder, such as `FILE`; may be empty.
    pub name: String,
    /// Whether the option may also be given without a value.
    pub is_optional: bool,
    /// How it follows the option.
    pub separator: Separator,
}

/// What separates an option from its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// It is the next word.
    #[default]
    Space,
    /// An equals sign.
    Equals,
    /// Nothing.
    Nothing,
}

/// A positional argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Positional {
    /// The placeholder without brackets.
    pub name: String,
    /// Whether it must be given.
    pub is_required: bool,
    /// Whether it can be given several times.
    pub repeats: bool,
    /// Its purpose.
    pub description: Option<Fact<String>>,
    /// The allowed values.
    pub choices: Option<Fact<Vec<String>>>,
    /// Where it is listed.
    pub origin: Origin,
}

impl Flag {
    /// The name that identifies it: the first long one, else the first.
    pub fn main_name(&self) -> &str {
        let long = self.names.iter().find(|name| name.starts_with("--"));
        long.or_else(|| self.names.iter().max_by_key(|name| name.len())).map_or("", String::as_str)
    }

    /// Whether a flag, with its dashes, is one of its names.
    pub fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name) || self.negation.as_deref() == Some(name)
    }
}

impl Command {
    /// The option with one of these names, by a long one if possible. Options with different long names are
    /// different, even if they share a short one, as those of `strace` share `-e`.
    pub fn find_option(&mut self, names: &[String]) -> Option<&mut Flag> {
        let is_long = |name: &&String| name.starts_with("--");
        let shares = |known: &Flag| names.iter().any(|name| known.has_name(name));
        let shares_long =
            |known: &Flag| names.iter().filter(is_long).any(|name| known.has_name(name));
        let has_long = names.iter().any(|name| is_long(&name));
        let is_short = |known: &Flag| !has_long || !known.names.iter().any(|name| is_long(&name));
        let by_long = self.options.iter().position(shares_long);
        let found = by_long
            .or_else(|| self.options.iter().position(|known| is_short(known) && shares(known)));
        found.map(|index| &mut self.options[index])
    }

    /// Removes short names that stand alone although they belong to a known long one: `[-E|--save-exact]`
    /// may be two options, and a list shows that it is one.
    fn absorb_short_names(&mut self, names: &[String]) {
        let is_known = |known: &Flag| {
            known.names.iter().any(|name| name.starts_with("--") && names.contains(name))
        };
        if self.options.iter().any(is_known) {
            self.options.retain(|known| {
                let is_alone = known.names.len() == 1 && known.description.is_none();
                is_known(known) || !is_alone || !names.contains(&known.names[0])
            });
        }
    }

    /// Adds an option, or adds what is missing to one of the same name.
    pub fn add_option(&mut self, mut flag: Flag) {
        self.absorb_short_names(&flag.names);
        let Some(known) = self.find_option(&flag.names) else {
            let is_taken = |name: &String| self.options.iter().any(|known| known.has_name(name));
            flag.names.retain(|name| !is_taken(name));
            return self.options.push(flag);
        };
        for name in flag.names {
            if !known.has_name(&name) {
                known.names.push(name);
            }
        }
        // `--type=a` and `--type=b` on lines of their own are the choices of one option.
        if let (Some(value), Some(other)) = (&known.value, &flag.value)
            && value.name != other.name
            && is_literal(&value.name)
            && is_literal(&other.name)
        {
            let origin = known.origin.clone();
            let start = vec![value.name.clone()];
            let choices = known.choices.get_or_insert_with(|| Fact::new(start, origin));
            if !choices.value.contains(&other.name) {
                choices.value.push(other.name.clone());
            }
        }
        known.value = known.value.take().or(flag.value);
        known.negation = known.negation.take().or(flag.negation);
        known.repeats = known.repeats.take().or(flag.repeats);
        known.required = known.required.take().or(flag.required);
        known.description = known.description.take().or(flag.description);
        known.default = known.default.take().or(flag.default);
        known.choices = known.choices.take().or(flag.choices);
        known.effect = known.effect.take().or(flag.effect);
    }

    /// Adds a subcommand, or adds what is missing to one of the same name.
    pub fn add_subcommand(&mut self, command: Command) {
        let known = self
            .subcommands
            .iter_mut()
            .find(|known| known.name == command.name || known.aliases.contains(&command.name));
        match known {
            None => self.subcommands.push(command),
            Some(known) => known.merge(command),
        }
    }

    /// Adds what is missing from a source of lower precedence.
    pub fn merge(&mut self, other: Command) {
        self.description = self.description.take().or(other.description);
        self.effect = self.effect.take().or(other.effect);
        other.options.into_iter().for_each(|flag| self.add_option(flag));
        if self.positionals.is_empty() {
            self.positionals = other.positionals;
        }
        for alias in other.aliases {
            if !self.aliases.contains(&alias) {
                self.aliases.push(alias);
            }
        }
        other.subcommands.into_iter().for_each(|command| self.add_subcommand(command));
    }

    /// The number of commands without subcommands.
    pub fn leaves(&self) -> usize {
        let own = usize::from(self.subcommands.is_empty() || self.runs_itself);
        own + self.subcommands.iter().map(Command::leaves).sum::<usize>()
    }
}

/// Whether the text after `=` is a value to type rather than a placeholder.
fn is_literal(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.chars().all(is_plain)
}
