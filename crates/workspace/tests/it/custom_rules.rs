//! `[[rule]]`: custom rules of a crib.

use crate::crib_fixture::{CribFixture, render_found, specification, tool_names};

fn rule(code: &str, when: &str, severity: &str) -> String {
    format!(
        "[[rule]]\ncode = \"{code}\"\nseverity = \"{severity}\"\nwhen = {when:?}\nmessage = \"not as we do it\"\nhint = \"ask us\"\n"
    )
}

#[test]
fn custom_rules_are_applied() {
    let crib = |when: &str, severity: &str| {
        CribFixture::new(&[
            ("MCP_TOOL_SPECIFICATION.md", &specification("a_tool", "string")),
            ("toolcrib.toml", &rule("ACME-1", when, severity)),
        ])
    };
    for when in [
        "!tool.name.startsWith('acme_')",
        "tool.input.properties.exists(name, name == 'a')",
        "!tool.served && size(tool.security) == 0",
        "!('Security Considerations' in tool.sections)",
        "tool.version == null",
    ] {
        assert_eq!(
            render_found(&crib(when, "warning").load(), &["ACME-1"]),
            ["ACME-1 MCP_TOOL_SPECIFICATION.md not as we do it"],
            "{when}"
        );
    }
    assert_eq!(
        render_found(&crib("tool.name == 'other'", "warning").load(), &["ACME-1"]),
        Vec::<String>::new()
    );
    assert_eq!(
        tool_names(&crib("true", "error").load()),
        Vec::<&str>::new(),
        "a tool with an error is not served"
    );
    let failed = render_found(
        &crib("tool.input.properties.b.type == 'string'", "warning").load(),
        &["TC643"],
    );
    assert!(failed.len() == 1 && failed[0].contains("`b`"), "{failed:?}");
}

#[test]
fn invalid_rules_are_reported() {
    let rules = [
        ("ACME-1", "tool.nam == ''"),
        ("ACME-1", "args.x == 1"),
        ("ACME-1", "1 +"),
        ("TC405", "true"),
    ];
    let config: String = rules.iter().map(|(code, when)| rule(code, when, "warning")).collect();
    let crib = CribFixture::with_config(&config);
    assert!(crib.open().is_err());
    insta::assert_snapshot!(crib.check_config(), @"
    TC642 line 1: there is no `tool.nam`, only `name`, `title`, `description`, `category`, `version`, `mutates`, `dangerous`, `idempotent`, `requires_approval`, `network`, `consent`, `input`, `output`, `served`, `file`, `sections`, `security`, `errors`, `idempotency`, `examples` (conditions are CEL expressions over `tool`)
    TC642 line 7: there is no variable `args`, only `tool` (conditions are CEL expressions over `tool`)
    TC642 line 13: the condition is not CEL: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER} (conditions are CEL expressions over `tool`)
    TC642 line 19: `TC405` cannot be the code of a rule: use capitals, digits and `-`, and not `TC` with digits (conditions are CEL expressions over `tool`)
    ");
}
