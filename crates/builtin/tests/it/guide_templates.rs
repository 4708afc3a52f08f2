//! Templates in content: what they know, what they may not do, and how they fail.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::guide_fixture::GuideFixture;

fn rendered(template: &str) -> String {
    let fixture = GuideFixture::new()
        .file("t/page.md.j2", template)
        .flags(json!({"beta": true, "names": ["a", "b"]}));
    let answer = fixture.get("t/page");
    assert_eq!(answer.failures, [], "{template}");
    answer.parts[0].text.clone()
}

fn failed(fixture: &GuideFixture) -> String {
    let answer = fixture.get("t/page");
    assert_eq!(
        (answer.parts.len(), answer.failures[0].error_type.as_str()),
        (0, "template_error"),
        "{answer:?}"
    );
    answer.failures[0].error.clone()
}

#[test]
fn text_is_not_escaped_as_html() {
    assert_eq!(rendered("{{ 'a & b < \"c\"' }}"), "a & b < \"c\"");
}

#[test]
fn templates_know_the_project_the_file_the_flags_and_the_names_of_tools() {
    assert_eq!(rendered("{{ project.name }} {{ project.path }}"), "shop /the/shop");
    assert_eq!(rendered("{{ category.name }}: {{ category.description }}"), "t: All about t");
    assert_eq!(
        rendered("---\nauthor: Ada\n---\n{{ file.uri }} by {{ file.meta.author }}"),
        "guide://t/page.md.j2 by Ada"
    );
    assert_eq!(rendered("Call {{ tool('get_content') }}."), "Call served_get_content.");
}

#[test]
fn flags_are_plain_values_and_an_unset_one_is_off() {
    assert_eq!(
        rendered("{{ flags.beta }} {{ flags.names|join('+') }} {{ flags.names }}"),
        r#"true a+b ["a","b"]"#
    );
    assert_eq!(rendered("{% if flags.unset %}on{% else %}off{% endif %}"), "off");
}

#[test]
fn an_undefined_name_is_told_with_its_file_and_line() {
    let fixture =
        GuideFixture::new().file("t/page.md.j2", "---\ntitle: x\n---\nfine\n{{ nmae }}\n");
    assert!(failed(&fixture).starts_with("line 5: "), "{}", failed(&fixture));
    let fixture = GuideFixture::new()
        .file("t/page.md.j2", "{% include 'sub/_part.md' %}")
        .file("t/sub/_part.md", "---\na: b\n---\n{{ nmae }}");
    assert!(failed(&fixture).starts_with("sub/_part.md:4: "), "{}", failed(&fixture));
    let fixture = GuideFixture::new().file("t/page.md.j2", "one\n{% if %}");
    assert!(failed(&fixture).starts_with("line 2: "), "{}", failed(&fixture));
    let fixture = GuideFixture::new().file("t/page.md.j2", "{{ tool('no_such') }}");
    assert!(failed(&fixture).contains("there is no tool `no_such`"), "{}", failed(&fixture));
}

#[test]
fn includes_are_relative_and_without_their_front_matter() {
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
        let said = failed(&fixture);
        assert!(said.contains("cannot include"), "{name}: {said}");
        assert!(!said.contains(fixture.path("").to_str().expect("a path")), "{said}");
    }
}

#[test]
fn endless_templates_end() {
    for template in [
        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
        "{% include 'page.md.j2' %}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
    ] {
        failed(&GuideFixture::new().file("t/page.md.j2", template));
    }
}

#[test]
fn output_is_limited() {
    let fixture = GuideFixture::new()
        .file("t/page.md.j2", "{% for a in range(90000) %}{{ 'x' * 1000 }}{% endfor %}");
    assert_eq!(failed(&fixture), "page.md.j2: the output has more than 8388608 bytes");
}
