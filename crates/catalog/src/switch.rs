//! Switches: tools that are there only while a flag has a certain value.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::{
    Catalog, Glob, Tool,
    flag::{FlagName, FlagValue, FlagValues},
};

/// What is served only while a flag has a certain value.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// The flag.
    pub flag: FlagName,
    /// What it must be. A flag that is not set counts as false.
    pub is: FlagValue,
    /// Only tools whose names fit.
    pub tools: Option<Glob>,
    /// Only tools of this category.
    pub category: Option<String>,
}

impl Switch {
    /// Whether it is about this tool.
    pub fn covers(&self, tool: &Tool) -> bool {
        let fits = |glob: &Glob| glob.is_match(&tool.name) || glob.is_match(tool.bare_name());
        self.tools.as_ref().is_none_or(fits)
            && (self.category.is_none() || self.category == tool.annotations.category)
    }

    /// Whether its tools are there, with these flags.
    pub fn is_on(&self, flags: &FlagValues) -> bool {
        let unset = Value::Bool(false);
        flags.get(&self.flag).map_or(&unset, FlagValue::json) == self.is.json()
    }
}

/// When its tools are there.
impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the flag `{}` is {}", self.flag, self.is.json())
    }
}

/// The tools that are there with these flags, and each other with the first switch that keeps it away.
pub fn switched<'s>(
    catalog: &Catalog,
    switches: &'s [Switch],
    flags: &FlagValues,
) -> (Catalog, Vec<(Arc<Tool>, &'s Switch)>) {
    let off: Vec<_> = switches.iter().filter(|switch| !switch.is_on(flags)).collect();
    if off.is_empty() {
        return (catalog.clone(), Vec::new());
    }
    let (mut kept, mut away) = (Vec::new(), Vec::new());
    for tool in catalog.tools() {
        match off.iter().find(|switch| switch.covers(tool)) {
            Some(switch) => away.push((Arc::clone(tool), *switch)),
            None => kept.push(Arc::clone(tool)),
        }
    }
    (Catalog::merge(kept).0, away)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Switch, switched};
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
            Origin::whole(&SourceId::new("test")),
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

    fn there(switches: &[Switch], value: Option<serde_json::Value>) -> Vec<String> {
        let (catalog, _) =
            Catalog::merge([tool("git_push", "git"), tool("git_log", "read"), tool("ls", "read")]);
        let value = value.map(|value| FlagValue::new(value).expect("a value"));
        let flags: FlagValues =
            value.map(|value| (FlagName::new("f").expect("a name"), value)).into_iter().collect();
        let (kept, away) = switched(&catalog, switches, &flags);
        assert_eq!(kept.tools().len() + away.len(), 3, "every tool is somewhere");
        kept.tools().iter().map(|tool| tool.name.clone()).collect()
    }

    #[test]
    fn tools_are_there_while_the_flag_is_what_it_must_be() {
        let all = ["git_log", "git_push", "ls"];
        let git = [switch(Some("git_*"), None, json!(true))];
        assert_eq!(there(&git, Some(json!(true))), all);
        assert_eq!(there(&git, None), ["ls"]);
        assert_eq!(there(&git, Some(json!("true"))), ["ls"], "a text is not true");
        let unless = [switch(Some("git_*"), None, json!(false))];
        assert_eq!(there(&unless, None), all, "unset counts as false");
        assert_eq!(there(&unless, Some(json!(true))), ["ls"]);
        let words = [switch(None, Some("read"), json!("full"))];
        assert_eq!(there(&words, Some(json!("full"))), all);
        assert_eq!(there(&words, Some(json!("some"))), ["git_push"]);
        let both = [switch(Some("git_*"), Some("read"), json!(true))];
        assert_eq!(there(&both, None), ["git_push", "ls"], "name and category narrow each other");
        let two = [switch(Some("ls"), None, json!(true)), switch(Some("l?"), None, json!(false))];
        assert_eq!(
            there(&two, Some(json!(true))),
            ["git_log", "git_push"],
            "all switches of a tool must be on"
        );
    }
}
