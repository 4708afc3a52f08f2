//! The flag tools.

use std::{fs, sync::Arc, time::Instant};

use serde_json::{Value, json};
use store::Store;
use toolkit::Storage;

use crate::flags_fixture::FlagsFixture;

const PROJECT: [&str; 3] = ["get_project_flag", "list_project_flags", "set_project_flag"];
const FEATURE: [&str; 3] = ["get_feature_flag", "list_feature_flags", "set_feature_flag"];

fn bare_names(fixture: &FlagsFixture) -> Vec<&str> {
    fixture.natives.tools.iter().map(|tool| tool.bare_name()).collect()
}

fn unset(name: &str) -> Value {
    json!({"name": name, "is_set": false, "source": "unset"})
}

fn set(name: &str, value: Value, source: &str) -> Value {
    json!({"name": name, "is_set": true, "value": value, "source": source})
}

#[test]
fn project_flag_tool_registration() {
    let fixture = FlagsFixture::new();
    PROJECT.iter().for_each(|name| assert!(bare_names(&fixture).contains(name), "{name}"));
}

#[test]
fn global_flag_tool_registration() {
    let fixture = FlagsFixture::new();
    FEATURE.iter().for_each(|name| assert!(bare_names(&fixture).contains(name), "{name}"));
}

#[test]
fn undecorated_name_in_documentation() {
    for tool in
        FlagsFixture::new().natives.tools.iter().filter(|tool| tool.bare_name().contains("_flag"))
    {
        let bare = tool.bare_name();
        assert_eq!(tool.name, format!("guide_{bare}"));
        assert!(
            bare.contains("project_flag") || bare.contains("feature_flag"),
            "the scope is in the name"
        );
        let text = format!("{:?}{:?}", tool.description, tool.input);
        assert!(!text.contains("guide"), "{text}");
    }
}

#[tokio::test]
async fn project_flag_resolution_hierarchy() {
    let fixture =
        FlagsFixture::with_defaults(&json!({"a": "config", "b": "config", "c": "config"}));
    for (tool, name, value) in [
        ("set_feature_flag", "a", json!("global")),
        ("set_feature_flag", "b", json!("global")),
        ("set_feature_flag", "d", json!(true)),
        ("set_project_flag", "a", json!("project")),
        ("set_project_flag", "d", json!(false)),
    ] {
        fixture.value(tool, json!({"name": name, "value": value})).await;
    }
    let expected = [
        ("a", json!("project"), "project"),
        ("b", json!("global"), "global"),
        ("c", json!("config"), "config"),
        ("d", json!(false), "project"),
    ];
    let listed = fixture.value("list_project_flags", json!({})).await;
    for (name, value, source) in expected {
        assert_eq!(
            fixture.value("get_project_flag", json!({"name": name})).await,
            set(name, value.clone(), source)
        );
        assert_eq!(listed[name], json!({"value": value, "source": source}));
    }
    assert_eq!(listed.as_object().expect("a map").len(), 4);
    fixture.value("set_project_flag", json!({"name": "d", "value": null})).await;
    let fallback = fixture.value("get_project_flag", json!({"name": "d"})).await;
    assert_eq!(fallback, set("d", json!(true), "global"), "the global flag applies again");
}

#[tokio::test]
async fn global_flag_isolation() {
    let fixture = FlagsFixture::with_defaults(&json!({"c": "config"}));
    fixture.value("set_project_flag", json!({"name": "p"})).await;
    for name in ["p", "c"] {
        assert_eq!(fixture.value("get_feature_flag", json!({"name": name})).await, unset(name));
    }
    assert_eq!(fixture.value("list_feature_flags", json!({})).await, json!({}));
    fixture.value("set_feature_flag", json!({"name": "p", "value": "global"})).await;
    assert_eq!(
        fixture.value("get_project_flag", json!({"name": "p"})).await,
        set("p", json!(true), "project")
    );
    assert_eq!(
        fixture.value("list_feature_flags", json!({})).await,
        json!({"p": {"value": "global", "source": "global"}})
    );
    let rejected = fixture.call("get_feature_flag", json!({"name": "p", "project": "/tmp"})).await;
    assert_eq!(rejected["error_type"], "invalid_arguments", "a global flag has no project");
}

#[tokio::test]
async fn a_flag_is_true_unless_a_value_is_given_and_null_removes_it() {
    let fixture = FlagsFixture::new();
    for [tool, get] in
        [["set_project_flag", "get_project_flag"], ["set_feature_flag", "get_feature_flag"]]
    {
        let done = fixture.value(tool, json!({"name": "x"})).await;
        assert_eq!(done, json!({"name": "x", "value": true}));
        assert_eq!(fixture.value(get, json!({"name": "x"})).await["value"], true);
        assert_eq!(
            fixture.value(tool, json!({"name": "x", "value": null})).await,
            json!({"name": "x", "before": true})
        );
        assert_eq!(fixture.value(get, json!({"name": "x"})).await, unset("x"));
        assert_eq!(
            fixture.value(tool, json!({"name": "x", "value": null})).await,
            json!({"name": "x"}),
            "no error"
        );
    }
}

#[tokio::test]
async fn values_come_back_as_plain_json() {
    let fixture = FlagsFixture::new();
    let values = [
        json!(true),
        json!(false),
        json!(""),
        json!("Grüße 🚩"),
        json!("on"),
        json!([]),
        json!(["a", "b"]),
        json!({"entry": "ask", "exit": ["a", "b"]}),
        json!({}),
    ];
    for value in values {
        fixture.value("set_project_flag", json!({"name": "x", "value": value})).await;
        assert_eq!(fixture.value("get_project_flag", json!({"name": "x"})).await["value"], value);
        assert_eq!(fixture.value("list_project_flags", json!({})).await["x"]["value"], value);
    }
}

#[tokio::test]
async fn keeps_strings_that_look_like_booleans_with_a_hint() {
    let fixture = FlagsFixture::new();
    let word = fixture.call("set_project_flag", json!({"name": "x", "value": "yes"})).await;
    assert_eq!(
        word["message"],
        "`x` is now \"yes\"; it was not set. The value is a string; use true or false to switch a flag on or off."
    );
    assert_eq!(word["value"]["value"], "yes");
    let plain = fixture.call("set_project_flag", json!({"name": "x", "value": "plain"})).await;
    assert_eq!(plain["message"], "`x` is now \"plain\"; it was \"yes\".");
}

#[tokio::test]
async fn rejects_invalid_arguments_and_reports_all_problems() {
    let fixture = FlagsFixture::new();
    let error = async |arguments: Value| {
        let envelope = fixture.call("set_project_flag", arguments).await;
        assert_eq!(
            (&envelope["success"], &envelope["error_type"]),
            (&json!(false), &json!("invalid_arguments"))
        );
        envelope["error"].as_str().expect("an error").to_owned()
    };
    let number = error(json!({"name": "x", "value": 1})).await;
    assert!(number.contains("received integer"), "{number}");
    let several = error(json!({"name": 7, "value": ["a", 1, 2.5], "vaule": true})).await;
    for part in ["name: ", "value/1: ", "value/2: ", "did you mean 'value'?"] {
        assert!(several.contains(part), "{part}: {several}");
    }
    let names = error(json!({"name": "a b", "project": "https://example.com"})).await;
    assert!(names.contains("' ' is not allowed") && names.contains("must be a path"), "{names}");
    assert_eq!(fixture.value("list_project_flags", json!({})).await, json!({}), "nothing was set");
    let pattern = fixture.call("list_feature_flags", json!({"pattern": "a{b"})).await;
    assert_eq!(pattern["error_type"], "invalid_arguments");
}

#[tokio::test]
async fn lists_by_pattern() {
    let fixture = FlagsFixture::new();
    for name in ["content-format", "content-style", "größe", "other.v1"] {
        fixture.value("set_feature_flag", json!({"name": name})).await;
    }
    for (pattern, count) in
        [("content-*", 2), ("gr??e", 1), ("*", 4), ("content-style", 1), ("none", 0)]
    {
        let listed = fixture.value("list_feature_flags", json!({"pattern": pattern})).await;
        assert_eq!(listed.as_object().expect("a map").len(), count, "{pattern}");
    }
}

/// A file-based store lost most of them.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writers_lose_nothing() {
    let fixture = Arc::new(FlagsFixture::new());
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..20 {
        let fixture = Arc::clone(&fixture);
        writers.spawn(async move {
            fixture.value("set_project_flag", json!({"name": format!("f{number}")})).await
        });
    }
    writers.join_all().await;
    let listed = fixture.value("list_project_flags", json!({})).await;
    assert_eq!(listed.as_object().expect("a map").len(), 20);
}

#[tokio::test]
async fn every_folder_is_a_separate_project() {
    let fixture = FlagsFixture::new();
    let names = ["my.app", "my app", "a/same", "b/same", "größe", "crib/inner", "not there/at all"];
    for (index, name) in names.iter().enumerate() {
        let project = fixture.folder().join(name);
        if !name.starts_with("not") {
            fs::create_dir_all(&project).expect("a folder");
        }
        fixture
            .value(
                "set_project_flag",
                json!({"name": "x", "value": index.to_string(), "project": project}),
            )
            .await;
    }
    for (index, name) in names.iter().enumerate() {
        let found = fixture
            .value("get_project_flag", json!({"name": "x", "project": fixture.folder().join(name)}))
            .await;
        assert_eq!(found["value"], index.to_string(), "{name}");
    }
    let uri = format!("file://{}/my%20app", fixture.folder().display());
    assert_eq!(
        fixture.value("get_project_flag", json!({"name": "x", "project": uri})).await["value"],
        "1"
    );
    assert_eq!(
        fixture.value("get_project_flag", json!({"name": "x", "project": "../my.app"})).await["value"],
        "0"
    );
    assert_eq!(
        fixture.value("get_project_flag", json!({"name": "x"})).await,
        unset("x"),
        "not set for the crib"
    );
}

#[tokio::test]
async fn flags_work_without_a_project_folder() {
    let fixture = FlagsFixture::new();
    fs::remove_dir(fixture.folder().join("crib")).expect("an empty folder");
    fixture.value("set_feature_flag", json!({"name": "x"})).await;
    assert_eq!(fixture.value("get_feature_flag", json!({"name": "x"})).await["value"], true);
    assert_eq!(fixture.value("get_project_flag", json!({"name": "x"})).await["source"], "global");
}

#[tokio::test]
async fn setting_a_flag_changes_no_other_flag() {
    let fixture = FlagsFixture::with_defaults(&json!({"c": "config"}));
    fixture.value("set_project_flag", json!({"name": "kept", "value": ["a"]})).await;
    fixture
        .value(
            "set_project_flag",
            json!({"name": "kept", "value": "other", "project": "../elsewhere"}),
        )
        .await;
    fixture.value("set_feature_flag", json!({"name": "kept", "value": "global"})).await;
    let all = async || {
        let (here, there) = (json!({}), json!({"project": "../elsewhere"}));
        let here = fixture.value("list_project_flags", here).await;
        (
            here,
            fixture.value("list_project_flags", there).await,
            fixture.value("list_feature_flags", json!({})).await,
        )
    };
    let before = all().await;
    fixture.value("set_project_flag", json!({"name": "x"})).await;
    fixture.value("set_project_flag", json!({"name": "x", "value": null})).await;
    assert_eq!(all().await, before);
}

#[tokio::test]
async fn calls_do_not_remember_a_project() {
    let fixture = FlagsFixture::with_defaults(&json!({"c": "config"}));
    let other = json!("../other");
    fixture
        .value("set_project_flag", json!({"name": "x", "value": "other", "project": other}))
        .await;
    assert_eq!(fixture.value("get_project_flag", json!({"name": "x"})).await, unset("x"));
    fixture.value("set_project_flag", json!({"name": "x", "value": "crib"})).await;
    assert_eq!(
        fixture.value("get_project_flag", json!({"name": "x", "project": other})).await["value"],
        "other"
    );
    assert_eq!(
        fixture.value("get_project_flag", json!({"name": "x", "project": null})).await["value"],
        "crib"
    );
    let config = fixture.value("get_project_flag", json!({"name": "c", "project": other})).await;
    assert_eq!(config, unset("c"), "the configuration applies to the crib only");
    let own = fixture.value("get_project_flag", json!({"name": "c", "project": "../crib/."})).await;
    assert_eq!(own["source"], "config", "the crib by another path");
}

/// A remote caller must not learn which paths exist.
#[tokio::test]
async fn responses_do_not_reveal_whether_a_path_exists() {
    let fixture = FlagsFixture::new();
    let responses = async |path: &str| {
        let set =
            fixture.natives.call("set_project_flag", json!({"name": "x", "project": path})).await;
        let got =
            fixture.natives.call("get_project_flag", json!({"name": "x", "project": path})).await;
        let listed = fixture.natives.call("list_project_flags", json!({"project": path})).await;
        [set, got, listed]
    };
    let existing = responses("/etc/passwd").await;
    for other in ["/etc/no-such-file", "/home/other/.ssh/x", "/proc/1/root", "/dev/null/x"] {
        assert_eq!(responses(other).await, existing, "{other}");
    }
}

/// A call must not wait for minutes.
#[tokio::test(flavor = "multi_thread")]
async fn waits_for_a_locked_store_and_then_fails() {
    let fixture = FlagsFixture::new();
    let fixture = Arc::new(fixture);
    let other = Store::open_user(fixture.folder()).expect("a store");
    other.set("flags/global", "other", Some(json!(true))).await.expect("written");
    let lock = rusqlite::Connection::open(fixture.folder().join("user.db")).expect("a database");
    lock.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let start = Instant::now();
    let failure = fixture.call("set_feature_flag", json!({"name": "x"})).await;
    let waited = start.elapsed().as_secs();
    assert!((25..35).contains(&waited), "30 s for a call without a timeout: {waited}");
    assert_eq!(failure["error_type"], "store_failed", "{failure}");
    assert_eq!(
        fixture.value("get_feature_flag", json!({"name": "other"})).await["value"],
        true,
        "reads still work"
    );
    drop(lock);
    fixture.value("set_feature_flag", json!({"name": "x"})).await;
}

/// Sets this many global flags, `flag-00000` and so on.
fn fill(fixture: &FlagsFixture, count: u32) {
    let file = rusqlite::Connection::open(fixture.folder().join("user.db")).expect("a database");
    let sql = format!(
        "INSERT INTO kept (space, key, value)
             WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < {count} - 1)
             SELECT 'flags/global', printf('flag-%05d', i), 'true' FROM numbers"
    );
    file.execute_batch(&sql).expect("flags");
}

#[tokio::test]
async fn long_lists_come_in_pages_of_all_layers() {
    let fixture = FlagsFixture::with_defaults(&json!({"flag-01500x": "config", "zebra": "config"}));
    fill(&fixture, 2500);
    let in_project = json!({"name": "flag-00000", "value": "project"});
    fixture.value("set_project_flag", in_project).await;
    let (mut arguments, mut names, mut pages) = (json!({}), Vec::new(), 0);
    loop {
        let envelope = fixture.call("list_project_flags", arguments).await;
        let page = envelope["value"].as_object().expect("flags").clone();
        assert!(page.len() <= 1000);
        names.extend(page.keys().cloned());
        pages += 1;
        let Some(instruction) = envelope["instruction"].as_str() else { break };
        let last = names.last().expect("a flag");
        assert!(instruction.contains(&format!("`after` set to \"{last}\"")), "{instruction}");
        arguments = json!({"after": last});
    }
    assert_eq!((pages, names.len()), (3, 2502));
    assert!(names.is_sorted());
    let found = fixture.value("list_project_flags", json!({"pattern": "flag-0?*00*"})).await;
    assert_eq!(found["flag-00000"], json!({"value": "project", "source": "project"}));
    assert_eq!(found["flag-01500x"]["source"], "config");
}

#[tokio::test]
async fn the_flags_of_switches_are_read_without_reading_the_others() {
    let mut times = Vec::new();
    for count in [200, 20_000] {
        let fixture = FlagsFixture::new();
        fill(&fixture, count);
        let name = catalog::flag::FlagName::new("flag-00100").expect("a name");
        let mut shortest = std::time::Duration::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            let values = fixture.flags.values_of([&name]).await.expect("values");
            shortest = shortest.min(start.elapsed());
            assert_eq!(values.len(), 1);
        }
        times.push(shortest);
    }
    assert!(times[1] < times[0] * 5, "{times:?}");
}
