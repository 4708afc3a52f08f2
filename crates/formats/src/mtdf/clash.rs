//! Parameters that get in each other's way.

use std::collections::HashSet;

use catalog::{
    Annotations,
    implementation::{Access, Binding, PassBy},
};

use super::{
    binding::FOLDER,
    parameter::Parameter,
    rules::{
        definition::CONTRADICTION,
        parameter::{DUPLICATE_PARAMETER, FLAG_CLASH, WRITING_READER},
    },
};
use crate::report::Report;

/// A parameter's name is a key of the arguments, so it must be the only one on the way to a leaf.
pub(crate) fn check_names<'a>(
    above: impl Iterator<Item = &'a Parameter<'a>>,
    parameters: &'a [Parameter<'a>],
    report: &mut Report,
) {
    let mut names: HashSet<_> =
        above.map(|parameter| parameter.name).filter(|name| *name != FOLDER).collect();
    for parameter in parameters {
        if !names.insert(parameter.name) {
            let message = format!("there is more than one parameter `{}`", parameter.name);
            let problem = report.at_pointer(
                &DUPLICATE_PARAMETER,
                format!("{}/name", parameter.pointer),
                message,
            );
            report.push(
                problem
                    .received(parameter.name)
                    .hint("rename one; `flag` keeps its spelling on the command line"),
            );
        }
    }
}

/// Reports flags of one command that mean two parameters. Each binding comes with its place.
pub(crate) fn check_flags<'a>(
    bindings: impl Iterator<Item = (&'a Binding, &'a str)>,
    report: &mut Report,
) {
    let mut flags = HashSet::new();
    for (binding, pointer) in bindings {
        for flag in binding.flag.iter().chain(&binding.negate) {
            if !flags.insert(flag) {
                let message = format!(
                    "the flag `{flag}` of `{}` belongs to another parameter too",
                    binding.parameter
                );
                let problem = report.at_pointer(&FLAG_CLASH, pointer, message);
                report.push(
                    problem.received(flag.as_str()).hint("change `alias` or `flag` of one of them"),
                );
            }
        }
    }
}

/// Reports all but the first of the parameters that want to be on standard input.
pub(crate) fn check_stdin<'a>(
    bindings: impl Iterator<Item = (&'a Binding, &'a str)>,
    report: &mut Report,
) {
    for (_, pointer) in bindings.filter(|(binding, _)| binding.pass_by == PassBy::Stdin).skip(1) {
        let problem = report.at_pointer(
            &CONTRADICTION,
            pointer,
            "standard input takes one parameter, this is another one",
        );
        report.push(problem.hint("pass one of them by `file`"));
    }
}

/// Reports parameters that are written by a tool that says it changes nothing.
pub(crate) fn check_access<'a>(
    bindings: impl Iterator<Item = (&'a Binding, &'a str)>,
    annotations: &Annotations,
    report: &mut Report,
) {
    if !annotations.is_read_only() {
        return;
    }
    for (binding, pointer) in
        bindings.filter(|(binding, _)| binding.access.is_some_and(Access::writes))
    {
        let message = format!(
            "the tool says that it changes nothing, and that it writes to `{}`",
            binding.parameter
        );
        let problem = report.at_pointer(&WRITING_READER, format!("{pointer}/access"), message);
        report.push(problem.hint("say `\"mutates\": true`, or `\"access\": \"read\"`"));
    }
}
