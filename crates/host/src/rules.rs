//! Every rule of the product in one list.

use catalog::Rule;

/// Every rule that checking a crib can report, sorted by code.
pub fn rules() -> Vec<&'static Rule> {
    let mut rules: Vec<&'static Rule> = [
        workspace::RULES,
        formats::PROMPT_RULES,
        roxygen::RULES,
        formats::rmd::RULES,
        lint::RULES,
        compat::DRIFT_RULES,
    ]
    .into_iter()
    .flatten()
    .copied()
    .chain(formats::rules())
    .collect();
    rules.sort_by_key(|rule| rule.code);
    rules
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::rules;

    #[test]
    fn codes_and_names_of_rules_are_unique() {
        let rules = rules();
        let codes: BTreeSet<_> = rules.iter().map(|rule| rule.code).collect();
        let names: BTreeSet<_> = rules.iter().map(|rule| rule.name).collect();
        assert_eq!((codes.len(), names.len()), (rules.len(), rules.len()));
    }
}
