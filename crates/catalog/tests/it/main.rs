//! The model as its users see it.

mod conditions;
mod deciding;
mod harness;
mod secrets;
