//! `[flags]` and `[[switch]]`: parses and checks flags, and the tools that depend on them.

mod rules;

use std::{collections::BTreeMap, ops::Range};

use catalog::{
    Catalog, Diagnostic, Glob, Origin, SourceId, Switch,
    flag::{self, FlagError, FlagName, FlagValue, FlagValues},
};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Spanned, Value};

pub(crate) use rules::{BROKEN_FLAG, BROKEN_SWITCH, USELESS_SWITCH};

/// The `[flags]` table with the positions of its keys and values.
pub type FlagsConfig = BTreeMap<Spanned<String>, Spanned<Value>>;

/// Tools that are served only while a flag has a certain value.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchClause {
    /// Name of the flag. Its value is the first that is set: for the project, globally, in `[flags]`.
    #[schemars(with = "String")]
    pub flag: Spanned<String>,
    /// Required value: true, false or a string. Default: true. A flag that is not set is false.
    #[schemars(with = "Option<serde_json::Value>")]
    pub is: Option<Spanned<Value>>,
    /// Glob for tool names.
    #[schemars(with = "Option<String>")]
    pub tools: Option<Spanned<String>>,
    /// Category of tools.
    #[schemars(with = "Option<String>")]
    pub category: Option<Spanned<String>>,
}

/// Parses flags and switches, or reports the problems of all of them.
pub(crate) fn compile(
    source: &SourceId,
    flags: &FlagsConfig,
    switches: &[Spanned<SwitchClause>],
) -> Result<(FlagValues, Vec<Switch>), Vec<Diagnostic>> {
    let mut found = Vec::new();
    let values = flags
        .iter()
        .filter_map(|(name, value)| parse_flag(source, name, value, &mut found))
        .collect();
    let switches =
        switches.iter().filter_map(|switch| parse_switch(source, switch, &mut found)).collect();
    if found.is_empty() { Ok((values, switches)) } else { Err(found) }
}

/// Reports switches that match no tool.
pub(crate) fn check(
    source: &SourceId,
    written: &[Spanned<SwitchClause>],
    switches: &[Switch],
    catalog: &Catalog,
) -> Vec<Diagnostic> {
    let useless = written
        .iter()
        .zip(switches)
        .filter(|(_, switch)| !catalog.tools().iter().any(|tool| switch.covers(tool)));
    let reports = useless.map(|(written, switch)| {
        let written = written.get_ref();
        let place = written.tools.as_ref().or(written.category.as_ref()).unwrap_or(&written.flag);
        let hint = match catalog.closest(place.get_ref()).filter(|_| switch.tools.is_some()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`toolcrib list` shows the names".to_owned(),
        };
        let message = format!("`{}` matches no defined tool", place.get_ref());
        Diagnostic::new(&USELESS_SWITCH, Origin::offset(source, place.span().start), message)
            .hint(hint)
    });
    reports.collect()
}

/// The JSON Schema of `[flags]`.
pub(crate) fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": ["object", "null"], "additionalProperties": flag::value_schema()})
}

fn parse_flag(
    source: &SourceId,
    name: &Spanned<String>,
    value: &Spanned<Value>,
    found: &mut Vec<Diagnostic>,
) -> Option<(FlagName, FlagValue)> {
    let mut report = |span: Range<usize>, bad: FlagError| {
        let origin = Origin::offset(source, span.start);
        found.extend(
            bad.0.into_iter().map(|problem| Diagnostic::new(&BROKEN_FLAG, origin.clone(), problem)),
        );
    };
    let checked_name =
        FlagName::new(name.get_ref().as_str()).map_err(|bad| report(name.span(), bad)).ok();
    // Name and value are both checked before returning, to report both.
    let checked =
        FlagValue::new(to_json(value.get_ref())).map_err(|bad| report(value.span(), bad)).ok();
    Some((checked_name?, checked?))
}

fn parse_switch(
    source: &SourceId,
    written: &Spanned<SwitchClause>,
    found: &mut Vec<Diagnostic>,
) -> Option<Switch> {
    let clause = written.get_ref();
    let problems_before = found.len();
    let mut report = |span: Range<usize>, message: String, hint: &str| {
        found.push(
            Diagnostic::new(&BROKEN_SWITCH, Origin::offset(source, span.start), message).hint(hint),
        );
    };
    let flag = FlagName::new(clause.flag.get_ref().as_str());
    let flag = flag.map_err(|bad| report(clause.flag.span(), bad.to_string(), "name a flag")).ok();
    let is = match clause.is.as_ref().map(|is| (is.span(), is.get_ref())) {
        None => Some(FlagValue::from(true)),
        Some((_, value @ (Value::Boolean(_) | Value::String(_)))) => {
            FlagValue::new(to_json(value)).ok()
        }
        Some((span, value)) => {
            report(
                span,
                format!("a switch cannot compare with `{value}`"),
                "use true, false or a string",
            );
            None
        }
    };
    let tools = clause.tools.as_ref().and_then(|tools| {
        let problem = |error| {
            report(
                tools.span(),
                format!("`{}` is not a glob: {error}", tools.get_ref()),
                "write a name, with `*`",
            )
        };
        Glob::new(tools.get_ref()).map_err(problem).ok()
    });
    if clause.tools.is_none() && clause.category.is_none() {
        report(
            written.span(),
            "the switch selects no tools".to_owned(),
            "add `tools = \"git_*\"`, or a `category`",
        );
    }
    let category = clause.category.as_ref().map(|category| category.get_ref().clone());
    // An invalid glob is `None` like an absent one, so the count of problems decides.
    (found.len() == problems_before).then_some(Switch { flag: flag?, is: is?, tools, category })
}

/// Converts TOML to JSON. A date becomes null, which is not a valid flag value.
fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Datetime(_) => serde_json::Value::Null,
        Value::Array(items) => items.iter().map(to_json).collect(),
        Value::Table(table) => {
            table.iter().map(|(key, value)| (key.clone(), to_json(value))).collect()
        }
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}
