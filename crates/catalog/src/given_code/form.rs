//! Command lines of programs that run code from some of their arguments.

use super::{Form, has_word, is_argument, is_stdin_name, takes_stdin};
use crate::implementation::{Binding, PassBy, Piece, Separator};

/// The role of the word after a flag.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Argument,
    Code,
    Data,
}

impl Form {
    /// Whether a parameter is code.
    pub(super) fn takes_code(&self, pieces: &[Piece]) -> bool {
        let Some(pieces) = self.skip_subcommand(pieces) else {
            return false;
        };
        if self.has("stdin") && takes_stdin(pieces) {
            return true;
        }
        let is_given = |piece: &Piece| match piece {
            Piece::Parameter(_) => true,
            Piece::Word(word) => is_stdin_name(word) && takes_stdin(pieces),
            Piece::DoubleDash | Piece::Json => false,
        };
        let (mut next, mut is_first, mut has_code) = (Next::Argument, true, false);
        for piece in pieces {
            match piece {
                Piece::DoubleDash | Piece::Json => continue,
                Piece::Parameter(binding) if self.is_code_option(binding) => return true,
                Piece::Parameter(binding) if !is_argument(binding) => continue,
                // A dash alone is an argument: standard input.
                Piece::Word(word) if word.len() > 1 && word.starts_with(['-', '+']) => {
                    next = self.find_next(word);
                    has_code |= next == Next::Code || self.is_joined(word);
                    continue;
                }
                Piece::Word(_) | Piece::Parameter(_) => {}
            }
            let is_code = match next {
                Next::Data => false,
                Next::Code => true,
                Next::Argument => {
                    // After `sed -e CODE`, for example, the first argument is a file.
                    let is_script = self.has("script") && !has_code;
                    self.has("all") || is_first && (self.has("first") || is_script)
                }
            };
            if is_code && is_given(piece) {
                return true;
            }
            if next == Next::Argument {
                is_first = false;
                if self.has("early") {
                    return false;
                }
            }
            next = Next::Argument;
        }
        false
    }

    /// Finds the command line of another program among the arguments. Returns the number of
    /// arguments before it, and its pieces.
    pub(super) fn find_command<'p>(&self, pieces: &'p [Piece]) -> Option<(usize, &'p [Piece])> {
        let operands = self.has("operand-command").then_some(1);
        let operands = operands.or_else(|| self.has("command").then_some(0))?;
        Some((operands, self.skip_subcommand(pieces)?))
    }

    /// The pieces after the subcommand; `None` for other subcommands.
    fn skip_subcommand<'p>(&self, pieces: &'p [Piece]) -> Option<&'p [Piece]> {
        let skip = |words: &str| words.split_ascii_whitespace().try_fold(pieces, skip_word);
        self.after.split('|').find_map(skip)
    }

    fn has(&self, what: &str) -> bool {
        has_word(self.code, what)
    }

    /// The flags whose values are code.
    fn flags(&self) -> impl Iterator<Item = &'static str> {
        self.code.split_ascii_whitespace().filter(|word| word.starts_with(['-', '+']))
    }

    fn find_next(&self, word: &str) -> Next {
        if self.flags().any(|flag| flag == word || is_cluster(flag, word)) {
            Next::Code
        } else if has_word(self.with_value, word) {
            Next::Data
        } else {
            Next::Argument
        }
    }

    /// Whether a flag and the code after it are one word.
    fn is_joined(&self, word: &str) -> bool {
        self.flags().any(|flag| word.starts_with(flag))
    }

    fn is_code_option(&self, binding: &Binding) -> bool {
        let Some(flag) = binding.flag.as_deref().filter(|_| binding.pass_by.is_code_way()) else {
            return false;
        };
        let is_joined = binding.separator != Separator::Space;
        let is_assignment = !flag.starts_with('-') && is_joined;
        let other = match &binding.pass_by {
            PassBy::FileIfMultiline(other) => other,
            _ => flag,
        };
        let is_code = |known: &str| {
            let is_prefix = known.ends_with([':', '+']) || known.len() == 2 && is_joined;
            known == flag
                || known == other
                || known == flag.split('=').next().unwrap_or(flag)
                || is_cluster(known, flag)
                || is_prefix && flag.starts_with(known)
        };
        self.flags().any(is_code) || is_assignment && self.has("assignments")
    }
}

/// The pieces after a word of a subcommand. Flags and their values may come before it.
fn skip_word<'p>(pieces: &'p [Piece], wanted: &str) -> Option<&'p [Piece]> {
    let mut is_value = false;
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Word(word) if word == wanted => return Some(&pieces[index + 1..]),
            Piece::Word(word) if word.starts_with('-') => is_value = !word.contains('='),
            Piece::Parameter(binding) if !is_argument(binding) => {}
            Piece::Word(_) | Piece::Parameter(_) if is_value => is_value = false,
            Piece::Word(_) | Piece::Parameter(_) => return None,
            Piece::DoubleDash | Piece::Json => {}
        }
    }
    None
}

/// Whether a word has short flags of which the last is `flag`: `-avze` for `-e`.
fn is_cluster(flag: &str, word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    flag.len() == 2
        && flag.starts_with('-')
        && letters.len() > 1
        && letters.ends_with(&flag[1..])
        && letters.bytes().all(|letter| letter.is_ascii_alphanumeric())
}
