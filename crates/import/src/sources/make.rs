//! The targets of a `Makefile`.

use super::{NamedCommand, define, list_names, select};
use crate::draft::{Draft, Project};

pub(super) fn draft(project: &dyn Project) -> Option<Draft> {
    // GNU make looks for these files in this order.
    let (file, text) = ["GNUmakefile", "makefile", "Makefile"]
        .into_iter()
        .find_map(|file| Some((file, project.read(file)?)))?;
    let targets = select(read_targets(&text));
    (!targets.is_empty()).then(|| Draft {
        name: "make".to_owned(),
        summary: format!("{file}: {}", list_names(&targets)),
        definition: define("make", "make", "Targets of this project's Makefile", &targets),
    })
}

/// The targets in the order of the file. Their descriptions are comments after `##` on the same line,
/// or on the line above.
fn read_targets(text: &str) -> Vec<NamedCommand> {
    let mut comment = None;
    let mut targets = Vec::new();
    for line in text.lines() {
        if let Some(text) = line.strip_prefix('#') {
            comment = Some(text.trim_start_matches('#').trim().to_owned());
            continue;
        }
        for name in parse_targets(line) {
            let own = line.split_once("##").map(|(_, text)| text.trim().to_owned());
            let described = own.or_else(|| comment.clone()).filter(|text| !text.is_empty());
            let description = described.unwrap_or_else(|| format!("Run `make {name}`"));
            targets.push(NamedCommand { name: name.to_owned(), description });
        }
        // A line such as `.PHONY` may separate a comment from its target.
        if !line.starts_with('.') {
            comment = None;
        }
    }
    targets
}

/// The targets of a rule. Indented lines are recipes; `:=`, `::=` and `?=` are assignments.
fn parse_targets(line: &str) -> impl Iterator<Item = &str> {
    let rule = line.split_once(':').filter(|(left, right)| {
        !line.starts_with(['\t', ' ', '.'])
            && !left.contains(['=', '$', '%', '"', '\''])
            && !right.starts_with(['=', ':'])
    });
    rule.into_iter().flat_map(|(left, _)| left.split_whitespace())
}
