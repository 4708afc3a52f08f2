//! JSON Schemas that are written out in a definition: checked by shape, without compiling them.

mod pattern;
pub(crate) mod reference;
mod walk;

pub(crate) use pattern::check_pattern;
pub(crate) use walk::Walk;
