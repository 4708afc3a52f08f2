//! Policies and secret arguments.

mod conditions;
mod decisions;
mod policy_fixture;
mod secrets;
