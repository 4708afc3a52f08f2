//! Command lines of interpreters: programs that run text or a script.

use super::{
    CommandLine, Interpreter, has_word, is_argument, is_stdin_name,
    programs::{SCRIPT_FLAGS, SUBCOMMANDS},
    takes_stdin,
};
use crate::implementation::{Binding, Piece};

impl Interpreter {
    /// Whether the interpreter would run code from these arguments: after a flag, on standard
    /// input, or in a file that contains the value of a parameter. Flags after the name of a script
    /// belong to the script.
    pub(super) fn takes_code(&self, pieces: &[Piece]) -> bool {
        let mut is_value = false;
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Word(_) if is_value => is_value = false,
                Piece::Word(word) if self.is_code_flag(word) => return true,
                Piece::Word(word) if is_stdin_name(word) => return takes_stdin(pieces),
                Piece::Word(word) if word == "-m" && self.is_python() => {
                    let module = pieces.get(index + 1);
                    return matches!(module, Some(Piece::Parameter(binding)) if is_argument(binding));
                }
                Piece::Word(word) if word.starts_with(['-', '+']) => {
                    is_value = has_word(self.with_value, word);
                }
                Piece::Word(word) if self.is_subcommand(word) => {}
                // This word names the script, and the rest are its arguments.
                Piece::Word(_) => return false,
                Piece::Parameter(binding) if self.is_code(binding) => return true,
                Piece::Parameter(binding) if is_argument(binding) => return true,
                Piece::Parameter(_) | Piece::DoubleDash | Piece::Json => {}
            }
        }
        takes_stdin(pieces) || pieces.contains(&Piece::Json)
    }

    /// Whether a flag right after its name makes it run an argument.
    pub(super) fn has_code_flag(&self, pieces: &[Piece]) -> bool {
        let mut words = pieces.iter().map_while(|piece| match piece {
            Piece::Word(word) if word.starts_with('-') => Some(word),
            _ => None,
        });
        words.any(|word| self.is_code_flag(word))
    }

    /// The word that names the script, if there is one.
    pub(super) fn find_script(&self, words: &[&str]) -> Option<usize> {
        let mut is_value = false;
        for (index, word) in words.iter().enumerate() {
            match *word {
                _ if is_value => is_value = false,
                // Standard input, or a module that the interpreter finds by itself: no word names a
                // file.
                "-" | "-m" => return None,
                word if self.is_subcommand(word) => {}
                word if self.is_code_flag(word) => return None,
                word if word.starts_with("--file=") => return Some(index),
                word if word.starts_with(['-', '+']) => {
                    is_value = has_word(self.with_value, word);
                }
                _ => return Some(index),
            }
        }
        None
    }

    /// The Python module that runs as a program, and its arguments.
    pub(super) fn find_module<'p>(&self, pieces: &'p [Piece]) -> Option<CommandLine<'p>> {
        let is_flag = |piece: &Piece| matches!(piece, Piece::Word(word) if word == "-m");
        let flag = pieces.iter().position(is_flag).filter(|_| self.is_python())?;
        match &pieces[flag + 1..] {
            [Piece::Word(module), rest @ ..] => Some((module, rest)),
            _ => None,
        }
    }

    /// Whether a parameter with a flag is code, or names a file or a module that is loaded before
    /// the script.
    fn is_code(&self, binding: &Binding) -> bool {
        let Some(flag) = &binding.flag else {
            return false;
        };
        let name = flag.trim_end_matches('=');
        let mut letters = self.with_value.split_ascii_whitespace().filter(|flag| flag.len() == 2);
        binding.pass_by.is_code_way()
            && (self.is_code_flag(flag)
                || has_word(self.with_value, name)
                || has_word(SCRIPT_FLAGS, name)
                || !flag.starts_with("--") && letters.any(|letter| flag.starts_with(letter)))
    }

    fn is_code_flag(&self, word: &str) -> bool {
        let name = word.split('=').next().unwrap_or(word);
        let mut words = self.words.split_ascii_whitespace();
        // Short flags can be combined, as in `bash -ec` and `perl -ne`.
        let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        words.any(|known| name.eq_ignore_ascii_case(known))
            || cluster.is_some_and(|cluster| {
                !has_word(self.with_value, word)
                    && cluster.chars().any(|letter| self.letters.contains(letter))
            })
    }

    /// Whether a word precedes the script, as in `deno run`.
    fn is_subcommand(&self, word: &str) -> bool {
        let mut programs = SUBCOMMANDS.iter().filter(|(name, _)| has_word(self.names, name));
        programs.any(|(_, words)| has_word(words, word))
    }

    fn is_python(&self) -> bool {
        has_word(self.names, "python")
    }
}
