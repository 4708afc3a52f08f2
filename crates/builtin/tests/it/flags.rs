//! The tools for flags.

use std::{fs, sync::Arc, time::Instant};

use serde_json::{Value, json};
use store::Store;
use toolkit::Storage;

use crate::desk::Desk;

const PROJECT: [&str; 3] = ["get_project_flag", "list_project_flags", "set_project_flag"];
const FEATURE: [&str; 3] = ["get_feature_flag", "list_feature_flags", "set_feature_flag"];

fn bare_names(desk: &Desk) -> Vec<&str> {
    desk.tools.iter().map(|tool| tool.bare_name()).collect()
}

fn unset(name: &str) -> Value {
    json!({"name": name, "is_set": false, "source": "unset"})
}

fn set(name: &str, value: Value, source: &str) -> Value {
    json!({"name": name, "is_set": true, "value": value, "source": source})
}

#[test]
fn project_flag_tool_registration() {
    let desk = Desk::new();
    PROJECT.iter().for_each(|name| assert!(bare_names(&desk).contains(name), "{name}"));
}

#[test]
fn global_flag_tool_registration() {
    let desk = Desk::new();
    FEATURE.iter().for_each(|name| assert!(bare_names(&desk).contains(name), "{name}"));
}

#[test]
fn undecorated_name_in_documentation() {
    for tool in Desk::new().tools.iter().filter(|tool| tool.bare_name().contains("_flag")) {
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
    let desk = Desk::with_defaults(&json!({"a": "config", "b": "config", "c": "config"}));
    for (tool, name, value) in [
        ("set_feature_flag", "a", json!("global")),
        ("set_feature_flag", "b", json!("global")),
        ("set_feature_flag", "d", json!(true)),
        ("set_project_flag", "a", json!("project")),
        ("set_project_flag", "d", json!(false)),
    ] {
        desk.value(tool, json!({"name": name, "value": value})).await;
    }
    let expected = [
        ("a", json!("project"), "project"),
        ("b", json!("global"), "global"),
        ("c", json!("config"), "config"),
        ("d", json!(false), "project"),
    ];
    let listed = desk.value("list_project_flags", json!({})).await;
    for (name, value, source) in expected {
        assert_eq!(
            desk.value("get_project_flag", json!({"name": name})).await,
            set(name, value.clone(), source)
        );
        assert_eq!(listed[name], json!({"value": value, "source": source}));
    }
    assert_eq!(listed.as_object().expect("a map").len(), 4);
    desk.value("set_project_flag", json!({"name": "d", "value": null})).await;
    let below = desk.value("get_project_flag", json!({"name": "d"})).await;
    assert_eq!(below, set("d", json!(true), "global"), "what lies below counts again");
}

#[tokio::test]
async fn global_flag_isolation() {
    let desk = Desk::with_defaults(&json!({"c": "config"}));
    desk.value("set_project_flag", json!({"name": "p"})).await;
    for name in ["p", "c"] {
        assert_eq!(desk.value("get_feature_flag", json!({"name": name})).await, unset(name));
    }
    assert_eq!(desk.value("list_feature_flags", json!({})).await, json!({}));
    desk.value("set_feature_flag", json!({"name": "p", "value": "global"})).await;
    assert_eq!(
        desk.value("get_project_flag", json!({"name": "p"})).await,
        set("p", json!(true), "project")
    );
    assert_eq!(
        desk.value("list_feature_flags", json!({})).await,
        json!({"p": {"value": "global", "source": "global"}})
    );
    let refused = desk.call("get_feature_flag", json!({"name": "p", "project": "/tmp"})).await;
    assert_eq!(refused["error_type"], "invalid_arguments", "a global flag has no project");
}

#[tokio::test]
async fn a_flag_is_true_unless_a_value_is_given_and_null_removes_it() {
    let desk = Desk::new();
    for [tool, get] in
        [["set_project_flag", "get_project_flag"], ["set_feature_flag", "get_feature_flag"]]
    {
        let done = desk.value(tool, json!({"name": "x"})).await;
        assert_eq!(done, json!({"name": "x", "value": true}));
        assert_eq!(desk.value(get, json!({"name": "x"})).await["value"], true);
        assert_eq!(
            desk.value(tool, json!({"name": "x", "value": null})).await,
            json!({"name": "x", "before": true})
        );
        assert_eq!(desk.value(get, json!({"name": "x"})).await, unset("x"));
        assert_eq!(
            desk.value(tool, json!({"name": "x", "value": null})).await,
            json!({"name": "x"}),
            "no error"
        );
    }
}

#[tokio::test]
async fn values_come_back_as_plain_json() {
    let desk = Desk::new();
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
        desk.value("set_project_flag", json!({"name": "x", "value": value})).await;
        assert_eq!(desk.value("get_project_flag", json!({"name": "x"})).await["value"], value);
        assert_eq!(desk.value("list_project_flags", json!({})).await["x"]["value"], value);
    }
}

#[tokio::test]
async fn a_text_that_looks_like_true_is_kept_and_that_is_said() {
    let desk = Desk::new();
    let said = desk.call("set_project_flag", json!({"name": "x", "value": "yes"})).await;
    assert!(said["message"].as_str().expect("a message").contains("is a text"), "{said}");
    assert_eq!(said["value"]["value"], "yes");
    let said = desk.call("set_project_flag", json!({"name": "x", "value": "plain"})).await;
    assert_eq!(said["message"], "`x` is now \"plain\"; it was \"yes\".");
}

#[tokio::test]
async fn what_cannot_be_a_flag_is_refused_with_everything_that_is_wrong() {
    let desk = Desk::new();
    let refusal = async |arguments: Value| {
        let envelope = desk.call("set_project_flag", arguments).await;
        assert_eq!(
            (&envelope["success"], &envelope["error_type"]),
            (&json!(false), &json!("invalid_arguments"))
        );
        envelope["error"].as_str().expect("an error").to_owned()
    };
    let number = refusal(json!({"name": "x", "value": 1})).await;
    assert!(number.contains("received integer"), "{number}");
    let several = refusal(json!({"name": 7, "value": ["a", 1, 2.5], "vaule": true})).await;
    for part in ["name: ", "value/1: ", "value/2: ", "did you mean 'value'?"] {
        assert!(several.contains(part), "{part}: {several}");
    }
    let names = refusal(json!({"name": "a b", "project": "https://example.com"})).await;
    assert!(names.contains("' ' is not allowed") && names.contains("must be a path"), "{names}");
    assert_eq!(desk.value("list_project_flags", json!({})).await, json!({}), "nothing was set");
    let pattern = desk.call("list_feature_flags", json!({"pattern": "a{b"})).await;
    assert_eq!(pattern["error_type"], "invalid_arguments");
}

#[tokio::test]
async fn lists_by_pattern() {
    let desk = Desk::new();
    for name in ["content-format", "content-style", "größe", "other.v1"] {
        desk.value("set_feature_flag", json!({"name": name})).await;
    }
    for (pattern, count) in
        [("content-*", 2), ("gr??e", 1), ("*", 4), ("content-style", 1), ("none", 0)]
    {
        let listed = desk.value("list_feature_flags", json!({"pattern": pattern})).await;
        assert_eq!(listed.as_object().expect("a map").len(), count, "{pattern}");
    }
}

/// Defect 5: twenty writes were acknowledged and one to ten survived.
#[tokio::test(flavor = "multi_thread")]
async fn twenty_writers_at_once_lose_nothing() {
    let desk = Arc::new(Desk::new());
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..20 {
        let desk = Arc::clone(&desk);
        writers.spawn(async move {
            desk.value("set_project_flag", json!({"name": format!("f{number}")})).await
        });
    }
    writers.join_all().await;
    let listed = desk.value("list_project_flags", json!({})).await;
    assert_eq!(listed.as_object().expect("a map").len(), 20);
}

/// Defect 18: such folders could never be projects, and of two with one name the second was ignored.
#[tokio::test]
async fn any_folder_is_a_project_and_equal_last_names_are_different_projects() {
    let desk = Desk::new();
    let names = ["my.app", "my app", "a/same", "b/same", "größe", "crib/inner", "not there/at all"];
    for (index, name) in names.iter().enumerate() {
        let project = desk.folder().join(name);
        if !name.starts_with("not") {
            fs::create_dir_all(&project).expect("a folder");
        }
        desk.value(
            "set_project_flag",
            json!({"name": "x", "value": index.to_string(), "project": project}),
        )
        .await;
    }
    for (index, name) in names.iter().enumerate() {
        let found = desk
            .value("get_project_flag", json!({"name": "x", "project": desk.folder().join(name)}))
            .await;
        assert_eq!(found["value"], index.to_string(), "{name}");
    }
    let address = format!("file://{}/my%20app", desk.folder().display());
    assert_eq!(
        desk.value("get_project_flag", json!({"name": "x", "project": address})).await["value"],
        "1"
    );
    assert_eq!(
        desk.value("get_project_flag", json!({"name": "x", "project": "../my.app"})).await["value"],
        "0"
    );
    assert_eq!(
        desk.value("get_project_flag", json!({"name": "x"})).await,
        unset("x"),
        "the crib is none of them"
    );
}

/// Defect 19: nothing worked before a project was bound.
#[tokio::test]
async fn flags_work_with_no_project_at_all() {
    let desk = Desk::new();
    fs::remove_dir(desk.folder().join("crib")).expect("an empty folder");
    desk.value("set_feature_flag", json!({"name": "x"})).await;
    assert_eq!(desk.value("get_feature_flag", json!({"name": "x"})).await["value"], true);
    assert_eq!(desk.value("get_project_flag", json!({"name": "x"})).await["source"], "global");
}

/// Defect 20: changing one thing wiped others.
#[tokio::test]
async fn setting_one_flag_leaves_everything_else() {
    let desk = Desk::with_defaults(&json!({"c": "config"}));
    desk.value("set_project_flag", json!({"name": "kept", "value": ["a"]})).await;
    desk.value(
        "set_project_flag",
        json!({"name": "kept", "value": "other", "project": "../elsewhere"}),
    )
    .await;
    desk.value("set_feature_flag", json!({"name": "kept", "value": "global"})).await;
    let all = async || {
        let (here, there) = (json!({}), json!({"project": "../elsewhere"}));
        let here = desk.value("list_project_flags", here).await;
        (
            here,
            desk.value("list_project_flags", there).await,
            desk.value("list_feature_flags", json!({})).await,
        )
    };
    let before = all().await;
    desk.value("set_project_flag", json!({"name": "x"})).await;
    desk.value("set_project_flag", json!({"name": "x", "value": null})).await;
    assert_eq!(all().await, before);
}

/// Defect 28: the project that was selected was forgotten, or remembered, by the next request.
#[tokio::test]
async fn each_call_says_its_project_and_nothing_is_remembered() {
    let desk = Desk::with_defaults(&json!({"c": "config"}));
    let other = json!("../other");
    desk.value("set_project_flag", json!({"name": "x", "value": "other", "project": other})).await;
    assert_eq!(desk.value("get_project_flag", json!({"name": "x"})).await, unset("x"));
    desk.value("set_project_flag", json!({"name": "x", "value": "crib"})).await;
    assert_eq!(
        desk.value("get_project_flag", json!({"name": "x", "project": other})).await["value"],
        "other"
    );
    assert_eq!(
        desk.value("get_project_flag", json!({"name": "x", "project": null})).await["value"],
        "crib"
    );
    let config = desk.value("get_project_flag", json!({"name": "c", "project": other})).await;
    assert_eq!(config, unset("c"), "the configuration is the crib's own");
    let own = desk.value("get_project_flag", json!({"name": "c", "project": "../crib/."})).await;
    assert_eq!(own["source"], "config", "the crib, by another way");
}

/// A caller far away must not learn from answers which paths there are.
#[tokio::test]
async fn answers_do_not_tell_whether_a_path_is_there() {
    let desk = Desk::new();
    let answer = async |path: &str| {
        let set = desk.outcome("set_project_flag", json!({"name": "x", "project": path})).await;
        let got = desk.outcome("get_project_flag", json!({"name": "x", "project": path})).await;
        let listed = desk.outcome("list_project_flags", json!({"project": path})).await;
        [set, got, listed]
    };
    let there = answer("/etc/passwd").await;
    for other in ["/etc/no-such-file", "/home/nobody/.ssh/x", "/proc/1/root", "/dev/null/x"] {
        assert_eq!(answer(other).await, there, "{other}");
    }
}

/// Defect 7: a lock that nobody held any more blocked every call for minutes.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_another_holds_is_a_clear_failure_and_soon() {
    let desk = Desk::new();
    let desk = Arc::new(desk);
    let other = Store::open_user(desk.folder()).expect("a store");
    other.set("flags/global", "other", Some(json!(true))).await.expect("written");
    let lock = rusqlite::Connection::open(desk.folder().join("user.db")).expect("a database");
    lock.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let begun = Instant::now();
    let refused = desk.call("set_feature_flag", json!({"name": "x"})).await;
    assert!(begun.elapsed().as_secs() < 10);
    assert_eq!(refused["error_type"], "store_failed", "{refused}");
    assert_eq!(
        desk.value("get_feature_flag", json!({"name": "other"})).await["value"],
        true,
        "reading goes on"
    );
    drop(lock);
    desk.value("set_feature_flag", json!({"name": "x"})).await;
}
