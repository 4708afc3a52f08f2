//! Addresses of pages in the published book.

use catalog::{ErrorType, Rule};
use compat::ChangeRule;

/// The book, built from `docs`, at an address.
#[derive(Clone, Debug)]
pub struct PublishedBook(String);

impl PublishedBook {
    /// The book at this address, which has no slash at its end.
    pub fn at(url: &str) -> Self {
        Self(url.to_owned())
    }

    /// The section about a rule of `check`.
    pub fn rule(&self, rule: &Rule) -> String {
        self.section("rules", &format!("{}-{}", rule.code.to_lowercase(), rule.name))
    }

    /// The section about a rule of `diff`.
    pub fn change(&self, change: &ChangeRule) -> String {
        self.section("changes", change.name)
    }

    /// The section about an error type.
    pub fn error_type(&self, error_type: ErrorType) -> String {
        self.section("errors", error_type.as_str())
    }

    fn section(&self, page: &str, anchor: &str) -> String {
        format!("{}/reference/{page}.html#{anchor}", self.0)
    }
}
