//! Switches: tools that are served only while a flag has a certain value.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::{
    Catalog, Glob, Tool,
    flag::{FlagName, FlagValue, FlagValues},
};

/// A condition on a flag for serving some tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// The flag that is tested.
    pub flag: FlagName,
    /// The required value. An unset flag counts as false.
    pub is: FlagValue,
    /// Restricts the switch to tools whose names match.
    pub tools: Option<Glob>,
    /// Restricts the switch to tools of this category.
    pub category: Option<String>,
}

impl Switch {
    /// Whether it applies to this tool.
    pub fn covers(&self, tool: &Tool) -> bool {
        let matches = |glob: &Glob| glob.is_match(&tool.name) || glob.is_match(tool.bare_name());
        self.tools.as_ref().is_none_or(matches)
            && (self.category.is_none() || self.category == tool.annotations.category)
    }

    /// Whether its tools are served with these flags.
    pub fn is_on(&self, flags: &FlagValues) -> bool {
        let unset = Value::Bool(false);
        flags.get(&self.flag).map_or(&unset, FlagValue::json) == self.is.json()
    }
}

/// The condition in words.
impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the flag `{}` is {}", self.flag, self.is.json())
    }
}

/// Splits a catalog into the tools served with these flags and the hidden ones, each with the first
/// switch that hides it.
pub fn apply_switches<'s>(
    catalog: &Catalog,
    switches: &'s [Switch],
    flags: &FlagValues,
) -> (Catalog, Vec<(Arc<Tool>, &'s Switch)>) {
    let off: Vec<_> = switches.iter().filter(|switch| !switch.is_on(flags)).collect();
    if off.is_empty() {
        return (catalog.clone(), Vec::new());
    }
    let hiding = |tool: &Tool| off.iter().find(|switch| switch.covers(tool)).copied();
    let hidden = catalog
        .tools()
        .iter()
        .filter_map(|tool| hiding(tool).map(|switch| (Arc::clone(tool), switch)))
        .collect();
    (catalog.filter(|tool| hiding(tool).is_none()), hidden)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Switch, apply_switches};
    use crate::{
        Catalog, Glob, Implementation, Origin, Schema, SourceId, Tool,
        flag::{FlagName, FlagValue, FlagValues},
    };

    fn tool(name: &str, category: &str) -> Tool {
        let mut tool = Tool::new(
            name,
            "",
            Schema::empty(),
            Implementation::Missing,
            Origin::whole_file(&SourceId::new("test")),
        );
        tool.annotations.category = Some(category.to_owned());
        tool
    }

    fn switch(tools: Option<&str>, category: Option<&str>, is: serde_json::Value) -> Switch {
        Switch {
            flag: FlagName::new("f").expect("a name"),
            is: FlagValue::new(is).expect("a value"),
            tools: tools.map(|glob| Glob::new(glob).expect("a glob")),
            category: category.map(str::to_owned),
        }
    }

    fn served_names(switches: &[Switch], value: Option<serde_json::Value>) -> Vec<String> {
        let (catalog, _) =
            Catalog::merge([tool("git_push", "git"), tool("git_log", "read"), tool("ls", "read")]);
        let value = value.map(|value| FlagValue::new(value).expect("a value"));
        let flags: FlagValues =
            value.map(|value| (FlagName::new("f").expect("a name"), value)).into_iter().collect();
        let (served, hidden) = apply_switches(&catalog, switches, &flags);
        assert_eq!(served.tools().len() + hidden.len(), 3, "every tool is served or hidden");
        served.tools().iter().map(|tool| tool.name.clone()).collect()
    }

    #[test]
    fn serves_tools_while_the_flag_has_the_required_value() {
        let all = ["git_log", "git_push", "ls"];
        let git = [switch(Some("git_*"), None, json!(true))];
        assert_eq!(served_names(&git, Some(json!(true))), all);
        assert_eq!(served_names(&git, None), ["ls"]);
        assert_eq!(served_names(&git, Some(json!("true"))), ["ls"], "a text is not true");
        let unless = [switch(Some("git_*"), None, json!(false))];
        assert_eq!(served_names(&unless, None), all, "unset counts as false");
        assert_eq!(served_names(&unless, Some(json!(true))), ["ls"]);
        let words = [switch(None, Some("read"), json!("full"))];
        assert_eq!(served_names(&words, Some(json!("full"))), all);
        assert_eq!(served_names(&words, Some(json!("some"))), ["git_push"]);
        let both = [switch(Some("git_*"), Some("read"), json!(true))];
        assert_eq!(
            served_names(&both, None),
            ["git_push", "ls"],
            "name and category narrow each other"
        );
        let two = [switch(Some("ls"), None, json!(true)), switch(Some("l?"), None, json!(false))];
        assert_eq!(
            served_names(&two, Some(json!(true))),
            ["git_log", "git_push"],
            "all switches of a tool must be on"
        );
    }
}
