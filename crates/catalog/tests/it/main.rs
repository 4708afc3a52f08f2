//! Policies and secret arguments.

mod bounds;
mod conditions;
mod decisions;
mod policy_fixture;
mod secrets;
