//! `[[profile]]` in `toolcrib.toml`.

use crate::crib_fixture::{CribFixture, check_rule_examples};

#[test]
fn every_problem_is_reported_with_its_line() {
    let config = r#"[[profile]]
name = "a b"
tools = []

[[profile]]
name = "x"
tools = ["git_[a]"]

[[profile]]
name = "x"
tools = ["git_*"]
"#;
    insta::assert_snapshot!(CribFixture::with_config(config).check_config());
    let useless = "[[profile]]\nname = \"x\"\ntools = [\"git_*\", \"gti_push\"]\n";
    insta::assert_snapshot!(CribFixture::with_config(useless).check_config());
}

#[test]
fn the_examples_of_rules_are_bad_and_good() {
    for code in ["TC617", "TC618"] {
        check_rule_examples(code, 1, CribFixture::with_config);
    }
}
