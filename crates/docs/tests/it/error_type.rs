//! Error types as text.

use catalog::ErrorType;

#[test]
fn an_error_type_is_explained_in_one_section() {
    insta::assert_snapshot!(docs::render_error_type(ErrorType::ApprovalRequired), @r"
    # approval_required

    Fault: approval. Exit code of `toolcrib call`: 5.

    The call waits for a person's approval.

    What to do: Ask the user; `toolcrib approve` lists the waiting calls.
    ");
}

#[test]
fn the_reference_has_the_section_of_every_error_type() {
    let reference = docs::render_errors_reference();
    for error_type in ErrorType::ALL {
        let section = format!("\n#{}", docs::render_error_type(*error_type));
        assert_eq!(reference.matches(&section).count(), 1, "{error_type}");
    }
}

#[test]
fn no_error_type_has_the_name_of_a_rule() {
    let rules = lint::RULES.iter().chain(compat::DRIFT_RULES).map(|rule| rule.name);
    for name in rules.chain(compat::CHANGES.iter().map(|rule| rule.name)) {
        assert_eq!(
            ErrorType::from_text(name),
            None,
            "`toolcrib explain {name}` would be ambiguous"
        );
    }
}
