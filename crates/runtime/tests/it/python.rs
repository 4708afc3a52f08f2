//! Functions of Python modules, called by warm workers.

mod calling;
mod ending;
mod python_fixture;
mod sessions;
