//! The probe package of the external corpus, with the results that the format document asks for.

use std::fs;

use roxygen::{Compilation, compile};
use serde_json::{Value, json};
use testing::shared_corpus;

use crate::package::{array, lines_of, property, r_files, read_back, with};

struct Probe {
    text: String,
    compilation: Compilation,
}

fn probe() -> Option<Probe> {
    let text = fs::read_to_string(shared_corpus("corpus/rave/probe")?.join("R/edge.R"))
        .expect("the probe");
    let compilation = compile("edgepkg", &r_files(&[("R/edge.R", &text)]), &|_| None);
    Some(Probe { text, compilation })
}

impl Probe {
    fn tool(&self, function: &str) -> Value {
        let name = format!("edgepkg-{function}");
        read_back(
            self.compilation
                .definitions
                .iter()
                .find(|definition| definition.tool == name)
                .expect("the tool"),
        )
    }

    fn check(&self, function: &str, expected: &[(&str, Value)]) {
        let tool = self.tool(function);
        for (name, property) in expected {
            assert_eq!(&tool["parameters"]["properties"][name], property, "{function}({name})");
        }
        let names: Vec<_> = expected.iter().map(|(name, _)| *name).collect();
        let properties = tool["parameters"]["properties"].as_object().expect("properties");
        assert_eq!(properties.keys().collect::<Vec<_>>(), names, "{function}");
    }
}

#[test]
fn every_function_of_the_probe_is_a_tool_and_nothing_else() {
    let Some(probe) = probe() else { return };
    let names: Vec<_> = probe
        .compilation
        .definitions
        .iter()
        .map(|definition| definition.tool.trim_start_matches("edgepkg-"))
        .collect();
    assert_eq!(
        names,
        [
            "types1",
            "defaults1",
            "enums1",
            "required1",
            "examples1",
            "titleonly1",
            "returns1",
            "returns2",
            "returns3",
            "comment1",
            "equals1",
            "lambda1",
            "newline1",
            "nobrace1",
            "bracedef1",
            "splitkw1",
            "splitkw2",
            "dotted.name.tool",
            "multipara1",
        ]
    );
    assert_eq!(probe.compilation.definitions[0].file_name(), "edgepkg-types1.yaml");
}

#[test]
fn types_of_the_probe() {
    let Some(probe) = probe() else { return };
    probe.check(
        "types1",
        &[
            ("a", json!({"type": ["string", "null"], "description": "a name"})),
            ("b", json!({"type": ["array", "null"], "description": "Optional group filter", "items": {"type": "string"}})),
            ("c", array("integer", "Integer vector of ids")),
            ("d", array("object", "Data frame of rows")),
            ("e", property("number", "A number")),
            ("f", property("integer", "count of items in the list")),
            ("g", property("boolean", "whether the text is shown")),
            ("h", with(property("number", "A number between 0 and 1"), &json!({"minimum": 0, "maximum": 1}))),
            ("i", property("number", "number of rows")),
            ("j", property("boolean", "boolean flag")),
            ("k", array("boolean", "flags")),
            ("l", array("boolean", "flags")),
            ("m", array("string", "List of strings")),
            ("n", json!({"type": "array", "description": "Numeric matrix of values", "items": {"type": "array", "items": {"type": "number"}}})),
            ("o", property("string", "a callback")),
            ("p", property("object", "The env")),
            ("q", array("string", "Vector of things")),
            ("r", property("string", "Path: where to write")),
            ("s", property("string", "Something without a type")),
            ("t", property("integer", "the count")),
            ("u", array("integer", "the counts")),
            ("v", json!({"type": "string", "format": "date", "description": "Start date"})),
            ("w", property("string", "levels")),
            ("x", json!({"type": ["integer", "null"], "description": "NULL or integer"})),
            ("y", property("object", "Object with fields")),
            ("z", property("string", "one of \"a\" or \"b\"")),
        ],
    );
    let required = probe.tool("types1")["parameters"]["required"].clone();
    let optional: Vec<_> = "abcdefghijklmnopqrstuvwxyz"
        .chars()
        .filter(|name| !required.as_array().expect("names").contains(&json!(name)))
        .collect();
    assert_eq!(optional, ['a', 'b', 'x'], "`or NULL` means not required");
}

#[test]
fn defaults_of_the_probe() {
    let Some(probe) = probe() else { return };
    let default = |kind: &str, description: &str, value: Value| {
        with(property(kind, description), &json!({"default": value}))
    };
    let computed = |description: &str, code: &str| {
        with(property("string", description), &json!({"$comment": format!("R default: {code}")}))
    };
    let nothing = |description: &str| json!({"type": ["string", "null"], "description": description, "default": null});
    probe.check(
        "defaults1",
        &[
            ("a", default("string", "mode", json!("x"))),
            ("b", default("integer", "n", json!(5))),
            ("c", default("number", "neg", json!(-1))),
            ("d", default("boolean", "flag", json!(true))),
            ("e", json!({"type": "array", "description": "names", "items": {"type": "string", "enum": ["p", "q"]}, "default": ["p", "q"]})),
            ("f", with(array("number", "range"), &json!({"default": [0, 1]}))),
            ("g", default("object", "opts", json!({}))),
            ("h", nothing("Something")),
            ("i", computed("computed", "paste0(\"a\", \"b\")")),
            ("j", property("number", "na")),
            ("k", property("number", "inf")),
            ("l", default("integer", "big", json!(1_000_000))),
            ("m", nothing("null")),
            ("n", default("string", "empty", json!(""))),
            ("o", default("object", "Something with list default", json!({"a": 1}))),
            ("p", computed("Something with call default", "Sys.time()")),
            ("q", default("number", "Something numeric by default", json!(3))),
            ("r", default("integer", "Something int by default", json!(3))),
            ("s", default("boolean", "Something bool by default", json!(false))),
            ("t", computed("referring to other arg", "a")),
            ("u", computed("sprintf", "sprintf(\"%d\", 3L)")),
            ("v", default("string", "names with quote", json!("it's"))),
            ("w", default("number", "Something neg by default", json!(-2))),
            ("x", json!({"type": "number", "description": "one third", "$comment": "R default: 1/3"})),
            ("y", default("number", "large", json!(123_456_789))),
            ("z", json!({"type": "string", "description": "multi", "enum": ["one", "two"], "default": "one"})),
        ],
    );
    assert_eq!(probe.tool("defaults1")["parameters"]["required"], json!([]));
    assert_eq!(lines_of(&probe.compilation, "TC159", &probe.text)[..5], [44, 51, 55, 56, 59]);
    assert_eq!(
        lines_of(&probe.compilation, "TC160", &probe.text),
        [45, 46],
        "NA and Inf are left out and reported"
    );
}

#[test]
fn enums_of_the_probe() {
    let Some(probe) = probe() else { return };
    let choice = |description: &str| json!({"type": "string", "description": description, "enum": ["a", "b"], "default": "a"});
    probe.check(
        "enums1",
        &[
            ("mode", choice("the mode")),
            ("modes", json!({"type": "string", "description": "the modes", "enum": ["a", "b"]})),
            ("kinds", json!({"type": "array", "description": "kinds", "items": {"type": "string", "enum": ["a", "b"]}})),
            ("kind", choice("kind to use")),
            ("level", json!({"type": "string", "description": "single level", "enum": ["lo", "hi"], "default": "lo"})),
            ("num", property("string", "numeric enum")),
            ("both", choice("Character string or vector")),
            ("listy", choice("Character string from the list")),
            ("nodesc", choice("")),
            ("bools", property("string", "bool enum")),
        ],
    );
    assert_eq!(
        lines_of(&probe.compilation, "TC161", &probe.text),
        [76, 80],
        "a default that is no string is reported"
    );
    assert_eq!(lines_of(&probe.compilation, "TC155", &probe.text), [83]);
}

#[test]
fn required_parameters_of_the_probe() {
    let Some(probe) = probe() else { return };
    let tool = probe.tool("required1");
    let properties: Vec<_> =
        tool["parameters"]["properties"].as_object().expect("properties").keys().collect();
    assert_eq!(
        properties,
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "dup"],
        "hidden, dots and phantoms are left out"
    );
    assert_eq!(tool["parameters"]["required"], json!(["a", "h", "i", "j", "dup"]));
    assert_eq!(
        (&tool["dangerous"], &tool["requires_approval"], &tool["category"]),
        (&json!(true), &json!(true), &json!("two"))
    );
    for (code, line) in [("TC154", 103), ("TC158", 98), ("TC157", 101), ("TC156", 102)] {
        assert_eq!(lines_of(&probe.compilation, code, &probe.text), [line], "{code}");
    }
}

#[test]
fn examples_of_the_probe() {
    let Some(probe) = probe() else { return };
    let tool = probe.tool("examples1");
    let examples: Vec<_> = tool["parameters"]["properties"]
        .as_object()
        .expect("properties")
        .values()
        .map(|property| property["examples"].clone())
        .collect();
    let code = json!(["{\"a\": 1}", "c(\"a\", \"b\")"]);
    let both = json!(["x", "y"]);
    let p = json!(["p"]);
    assert_eq!(
        examples,
        [
            both.clone(),
            both.clone(),
            json!(["x"]),
            json!([1, 2]),
            both.clone(),
            code,
            both,
            p.clone(),
            p.clone(),
            p.clone(),
            p
        ]
    );
    assert_eq!(
        tool["description"],
        "Examples probes with code, fn, fn2, em, st, p, v, x^2, http://x, md, bold, link() and 100% done."
    );
    assert_eq!(lines_of(&probe.compilation, "TC164", &probe.text), [119]);
}

#[test]
fn texts_and_returns_of_the_probe() {
    let Some(probe) = probe() else { return };
    assert_eq!(probe.tool("titleonly1")["description"], "Second paragraph description.");
    let multi = probe.tool("multipara1");
    assert_eq!(
        multi["description"],
        "First paragraph.\n\nSecond paragraph with a list:\n- one\n- two"
    );
    assert_eq!(
        multi["parameters"]["properties"]["a"]["description"],
        "first paragraph.\n\nSecond paragraph of a"
    );
    assert_eq!(
        probe.tool("returns1")["returns"],
        json!({"type": "object", "description": "Trailing text", "properties": {
            "ok": property("boolean", "whether it worked"),
            "n": property("integer", "Count"),
            "name": property("string", "a name"),
            "rows": array("object", "rows"),
            "tick": array("number", "Numeric vector of values"),
            "nested": {"type": "object", "properties": {"x": property("number", "Numeric")}},
        }})
    );
    assert_eq!(
        probe.tool("returns2")["returns"],
        property("boolean", "TRUE if ok, FALSE otherwise")
    );
    assert_eq!(probe.tool("returns3")["returns"], array("string", "Character vector of names"));
    assert_eq!(probe.tool("types1").get("returns"), None, "nothing is returned");
}

#[test]
fn recognizes_every_form_of_a_function_definition() {
    let Some(probe) = probe() else { return };
    let x = || property("string", "x");
    for function in ["equals1", "lambda1", "newline1", "splitkw1", "splitkw2"] {
        probe.check(function, &[("a", x())]);
        assert_eq!(probe.tool(function)["parameters"]["required"], json!(["a"]), "{function}");
    }
    let y = |value: i64| with(property("integer", "y"), &json!({"default": value}));
    probe.check("comment1", &[("a", with(x(), &json!({"default": "x"}))), ("b", y(3))]);
    probe.check("nobrace1", &[("a", x()), ("b", y(2))]);
    probe.check(
        "bracedef1",
        &[
            (
                "f",
                with(
                    property("string", "callback"),
                    &json!({"$comment": "R default: function(x) { x }"}),
                ),
            ),
            ("b", y(2)),
        ],
    );
    probe.check("dotted.name.tool", &[("a.b", x())]);
    let split = probe.tool("splitkw1");
    assert_eq!(
        (&split["dangerous"], &split["category"]),
        (&json!(true), &json!("two")),
        "flags on a second line count"
    );
}
