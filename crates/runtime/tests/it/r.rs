//! Functions of R, called for real.

mod calling;
mod ending;
mod long_results;
mod plots;
mod r_fixture;
mod results;
mod sessions;
mod state;
mod values;
