//! Templates in content: what they know, what they may not do, and how they fail.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::books::Books;

fn rendered(template: &str) -> String {
    let books = Books::new()
        .file("t/page.md.j2", template)
        .flags(json!({"beta": true, "names": ["a", "b"]}));
    let answer = books.get("t/page");
    assert_eq!(answer.failures, [], "{template}");
    answer.parts[0].text.clone()
}

fn failed(books: &Books) -> String {
    let answer = books.get("t/page");
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
    let books = Books::new().file("t/page.md.j2", "---\ntitle: x\n---\nfine\n{{ nmae }}\n");
    assert!(failed(&books).starts_with("line 5: "), "{}", failed(&books));
    let books = Books::new()
        .file("t/page.md.j2", "{% include 'sub/_part.md' %}")
        .file("t/sub/_part.md", "---\na: b\n---\n{{ nmae }}");
    assert!(failed(&books).starts_with("sub/_part.md:4: "), "{}", failed(&books));
    let books = Books::new().file("t/page.md.j2", "one\n{% if %}");
    assert!(failed(&books).starts_with("line 2: "), "{}", failed(&books));
    let books = Books::new().file("t/page.md.j2", "{{ tool('no_such') }}");
    assert!(failed(&books).contains("there is no tool `no_such`"), "{}", failed(&books));
}

#[test]
fn includes_are_relative_and_without_their_front_matter() {
    let books = Books::new()
        .file(
            "t/sub/page.md.j2",
            "{% include '_here.md' %}{% include '../_above.md' %}{% include '/_above.md' %}",
        )
        .file("t/sub/_here.md", "here;")
        .file("t/_above.md", "---\ntitle: hidden\n---\nabove {{ project.name }};");
    assert_eq!(books.get("t/sub/page").parts[0].text, "here;above shop;above shop;");
}

#[test]
fn includes_do_not_leave_the_category() {
    let secret = |books: Books| {
        books.file("u/secret.md", "secret").file("secret.md", "secret").file("t/.env", "secret")
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
        let books = secret(Books::new().file("t/page.md.j2", format!("{{% include '{name}' %}}")));
        symlink(books.path("secret.md"), books.path("t/link.md")).expect("a link");
        symlink(books.path("u"), books.path("t/folder")).expect("a link");
        let said = failed(&books);
        assert!(said.contains("cannot include"), "{name}: {said}");
        assert!(!said.contains(books.path("").to_str().expect("a path")), "{said}");
    }
}

#[test]
fn endless_templates_end() {
    for template in [
        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
        "{% include 'page.md.j2' %}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{% for a in range(90000) %}{{ 'x' * 1000 }}{% endfor %}",
    ] {
        failed(&Books::new().file("t/page.md.j2", template));
    }
}

#[test]
fn values_do_not_grow_without_end() {
    let doubled = |step: &str| {
        format!("{{% set x = 'aaaaaaaa' %}}{}", format!("{{% set x = {step} %}}").repeat(40))
    };
    let long = "a".repeat(100);
    for template in [
        "{% set ns=namespace(x='aaaaaaaa') %}{% for i in range(31) %}{% set ns.x=ns.x~ns.x %}{% endfor %}".to_owned(),
        doubled("x ~ x"),
        doubled("x + x"),
        doubled("x * 2"),
        doubled("(x) ~ (x)"),
        doubled("[x, x]"),
        doubled("(x, x)"),
        doubled("x, x"),
        doubled("{'a': x, 'b': x}"),
        doubled("dict(a=x, b=x)"),
        doubled("x|replace('a', x)"),
        doubled("[x, x]|join(x)"),
        doubled("x|indent(1000000000, true)"),
        doubled("'%99999999d'|format(1)"),
        "{% set x = 'aaaaaaaa' %}".to_owned() + &"{% set x %}{{ x }}{{ x }}{% endset %}".repeat(40),
        "{% macro f(x) %}{{ f(x ~ x) }}{% endmacro %}{{ f('aaaaaaaa') }}".to_owned(),
        "{% for x in ['aaaaaaaa'] recursive %}{{ loop([x ~ x]) }}{% endfor %}".to_owned(),
        format!("{{% set x %}}{{% for i in range(90000) %}}{}{{% endfor %}}{{% endset %}}", long.repeat(100)),
        format!(
            "{{% set x %}}{{% for i in range(90000) %}}{{% raw %}}{}{{% endraw %}}{{% endfor %}}{{% endset %}}",
            long.repeat(100)
        ),
        "{% set x %}{% for i in range(90000) %}{% include '_big.md' %}{% endfor %}{% endset %}".to_owned(),
    ] {
        let books = Books::new().file("t/page.md.j2", &template).file("t/_big.md", long.repeat(1000));
        let said = failed(&books);
        let is_known = ["too large", "too deep", "unknown", "tuple", "limit"].iter().any(|word| said.contains(word));
        assert!(is_known, "{template:.80}: {said}");
    }
}

#[test]
fn counting_what_templates_make_changes_nothing_about_them() {
    let long = "long ".repeat(30);
    for (template, text) in [
        ("{{ 1 + 2 * 3 }}{{ 2 * 3 ~ 'a' ~ 'b'|upper }}", "76aB"),
        ("{{ (1 + 2) * 3 }}{{ -(1 + 2)|abs }}", "93"),
        ("{{ ('a' ~ 'b')|upper|lower ~ ('c')|upper }}", "abC"),
        ("{{ [1, 2][1] }}{{ {'a': [3]}.a[0] }}{{ (4, 5)|last }}", "235"),
        ("{{ []|first|default('none') }}", "none"),
        ("{{ ['a','b']|join(', ') if 1 + 1 == 2 else 'x' ~ 'y' }}", "a, b"),
        ("{% for a, b in {'k': 1}|items %}{{ a ~ b }}{% endfor %}", "k1"),
        (
            "{% macro f(x, y='d' ~ 'e') %}{{ x }}{{ y }}{% if caller is defined %}{{ caller() }}{% endif %}{% endmacro %}{{ f('a') }}{% call f('b') %}c{% endcall %}",
            "adebdec",
        ),
        (
            "{% for x in [1, [2, [3]]] recursive %}{% if x is number %}{{ x }}{% else %}{{ loop(x) }}{% endif %}{% endfor %}",
            "123",
        ),
        (
            "{% set x|upper %}a{{ 'b' ~ 'c' }}{% endset %}{{ x }}{% filter replace('a', 'z')|upper %}a{% endfilter %}",
            "ABCZ",
        ),
        (
            "{{ 'a\nb'|indent(2) }}{{ 'x' is startingwith('x') and not 'a' ~ 'b' == 'ab' }}",
            "a\n  bfalse",
        ),
        ("{%- if true -%}   \n{% raw %}{{ x }}{% endraw %}  {%- endif %}", "{{ x }}"),
        (
            "{% with a = 'x' ~ 'y', b = 1 + 1 %}{{ a ~ b }}{% endwith %}{{ 'größe' ~ '日' }}",
            "xy2größe日",
        ),
    ] {
        assert_eq!(rendered(template), text, "{template}");
    }
    let around = |text: &str| {
        format!(
            "x {{%- if true -%}}  \n {text} \n{{%- endif -%}}  y{{% raw %}}{text}{{{{ }}}}{{% endraw %}}"
        )
    };
    assert_eq!(rendered(&around(&long)), format!("x{}y{long}{{{{ }}}}", long.trim_end()));
}
