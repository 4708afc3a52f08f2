//! Reads folders and configurations, and checks what their users see.

mod allow;
mod approval_page;
mod bind;
mod content;
mod crib_fixture;
mod custom_rules;
mod documents;
mod flags;
mod limits;
mod policy;
mod policy_proposal;
mod project;
mod r_packages;
mod reload;
mod specifications;
mod tool_profiles;
