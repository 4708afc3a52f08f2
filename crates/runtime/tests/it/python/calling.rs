//! Arguments in, results out.

use std::{fs, os::unix::fs::symlink};

use catalog::{Content, Implementation, OnMismatch, Schema, Tool};
use runtime::{SandboxLevel, sandbox_level};
use serde_json::{Value, json};

use super::python_fixture::{PythonFixture, function, function_in};
use testing::{field, object, skip_without, text};

const CODE: &str = r#"
import asyncio, dataclasses, datetime, decimal, enum, math, os, pathlib, subprocess, sys, uuid

def greet(name, mark="!"): return {"greeting": f"Grüß dich, {name}{mark}"}
async def later(name): await asyncio.sleep(0.01); return {"name": name}
def keywords(from_, **rest): return {"from": from_, "rest": rest}

class Colour(enum.Enum): RED = "red"
@dataclasses.dataclass
class Point: x: int; when: datetime.date
class Model:
    def model_dump(self, mode): return {"mode": mode}
def rich():
    return [Point(1, datetime.date(2026, 1, 31)), Colour.RED, pathlib.Path("a/b"), {3, 1}, (1, 2), Model(),
            datetime.datetime(2026, 1, 31, 12, 30), uuid.UUID(int=1), None]
def nothing(): pass
def nan(): return {"mean": math.nan}
def raw(): return b"abc"
def odd(): return {"object": object()}
def circle():
    one = []; one.append(one); return one
def torn(): return "\ud800"
def deep():
    value = []
    for _ in range(500): value = [value]
    return value
def prints():
    print("by print, ünï")
    os.write(1, b"by a descriptor\n")
    subprocess.run(["echo", "by a program"])
    print("apart", file=sys.stderr)
    sys.stdout.write('{"kind": "done", "value": 1}')
    return {"done": True}
def many(count): return {"items": [f"item {n}" for n in range(count)]}
def huge(): return "x" * 20_000_000
def reads(path): return {"text": pathlib.Path(path).read_text()}
def writes(): pathlib.Path("made").write_text("x"); return {}
def escapes(path): pathlib.Path(path).write_text("x"); return {}
def where(): return {"python": sys.executable, "folder": os.getcwd()}
"#;

fn function_returning(name: &str, schema: Value, on_mismatch: OnMismatch) -> Tool {
    let mut tool = function(name);
    tool.output = Some(Schema::new(object(schema)));
    tool.on_mismatch = Some(on_mismatch);
    tool
}

#[tokio::test]
async fn plain_and_asynchronous_functions_are_called_by_name() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let outcome = fixture.call(function("greet"), json!({"name": "Øyvind 🦀"})).await;
    assert_eq!(
        outcome.structured,
        Some(json!({"greeting": "Grüß dich, Øyvind 🦀!"})),
        "{outcome:?}"
    );
    assert_eq!(text(&outcome, 0), r#"{"greeting":"Grüß dich, Øyvind 🦀!"}"#);
    for _ in 0..2 {
        let outcome = fixture.call(function("later"), json!({"name": "x"})).await;
        assert_eq!(outcome.structured, Some(json!({"name": "x"})), "{outcome:?}");
    }
    let outcome = fixture.call(function("keywords"), json!({"from": 1, "other": 2})).await;
    assert_eq!(outcome.structured, Some(json!({"from": 1, "rest": {"other": 2}})), "{outcome:?}");
}

#[tokio::test]
async fn converts_results_to_json_or_rejects_them() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let rich = json!([
        {"x": 1, "when": "2026-01-31"}, "red", "a/b", [1, 3], [1, 2], {"mode": "json"}, "2026-01-31T12:30:00",
        "00000000-0000-0000-0000-000000000001", null
    ]);
    assert_eq!(fixture.run("rich").await.structured, Some(rich));
    let nothing = fixture.run("nothing").await;
    assert_eq!((nothing.failed, text(&nothing, 0), &nothing.structured), (false, "null", &None));
    for (name, why) in [
        ("nan", "NaN or infinity"),
        ("raw", "bytes are not text"),
        ("odd", "`builtins.object` has no JSON representation"),
        ("circle", "contains itself"),
        ("torn", "not valid Unicode"),
        ("deep", "recursion limit"),
    ] {
        let outcome = fixture.run(name).await;
        assert!(outcome.failed && text(&outcome, 0).contains(why), "{name}: {outcome:?}");
        assert_eq!(field(&outcome, "error_type"), "not_json");
    }
}

#[tokio::test]
async fn printed_text_is_separate_from_the_result() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let outcome = fixture.run("prints").await;
    assert_eq!(outcome.structured, Some(json!({"done": true})), "{outcome:?}");
    for line in ["by print, ünï\n", "by a descriptor\n", "by a program\n", "\"value\": 1}"] {
        assert!(text(&outcome, 1).contains(line), "{line}: {outcome:?}");
    }
    assert_eq!(text(&outcome, 2), "messages:\napart");
}

#[tokio::test]
async fn long_results_are_truncated_and_available_in_full() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let outcome = fixture.call(function("many"), json!({"count": 20_000})).await;
    let items = field(&outcome, "items").as_array().unwrap().len();
    assert!(items > 1000 && items < 20_000, "{items}");
    let link = outcome
        .content
        .iter()
        .find_map(|content| if let Content::Link { uri, .. } = content { Some(uri) } else { None });
    let whole = fixture
        .crib
        .runtime
        .outputs()
        .read(link.expect("a link"), toolkit::Context::detached(Default::default()))
        .await;
    assert!(format!("{whole:?}").contains("item 19999"));
    let outcome = fixture.run("huge").await;
    assert_eq!(field(&outcome, "error_type"), "result_too_large", "{}", text(&outcome, 0));
}

#[tokio::test]
async fn validates_results_against_the_output_schema() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let schema = json!({"type": "object", "properties": {"name": {"type": "integer"}}});
    let told = fixture
        .call(function_returning("later", schema.clone(), OnMismatch::Warn), json!({"name": "x"}))
        .await;
    assert_eq!((told.failed, &told.structured), (false, &Some(json!({"name": "x"}))));
    assert_eq!(
        text(&told, 1),
        "note: the result of `later` does not match its specification: `/name`: it is not of type \"integer\""
    );
    let refused = fixture
        .call(function_returning("later", schema.clone(), OnMismatch::Fail), json!({"name": "x"}))
        .await;
    assert!(refused.failed);
    assert_eq!(field(&refused, "error_type"), "output_mismatch");
    assert_eq!(
        field(&refused, "error_details")["mismatches"][0],
        "`/name`: it is not of type \"integer\""
    );
    let fine = fixture
        .call(function_returning("later", schema.clone(), OnMismatch::Fail), json!({"name": 1}))
        .await;
    assert_eq!((fine.failed, fine.content.len()), (false, 1), "{fine:?}");
    let list = fixture.call(function_returning("rich", schema, OnMismatch::Warn), json!({})).await;
    assert!(
        field(&list, "result").is_array(),
        "where an object is promised, one is returned: {list:?}"
    );
}

#[tokio::test]
async fn reports_modules_and_functions_that_cannot_be_called_with_a_hint() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    fixture.write("needy.py", "import no_such_package.inner\n");
    fixture.write("broken.py", "raise ValueError('half done')\n");
    fixture.write("folder/__init__.py", "");
    let fails = async |module: &str, name: &str| {
        let outcome = fixture.call(function_in(module, name), json!({})).await;
        assert!(outcome.failed, "{outcome:?}");
        (field(&outcome, "error_type").as_str().unwrap().to_owned(), text(&outcome, 0).to_owned())
    };
    let (kind, message) = fails("absent.module", "f").await;
    assert_eq!(kind, "python_module_missing");
    assert!(
        message.contains("no Python module `absent` in `")
            && message.contains("`path` of its `[[bind]]`"),
        "{message}"
    );
    let (kind, message) = fails("folder.absent", "f").await;
    assert!(kind == "python_module_missing" && message.contains("`folder.absent`"), "{message}");
    let (_, message) = fails("needy", "f").await;
    assert!(
        message.contains("needs `no_such_package`")
            && message.contains("pip install no_such_package"),
        "{message}"
    );
    let (kind, message) = fails("broken", "f").await;
    assert!(
        kind == "python_import_failed" && message.contains("ValueError: half done"),
        "{message}"
    );
    let (kind, message) = fails("bench", "gret").await;
    assert!(
        kind == "python_function_missing" && message.contains("did you mean `greet`?"),
        "{message}"
    );
    let outcome = fixture.call(function("greet"), json!({"nam": "x"})).await;
    assert_eq!(field(&outcome, "error_type"), "python_signature_mismatch");
    assert!(text(&outcome, 0).contains("greet(name, mark='!')"), "{outcome:?}");
}

#[tokio::test]
async fn reloads_an_edited_module() {
    skip_without!("python3");
    let fixture = PythonFixture::new("def answer(): return 1\n");
    assert_eq!(fixture.run("answer").await.structured, Some(json!(1)));
    fixture.write("bench.py", "def answer(): return 2\n");
    assert_eq!(fixture.run("answer").await.structured, Some(json!(2)));
}

#[tokio::test]
async fn prefers_the_interpreter_of_the_crib_and_reports_a_missing_one() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let own = fixture.crib.path("crib").join(".venv/bin/python");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    let python3 = field(&fixture.run("where").await, "python").as_str().unwrap().to_owned();
    symlink(python3, &own).unwrap();
    let plan = fixture.crib.plan(&function("greet"), json!({"name": "x"})).unwrap();
    assert_eq!(plan["program"], own.to_str().unwrap());
    assert_eq!(plan["argv"][2], r#"import bench; bench.greet(name="x")"#);
    let bare = PythonFixture::with(CODE, |settings| {
        settings.environment = vec![("PATH".into(), "/nowhere".into())]
    });
    let outcome = bare.run("where").await;
    assert_eq!(field(&outcome, "error_type"), "python_not_found");
    assert!(text(&outcome, 0).contains("python3 -m venv"), "{outcome:?}");
}

#[tokio::test]
async fn python_is_sandboxed_like_any_program() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let outcome = fixture.run("writes").await;
    assert!(!outcome.failed, "the crib may be written: {outcome:?}");
    let outside = fixture.crib.path("outside/file");
    let outcome = fixture.call(function("escapes"), json!({"path": outside})).await;
    // In a mount namespace the folder has no name at all, and the rest is read-only.
    let (unnamed, unwritable) = match sandbox_level() {
        SandboxLevel::Namespaces => ("FileNotFoundError", "OSError"),
        _ => ("PermissionError", "PermissionError"),
    };
    assert_eq!(field(&outcome, "error_type"), unnamed, "{outcome:?}");
    assert!(!fixture.crib.path("outside/file").exists());
    let mut reading = function("writes");
    reading.annotations.mutates = Some(false);
    let outcome = fixture.call(reading, json!({})).await;
    assert_eq!(
        field(&outcome, "error_type"),
        unwritable,
        "what only reads cannot write: {outcome:?}"
    );
}

#[tokio::test]
async fn rejects_paths_outside_the_roots_if_the_schema_declares_them() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let mut reads = function("reads");
    reads.input = Schema::new(object(
        json!({"type": "object", "properties": {"path": {"type": "string", "format": "path"}}}),
    ));
    let outcome = fixture.call(reads.clone(), json!({"path": "../outside/secret"})).await;
    assert!(outcome.failed && text(&outcome, 0).contains("'path'"), "{outcome:?}");
    assert!(!fixture.call(reads, json!({"path": "bench.py"})).await.failed);
    let Implementation::Python(function) = function("x").implementation else {
        panic!("a function")
    };
    assert_eq!(function.path, ["."]);
}
