//! Conflicts between parameters.

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

/// Reports repeated names. A name is a key of the arguments, so it must be unique among the
/// parameters of a leaf and of all nodes above it.
pub(crate) fn check_names<'a>(
    above: impl Iterator<Item = &'a Parameter<'a>>,
    parameters: &'a [Parameter<'a>],
    report: &mut Report,
) {
    // Each node may declare the working directory; the innermost one wins.
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
                    .with_received(parameter.name)
                    .hint("rename one; `flag` keeps its spelling on the command line"),
            );
        }
    }
}

/// Reports flags that two parameters of one command share. Each binding comes with its JSON
/// pointer.
pub(crate) fn check_flags<'a>(
    bindings: impl Iterator<Item = (&'a Binding, &'a str)>,
    report: &mut Report,
) {
    let mut flags = HashSet::new();
    for (binding, pointer) in bindings {
        for flag in binding.flag.iter().chain(&binding.negate) {
            if !flags.insert(flag) {
                let message = format!(
                    "the flag `{flag}` of `{}` is also the flag of another parameter",
                    binding.parameter
                );
                let problem = report.at_pointer(&FLAG_CLASH, pointer, message);
                report.push(
                    problem
                        .with_received(flag.as_str())
                        .hint("change `alias` or `flag` of one of them"),
                );
            }
        }
    }
}

/// Reports every parameter after the first that is passed on standard input.
pub(crate) fn check_stdin<'a>(
    bindings: impl Iterator<Item = (&'a Binding, &'a str)>,
    report: &mut Report,
) {
    for (_, pointer) in bindings.filter(|(binding, _)| binding.pass_by == PassBy::Stdin).skip(1) {
        let problem = report.at_pointer(
            &CONTRADICTION,
            pointer,
            "only one parameter can be passed on standard input",
        );
        report.push(problem.hint("pass one of them by `file`"));
    }
}

/// Reports parameters that a read-only tool declares to write to.
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
        let message =
            format!("the tool is declared read-only but writes to `{}`", binding.parameter);
        let problem = report.at_pointer(&WRITING_READER, format!("{pointer}/access"), message);
        report.push(problem.hint("set `\"mutates\": true`, or `\"access\": \"read\"`"));
    }
}
