//! Functions of R, called for real.

mod calling;
mod ending;
mod plots;
mod results;
mod sessions;
mod state;
mod values;
mod workshop;
