//! `[[allow]]`, and allowances in documents.

use catalog::Location;
use workspace::{Crib, Environment, Loader, OpenError, check_paths};

use crate::crib_fixture::{CribFixture, render_found, specification};

#[test]
fn diagnostics_are_allowed_by_comments_and_by_the_configuration() {
    let all = |crib: &CribFixture| render_found(&crib.load(), &["TC405", "TC411"]).len();
    let plain = specification("a_tool", "string");
    assert_eq!(all(&CribFixture::new(&[("MCP_TOOL_SPECIFICATION.md", &plain)])), 2);
    let comment = plain.replace(
        "Do something",
        "<!-- toolcrib: allow TC405 it is internal -->\n<!-- toolcrib: allow TC411 as well -->\n\nDo something",
    );
    assert_eq!(all(&CribFixture::new(&[("MCP_TOOL_SPECIFICATION.md", &comment)])), 0);
    for scope in ["tools = \"a_*\"", "file = \"docs/*\""] {
        let config = ["TC405", "TC411"]
            .map(|code| {
                format!("[[allow]]\ncode = \"{code}\"\n{scope}\nreason = \"it is internal\"\n")
            })
            .concat();
        assert_eq!(
            all(&CribFixture::new(&[
                ("docs/MCP_TOOL_SPECIFICATION.md", &plain),
                ("toolcrib.toml", &config)
            ])),
            0,
            "{scope}"
        );
    }
    let elsewhere = "[[allow]]\ncode = \"TC405\"\ntools = \"b_*\"\nreason = \"it is internal\"\n";
    let useless =
        CribFixture::new(&[("MCP_TOOL_SPECIFICATION.md", &plain), ("toolcrib.toml", elsewhere)]);
    assert_eq!(all(&useless), 2);
    assert_eq!(render_found(&useless.load(), &["TC641"]).len(), 1);
}

#[test]
fn an_allowance_needs_a_reason_and_does_not_cover_errors() {
    let config = |crib: &CribFixture| match crib.open() {
        Err(OpenError::Config { diagnostics }) => {
            diagnostics.iter().map(|found| found.code).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    };
    assert_eq!(
        config(&CribFixture::new(&[(
            "toolcrib.toml",
            "[[allow]]\ncode = \"TC405\"\nreason = \" \"\n"
        )])),
        ["TC640"]
    );
    assert_eq!(
        config(&CribFixture::new(&[("toolcrib.toml", "[[allow]]\ncode = \"TC405\"\n")])),
        ["TC601"]
    );
    let template = "# M - MCP Tool Specification\n\n<!-- toolcrib: allow TC803 later -->\n\n## Tool: `[YourToolName]`\n\nDo it.\n";
    assert_eq!(
        render_found(
            &CribFixture::new(&[("MCP_TOOL_SPECIFICATION.md", template)]).load(),
            &["TC803", "TC641"]
        )
        .len(),
        2
    );
}

#[test]
fn an_invalid_clause_does_not_disable_the_others() {
    let rule = |code: &str, when: &str| {
        format!(
            "[[rule]]\ncode = \"{code}\"\nseverity = \"warning\"\nwhen = \"{when}\"\nmessage = \"not as we do it\"\n"
        )
    };
    let valid =
        [&rule("ACME-2", "true"), "[[allow]]\ncode = \"TC405\"\nreason = \"it is internal\"\n"]
            .concat();
    for (invalid, code) in [
        (rule("ACME-1", "tool.nam == ''"), "TC642"),
        (rule("ACME-1", "true").replace("warning", "fatal"), "TC601"),
        ("[[rule]]\ncode = \"ACME-1\"\n".to_owned(), "TC601"),
        ("[[allow]]\ncode = \"TC411\"\nreason = \"\"\n".to_owned(), "TC640"),
        ("[[allow]]\ncode = \"TC411\"\nwhy = \"so\"\n".to_owned(), "TC601"),
    ] {
        let config = [&valid, invalid.as_str()].concat();
        let fixture = CribFixture::new(&[
            ("MCP_TOOL_SPECIFICATION.md", &specification("a_tool", "string")),
            ("toolcrib.toml", &config),
        ]);
        let (crib, problems) =
            Crib::open_lenient(Some(&fixture.root()), &Environment::default()).expect("a folder");
        let found: Vec<_> =
            problems.iter().map(|found| (found.code, found.origin.location.clone())).collect();
        assert_eq!(found, [(code, Location::Offset(valid.len()))], "{invalid}");
        let loaded = Loader::default().load(&crib);
        assert_eq!(
            render_found(&loaded, &["ACME-1", "ACME-2", "TC405"]),
            ["ACME-2 MCP_TOOL_SPECIFICATION.md not as we do it"],
            "{invalid}"
        );
        let named = check_paths(&[fixture.root()], &Environment::default()).expect("a folder");
        assert_eq!(
            render_found(&named, &["ACME-1", "ACME-2", "TC405", code]).len(),
            2,
            "{invalid}"
        );
        assert!(matches!(fixture.open(), Err(OpenError::Config { .. })), "it is not served");
    }
}
