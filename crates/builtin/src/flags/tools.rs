//! The six flag tools: set, get and list, for the flags of a project and for global flags.
//!
//! How to write one: crates/toolkit/templates/tool.md.

use std::{collections::BTreeMap, future::Future};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use toolkit::{
    Context, Failure, Glob, Naming, Native, Reply,
    flag::{FlagName, FlagValue, value_schema},
};

use super::{Flags, Scope, Setting, project, schema_of_value};
use crate::{FLAGS_CATEGORY, PREFIX};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct SetProjectFlag {
    /// Name of the flag: letters, digits, `_`, `-` and `.`, at most 100.
    name: String,
    /// `true`, `false`, a string (`"on"` is a string, not a boolean), a list of strings or a map of strings; `null` removes the flag.
    #[serde(default = "default_value")]
    #[schemars(schema_with = "schema_of_value_or_null")]
    value: Value,
    /// The folder of the project; the folder that the server serves if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct GetProjectFlag {
    /// Name of the flag.
    name: String,
    /// The folder of the project; the folder that the server serves if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct ListProjectFlags {
    /// Only flags whose names match: `*` is any text, `?` any character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// Only flags whose names come after this one: the last name of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// The folder of the project; the folder that the server serves if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct SetFeatureFlag {
    /// Name of the flag: letters, digits, `_`, `-` and `.`, at most 100.
    name: String,
    /// `true`, `false`, a string (`"on"` is a string, not a boolean), a list of strings or a map of strings; `null` removes the flag.
    #[serde(default = "default_value")]
    #[schemars(schema_with = "schema_of_value_or_null")]
    value: Value,
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct GetFeatureFlag {
    /// Name of the flag.
    name: String,
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
struct ListFeatureFlags {
    /// Only flags whose names match: `*` is any text, `?` any character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// Only flags whose names come after this one: the last name of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

/// The effective value of a flag.
#[derive(Debug, JsonSchema, Serialize)]
struct EffectiveFlag {
    /// Name of the flag.
    name: String,
    /// Whether it is set. If not, it has no value.
    is_set: bool,
    /// Its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema_of_value")]
    value: Option<Value>,
    /// Where it is set: `project`, `global` or `config`; `unset` if nowhere.
    source: &'static str,
}

/// The change of a flag.
#[derive(Debug, JsonSchema, Serialize)]
struct FlagChange {
    /// Name of the flag.
    name: String,
    /// The new value; left out if the flag was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema_of_value")]
    value: Option<Value>,
    /// The previous value in the same place; left out if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema_of_value")]
    before: Option<Value>,
}

type FlagList = BTreeMap<String, Setting>;

const SET_PROJECT: &str = "Sets or removes a flag of a project.\n\nA project flag overrides the global flag of the same \
                           name: an explicit `false` overrides a global `true`. It persists across server restarts.";
const GET_PROJECT: &str = "Gets the effective value of a project flag.\n\nThe project's own value, else the global one, else \
                           the default in the configuration; `source` tells which.";
const LIST_PROJECT: &str = "Lists the effective flags of a project.\n\nEach with its value and source: the project, else the \
                            global flags, else the defaults in the configuration.";
const SET_FEATURE: &str = "Sets or removes a global flag.\n\nIt applies to every project that does not set a flag of the same \
                           name. It persists across server restarts.";
const GET_FEATURE: &str = "Gets a global flag.\n\nIgnores project flags and the configuration.";
const LIST_FEATURE: &str =
    "Lists the global flags.\n\nIgnores project flags and the configuration.";

pub(super) fn natives(flags: &Flags) -> Vec<Native> {
    vec![
        set_project_flag(flags),
        get_project_flag(flags),
        list_project_flags(flags),
        set_feature_flag(flags),
        get_feature_flag(flags),
        list_feature_flags(flags),
    ]
}

fn set_project_flag(flags: &Flags) -> Native {
    let tool = build_tool("set_project_flag", flags, |flags, args: SetProjectFlag| async move {
        set(&flags, project::parse_scope(args.project.as_deref()), args.name, args.value).await
    });
    let call = |name: &str, value: Value, project: Option<&str>| SetProjectFlag {
        name: name.to_owned(),
        value,
        project: project.map(str::to_owned),
    };
    tool.title("Set a project flag")
        .purpose(SET_PROJECT)
        .usage("Pass the name of the flag. Without a value it becomes true; `null` removes it, also if it is not set.")
        .example(call("verbose", json!(true), None), "Sets a flag of the served project.")
        .example(
            call("languages", json!(["rust", "r"]), Some("/home/me/my.app")),
            "Sets a flag of another project to a list of strings.",
        )
        .idempotent()
}

fn get_project_flag(flags: &Flags) -> Native {
    let tool = build_tool("get_project_flag", flags, |flags, args: GetProjectFlag| async move {
        get(&flags, project::parse_scope(args.project.as_deref()), args.name).await
    });
    let example = GetProjectFlag { name: "verbose".to_owned(), project: None };
    tool.title("Get a project flag")
        .purpose(GET_PROJECT)
        .usage(
            "Pass the name of the flag. If it is not set, `is_set` is false and there is no value.",
        )
        .example(example, "Gets the effective value for the served project.")
        .read_only()
}

fn list_project_flags(flags: &Flags) -> Native {
    let tool =
        build_tool("list_project_flags", flags, |flags, args: ListProjectFlags| async move {
            let scope = project::parse_scope(args.project.as_deref());
            list(&flags, scope, args.pattern, args.after).await
        });
    let example = |pattern: Option<&str>| ListProjectFlags {
        pattern: pattern.map(str::to_owned),
        after: None,
        project: None,
    };
    tool.title("List project flags")
        .purpose(LIST_PROJECT)
        .usage("Call without arguments for all flags, or with a pattern for their names.")
        .example(example(None), "Lists all effective flags of the served project.")
        .example(example(Some("content-*")), "Lists the flags whose names begin with `content-`.")
        .read_only()
}

fn set_feature_flag(flags: &Flags) -> Native {
    let tool = build_tool("set_feature_flag", flags, |flags, args: SetFeatureFlag| async move {
        set(&flags, Ok(Scope::Global), args.name, args.value).await
    });
    let example = SetFeatureFlag { name: "content-style".to_owned(), value: json!("plain") };
    tool.title("Set a global flag")
        .purpose(SET_FEATURE)
        .usage("Pass the name of the flag. Without a value it becomes true; `null` removes it, also if it is not set.")
        .example(example, "Sets a string for every project without a flag of this name.")
        .idempotent()
}

fn get_feature_flag(flags: &Flags) -> Native {
    let tool = build_tool("get_feature_flag", flags, |flags, args: GetFeatureFlag| async move {
        get(&flags, Ok(Scope::Global), args.name).await
    });
    tool.title("Get a global flag")
        .purpose(GET_FEATURE)
        .usage(
            "Pass the name of the flag. If it is not set, `is_set` is false and there is no value.",
        )
        .example(
            GetFeatureFlag { name: "content-style".to_owned() },
            "Gets the global value, regardless of project flags.",
        )
        .read_only()
}

fn list_feature_flags(flags: &Flags) -> Native {
    let tool =
        build_tool("list_feature_flags", flags, |flags, args: ListFeatureFlags| async move {
            list(&flags, Ok(Scope::Global), args.pattern, args.after).await
        });
    tool.title("List global flags")
        .purpose(LIST_FEATURE)
        .usage("Call without arguments for all flags, or with a pattern for their names.")
        .example(ListFeatureFlags { pattern: None, after: None }, "Lists every global flag.")
        .read_only()
}

/// Builds a flag tool.
fn build_tool<A, T, F, R>(name: &str, flags: &Flags, function: F) -> Native
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    T: Serialize + JsonSchema + Send + 'static,
    F: Fn(Flags, A) -> R + Copy + Send + Sync + 'static,
    R: Future<Output = Result<Reply<T>, Failure>> + Send + 'static,
{
    let flags = flags.clone();
    Native::typed(name, move |args: A, _: Context| {
        let work = function(flags.clone(), args);
        async move {
            work.await.unwrap_or_else(|failure| Reply::failure(failure.message, failure.error_type))
        }
    })
    .category(FLAGS_CATEGORY)
    .naming(Naming::Prefixed(PREFIX))
}

async fn set(
    flags: &Flags,
    scope: Result<Scope, String>,
    name: String,
    value: Value,
) -> Result<Reply<FlagChange>, Failure> {
    let (name, value, scope) = match (FlagName::new(name), parse_value(value), scope) {
        (Ok(name), Ok(value), Ok(scope)) => (name, value, scope),
        // All problems at once, so that a model needs one attempt to correct them.
        (name, value, scope) => {
            let problems = [name.err().map(|bad| bad.to_string()), value.err(), scope.err()];
            return Ok(invalid_arguments_failure(problems.into_iter().flatten()));
        }
    };
    let is_word = value.as_ref().is_some_and(FlagValue::is_boolean_word);
    let now = value.as_ref().map(|value| value.json().clone());
    let before = flags.set(scope, &name, value).await?;
    let shown = |value: &Option<Value>| {
        value.as_ref().map_or_else(|| "not set".to_owned(), Value::to_string)
    };
    let mut message = format!("`{name}` is now {}; it was {}.", shown(&now), shown(&before));
    // Models write `"true"`, which is a string and switches nothing; say so instead of guessing.
    if is_word {
        message.push_str(" The value is a string; use true or false to switch a flag on or off.");
    }
    Ok(Reply::ok(FlagChange { name: name.as_str().to_owned(), value: now, before })
        .message(message))
}

async fn get(
    flags: &Flags,
    scope: Result<Scope, String>,
    name: String,
) -> Result<Reply<EffectiveFlag>, Failure> {
    let (name, scope) = match (FlagName::new(name), scope) {
        (Ok(name), Ok(scope)) => (name, scope),
        (name, scope) => {
            return Ok(invalid_arguments_failure(
                name.err().map(|bad| bad.to_string()).into_iter().chain(scope.err()),
            ));
        }
    };
    let found = flags.get(scope, &name).await?;
    let source = found.as_ref().map_or("unset", |setting| setting.source.as_str());
    let is_set = found.is_some();
    Ok(Reply::ok(EffectiveFlag {
        name: name.as_str().to_owned(),
        is_set,
        value: found.map(|setting| setting.value),
        source,
    }))
}

async fn list(
    flags: &Flags,
    scope: Result<Scope, String>,
    pattern: Option<String>,
    after: Option<String>,
) -> Result<Reply<FlagList>, Failure> {
    let glob = |text: String| {
        Glob::new(&text).map_err(|error| format!("`{text}` is not a pattern: {error}"))
    };
    let (glob, scope) = match (pattern.map(glob).transpose(), scope) {
        (Ok(glob), Ok(scope)) => (glob, scope),
        (glob, scope) => {
            return Ok(invalid_arguments_failure(glob.err().into_iter().chain(scope.err())));
        }
    };
    let is_listed = |name: &str| glob.as_ref().is_none_or(|glob| glob.is_match(name));
    let page = flags.list_page(scope, after, is_listed).await?;
    let reply = Reply::ok(page.flags);
    Ok(match page.next {
        Some(next) => reply.instruction(format!(
            "There are more flags: call again with `after` set to {}.",
            json!(next)
        )),
        None => reply,
    })
}

/// The value to set, or `None` to remove the flag.
fn parse_value(value: Value) -> Result<Option<FlagValue>, String> {
    match value {
        Value::Null => Ok(None),
        value => FlagValue::new(value).map(Some).map_err(|bad| bad.to_string()),
    }
}

/// The failure for arguments that match the schema but are invalid. Reports all problems at once.
fn invalid_arguments_failure<T>(problems: impl Iterator<Item = String>) -> Reply<T> {
    Reply::failure(problems.collect::<Vec<_>>().join("\n"), "invalid_arguments")
}

fn default_value() -> Value {
    Value::Bool(true)
}

fn schema_of_value_or_null(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let mut schema = match value_schema() {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.push("null".into());
    }
    schema.into()
}
