//! `[flags]` and `[[switch]]`: read, checked, and held against the tools that there are.

mod defaults;
mod rules;

use std::{collections::BTreeMap, ops::Range};

use catalog::{
    Catalog, Diagnostic, Glob, Origin, SourceId, Switch,
    flag::{self, FlagError, FlagName, FlagValue, FlagValues},
};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Spanned, Value};

pub use defaults::FlagDefaults;
pub(crate) use rules::{BROKEN_FLAG, BROKEN_SWITCH, USELESS_SWITCH};

/// What flags are where nobody has set them, as it is written.
pub type FlagsConfig = BTreeMap<Spanned<String>, Spanned<Value>>;

/// Tools that are served only while a flag has a certain value.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchClause {
    /// The flag. The project's value counts, then the global one, then the one in `[flags]`.
    #[schemars(with = "String")]
    pub flag: Spanned<String>,
    /// What it must be: true, false or a text; true if it is not given. A flag that is not set counts as false.
    #[schemars(with = "Option<serde_json::Value>")]
    pub is: Option<Spanned<Value>>,
    /// A glob over the names of tools.
    #[schemars(with = "Option<String>")]
    pub tools: Option<Spanned<String>>,
    /// A category of tools.
    #[schemars(with = "Option<String>")]
    pub category: Option<Spanned<String>>,
}

/// Checks flags and switches; everything that is wrong with them if anything is.
pub(crate) fn compile(
    source: &SourceId,
    flags: &FlagsConfig,
    switches: &[Spanned<SwitchClause>],
) -> Result<(FlagValues, Vec<Switch>), Vec<Diagnostic>> {
    let mut found = Vec::new();
    let values = flags
        .iter()
        .filter_map(|(name, value)| read_flag(source, name, value, &mut found))
        .collect();
    let switches =
        switches.iter().filter_map(|switch| read_switch(source, switch, &mut found)).collect();
    if found.is_empty() { Ok((values, switches)) } else { Err(found) }
}

/// Says which switches are about no tool.
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
    let said = useless.map(|(written, switch)| {
        let written = written.get_ref();
        let place = written.tools.as_ref().or(written.category.as_ref()).unwrap_or(&written.flag);
        let hint = match catalog.closest(place.get_ref()).filter(|_| switch.tools.is_some()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`toolcrib list` shows the names".to_owned(),
        };
        let message = format!("`{}` matches no tool of a definition", place.get_ref());
        Diagnostic::new(&USELESS_SWITCH, Origin::offset(source, place.span().start), message)
            .hint(hint)
    });
    said.collect()
}

/// The JSON Schema of `[flags]`.
pub(crate) fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": ["object", "null"], "additionalProperties": flag::value_schema()})
}

fn read_flag(
    source: &SourceId,
    name: &Spanned<String>,
    value: &Spanned<Value>,
    found: &mut Vec<Diagnostic>,
) -> Option<(FlagName, FlagValue)> {
    let mut keep = |span: Range<usize>, bad: FlagError| {
        let origin = Origin::offset(source, span.start);
        found.extend(
            bad.0.into_iter().map(|problem| Diagnostic::new(&BROKEN_FLAG, origin.clone(), problem)),
        );
    };
    let checked_name =
        FlagName::new(name.get_ref().as_str()).map_err(|bad| keep(name.span(), bad)).ok();
    let checked = FlagValue::new(json(value.get_ref())).map_err(|bad| keep(value.span(), bad)).ok();
    Some((checked_name?, checked?))
}

fn read_switch(
    source: &SourceId,
    written: &Spanned<SwitchClause>,
    found: &mut Vec<Diagnostic>,
) -> Option<Switch> {
    let clause = written.get_ref();
    let before = found.len();
    let mut broken = |span: Range<usize>, message: String, hint: &str| {
        found.push(
            Diagnostic::new(&BROKEN_SWITCH, Origin::offset(source, span.start), message).hint(hint),
        );
    };
    let flag = FlagName::new(clause.flag.get_ref().as_str());
    let flag = flag.map_err(|bad| broken(clause.flag.span(), bad.to_string(), "name a flag")).ok();
    let is = match clause.is.as_ref().map(|is| (is.span(), is.get_ref())) {
        None => Some(FlagValue::from(true)),
        Some((_, value @ (Value::Boolean(_) | Value::String(_)))) => {
            FlagValue::new(json(value)).ok()
        }
        Some((span, value)) => {
            broken(
                span,
                format!("`{value}` is nothing that a switch compares with"),
                "use true, false or a text",
            );
            None
        }
    };
    let tools = clause.tools.as_ref().and_then(|tools| {
        let problem = |error| {
            broken(
                tools.span(),
                format!("`{}` is not a glob: {error}", tools.get_ref()),
                "write a name, with `*`",
            )
        };
        Glob::new(tools.get_ref()).map_err(problem).ok()
    });
    if clause.tools.is_none() && clause.category.is_none() {
        broken(
            written.span(),
            "it does not say what it switches".to_owned(),
            "add `tools = \"git_*\"`, or a `category`",
        );
    }
    let category = clause.category.as_ref().map(|category| category.get_ref().clone());
    (found.len() == before).then_some(Switch { flag: flag?, is: is?, tools, category })
}

/// A value of TOML as JSON. Dates, which JSON has not, come out as what no flag can be.
fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Datetime(_) => serde_json::Value::Null,
        Value::Array(items) => items.iter().map(json).collect(),
        Value::Table(table) => {
            table.iter().map(|(key, value)| (key.clone(), json(value))).collect()
        }
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}
