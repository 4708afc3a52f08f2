//! Reports names in `[program.NAME]` that refer to nothing, so that the entry has no effect.

use catalog::{Catalog, Diagnostic, Implementation, Rule, Severity, SourceId, closest};

use crate::{
    Config, Credentials,
    clause::BROKEN_CONFIG,
    configured_paths::locate,
    program_profiles::{ProgramConfig, profile_names},
};

/// A program or tool that no definition uses.
pub(crate) static USELESS_PROGRAM: Rule = Rule {
    code: "TC614",
    name: "useless-program",
    severity: Severity::Warning,
    why: "`[program.NAME]` applies to tools whose `command` names the program like this, and `credentials` to the tools \
          that it lists. A name that no definition has is probably misspelled, and then a tool lacks what it was \
          meant to get.",
    bad: "[program.git]\ncredentials = [\"git_psh\"]\n",
    good: "[program.git]\ncredentials = [\"git_push\"]\n",
};

/// Reports unknown profiles. `text` is the configuration, which is searched for their locations.
pub(crate) fn find_unknown_profiles(
    source: &SourceId,
    text: &str,
    config: &Config,
) -> Vec<Diagnostic> {
    let known = profile_names();
    let named = config.program.values().flat_map(|program| &program.profiles);
    let unknown = named.filter(|name| !known.contains(name));
    let report = |name: &String| {
        let near = closest(name, known.iter().map(String::as_str));
        let hint = near.map_or_else(
            || format!("there are profiles for {}", known.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("there is no profile `{name}`");
        Diagnostic::new(&BROKEN_CONFIG, locate(source, text, name), message).hint(hint)
    };
    unknown.map(report).collect()
}

/// Reports programs that no tool runs, and tools that do not exist.
pub(crate) fn find_useless(
    source: &SourceId,
    text: &str,
    config: &Config,
    catalog: &Catalog,
) -> Vec<Diagnostic> {
    let programs: Vec<_> = catalog.tools().iter().filter_map(|tool| program_of(tool)).collect();
    let mut found = Vec::new();
    for (name, program) in &config.program {
        if !programs.contains(&name.as_str()) {
            let message = format!("no tool runs `{name}`");
            let hint = hint(closest(name, programs.iter().copied()));
            found.push((name, message, hint));
        }
        for tool in trusted_tools(program).iter().filter(|tool| catalog.get(tool).is_none()) {
            let message = format!("there is no tool `{tool}` to give credentials to");
            found.push((tool, message, hint(catalog.closest(tool))));
        }
    }
    let report = |(name, message, hint): (&String, String, String)| {
        Diagnostic::new(&USELESS_PROGRAM, locate(source, text, name), message).hint(hint)
    };
    found.into_iter().map(report).collect()
}

fn hint(near: Option<&str>) -> String {
    near.map_or_else(
        || "correct the name, or remove it".to_owned(),
        |near| format!("did you mean `{near}`?"),
    )
}

fn trusted_tools(program: &ProgramConfig) -> &[String] {
    match &program.credentials {
        Credentials::All(_) => &[],
        Credentials::Tools(names) => names,
    }
}

fn program_of(tool: &catalog::Tool) -> Option<&str> {
    match &tool.implementation {
        Implementation::Process(process) => Some(&process.program),
        _ => None,
    }
}
