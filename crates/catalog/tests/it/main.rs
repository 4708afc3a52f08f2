//! Policies, code in arguments, and secret arguments.

mod bounds;
mod conditions;
mod decisions;
mod given_code;
mod policy_fixture;
mod secrets;
