//! Templates of guide content: variables, includes, limits and errors.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::guide_fixture::GuideFixture;

fn render(template: &str) -> String {
    let fixture = GuideFixture::new()
        .file("t/page.md.j2", template)
        .flags(json!({"beta": true, "names": ["a", "b"]}));
    let reply = fixture.get("t/page");
    assert_eq!(reply.failures, [], "{template}");
    reply.parts[0].text.clone()
}

fn render_error(fixture: &GuideFixture) -> String {
    let reply = fixture.get("t/page");
    assert_eq!(
        (reply.parts.len(), reply.failures[0].error_type.as_str()),
        (0, "template_error"),
        "{reply:?}"
    );
    reply.failures[0].error.clone()
}

#[test]
fn text_is_not_escaped_as_html() {
    assert_eq!(render("{{ 'a & b < \"c\"' }}"), "a & b < \"c\"");
}

#[test]
fn has_variables_for_project_category_and_file() {
    assert_eq!(render("{{ project.name }} {{ project.path }}"), "shop /the/shop");
    assert_eq!(render("{{ category.name }}: {{ category.description }}"), "t: All about t");
    assert_eq!(
        render("---\nauthor: Ada\n---\n{{ file.uri }} by {{ file.meta.author }}"),
        "guide://t/page.md.j2 by Ada"
    );
    assert_eq!(render("Call {{ tool('get_content') }}."), "Call served_get_content.");
}

#[test]
fn prints_flags_as_json_and_treats_unset_ones_as_off() {
    assert_eq!(
        render("{{ flags.beta }} {{ flags.names|join('+') }} {{ flags.names }}"),
        r#"true a+b ["a","b"]"#
    );
    assert_eq!(render("{% if flags.unset %}on{% else %}off{% endif %}"), "off");
}

#[test]
fn reports_errors_with_file_and_line() {
    let fixture =
        GuideFixture::new().file("t/page.md.j2", "---\ntitle: x\n---\nfine\n{{ nmae }}\n");
    assert!(render_error(&fixture).starts_with("line 5: "), "{}", render_error(&fixture));
    let fixture = GuideFixture::new()
        .file("t/page.md.j2", "{% include 'sub/_part.md' %}")
        .file("t/sub/_part.md", "---\na: b\n---\n{{ nmae }}");
    assert!(render_error(&fixture).starts_with("sub/_part.md:4: "), "{}", render_error(&fixture));
    let fixture = GuideFixture::new().file("t/page.md.j2", "one\n{% if %}");
    assert!(render_error(&fixture).starts_with("line 2: "), "{}", render_error(&fixture));
    let fixture = GuideFixture::new().file("t/page.md.j2", "{{ tool('no_such') }}");
    assert!(
        render_error(&fixture).contains("there is no tool `no_such`"),
        "{}",
        render_error(&fixture)
    );
}

#[test]
fn includes_are_relative_and_drop_front_matter() {
    let fixture = GuideFixture::new()
        .file(
            "t/sub/page.md.j2",
            "{% include '_here.md' %}{% include '../_above.md' %}{% include '/_above.md' %}",
        )
        .file("t/sub/_here.md", "here;")
        .file("t/_above.md", "---\ntitle: hidden\n---\nabove {{ project.name }};");
    assert_eq!(fixture.get("t/sub/page").parts[0].text, "here;above shop;above shop;");
}

#[test]
fn includes_do_not_leave_the_category() {
    let secret = |fixture: GuideFixture| {
        fixture.file("u/secret.md", "secret").file("secret.md", "secret").file("t/.env", "secret")
    };
    for name in [
        "../u/secret.md",
        "../../../../../../etc/passwd",
        "/etc/passwd",
        "/../secret.md",
        "link.md",
        ".env",
        "folder/secret.md",
    ] {
        let fixture =
            secret(GuideFixture::new().file("t/page.md.j2", format!("{{% include '{name}' %}}")));
        symlink(fixture.path("secret.md"), fixture.path("t/link.md")).expect("a link");
        symlink(fixture.path("u"), fixture.path("t/folder")).expect("a link");
        let error = render_error(&fixture);
        assert!(error.contains("cannot include"), "{name}: {error}");
        assert!(!error.contains(fixture.path("").to_str().expect("a path")), "{error}");
    }
}

#[test]
fn stops_runaway_templates() {
    for template in [
        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
        "{% include 'page.md.j2' %}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
    ] {
        render_error(&GuideFixture::new().file("t/page.md.j2", template));
    }
}

#[test]
fn limits_output() {
    let fixture = GuideFixture::new()
        .file("t/page.md.j2", "{% for a in range(90000) %}{{ 'x' * 1000 }}{% endfor %}");
    assert_eq!(render_error(&fixture), "page.md.j2: the output has more than 8388608 bytes");
}
