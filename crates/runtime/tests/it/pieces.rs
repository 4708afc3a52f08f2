//! Pieces of a command line, in one line each.

use catalog::implementation::{Binding, Piece, flag_for};

/// A fixed word.
pub(crate) fn word(text: &str) -> Piece {
    Piece::Word(text.to_owned())
}

/// A parameter that is passed as an option of the same name.
pub(crate) fn option(name: &str, change: impl FnOnce(&mut Binding)) -> Piece {
    let mut binding = Binding::option(name, flag_for(name));
    change(&mut binding);
    Piece::Parameter(binding)
}

/// A parameter that is passed by its position.
pub(crate) fn positional(name: &str, change: impl FnOnce(&mut Binding)) -> Piece {
    let mut binding = Binding::positional(name);
    change(&mut binding);
    Piece::Parameter(binding)
}
