//! Functions of R, called for real.

mod calling;
mod ending;
mod plots;
mod r_fixture;
mod results;
mod sessions;
mod state;
mod values;
