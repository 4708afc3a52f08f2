//! The field `sequence`: tools that run one after the other.

use catalog::{
    Location, StepLocation,
    implementation::{Sequence, Step},
    name,
};
use serde_json::{Map, Value as Json};

use super::rules::definition::EMPTY_SEQUENCE;
use crate::{
    object::{KnownFields, Object},
    report::Report,
};

const KNOWN: KnownFields = KnownFields {
    groups: &[&[
        "tool",
        "subcommand",
        "args",
        "description",
        "skip_if_file_exists",
        "skip_if_file_missing",
    ]],
    critical: &["tool", "subcommand", "args", "skip_if_file_exists", "skip_if_file_missing"],
};

/// Default pause between two steps, in milliseconds.
const DEFAULT_DELAY_MS: u64 = 100;

/// A sequence and the location of each step.
pub(crate) struct SequenceDefinition {
    pub(crate) sequence: Sequence,
    pub(crate) locations: Vec<StepLocation>,
}

/// Reads the steps.
pub(crate) fn read(object: &Object<'_, '_>, report: &mut Report) -> Option<SequenceDefinition> {
    let nodes = object.list("sequence", report)?;
    let at = object.at.key("sequence");
    if nodes.is_empty() {
        report.push(
            report
                .at_value(&EMPTY_SEQUENCE, &at, "the sequence has no steps")
                .hint("add a step or remove `sequence`"),
        );
        return None;
    }
    let (mut steps, mut locations) =
        (Vec::with_capacity(nodes.len()), Vec::with_capacity(nodes.len()));
    for (index, node) in nodes.iter().enumerate() {
        if report.is_exhausted() {
            return None;
        }
        let at = at.index(index);
        let Some(step) =
            Object::new(node, &at, report).and_then(|object| read_step(&object, report))
        else {
            continue;
        };
        steps.push(step);
        locations.push(StepLocation {
            step: Location::Value(at.pointer()),
            arguments: Location::Value(at.key("args").pointer()),
        });
    }
    let sequence = Sequence {
        steps,
        delay_ms: object.count("step_delay_ms", report).unwrap_or(DEFAULT_DELAY_MS),
    };
    Some(SequenceDefinition { sequence, locations })
}

fn read_step(object: &Object<'_, '_>, report: &mut Report) -> Option<Step> {
    object.check_known(&KNOWN, report);
    // `default` adds nothing to the name, so a step may refer to a tool without subcommands.
    let subcommand = object.non_blank("subcommand", report).unwrap_or("default");
    let arguments = object
        .object("args", report)
        .map_or_else(|| Json::Object(Map::new()), |node| node.to_value());
    let mut read_text = |key| object.non_blank(key, report).map(str::to_owned);
    let description = read_text("description");
    let skip_if_exists = read_text("skip_if_file_exists");
    let skip_if_missing = read_text("skip_if_file_missing");
    let tool = object.required("tool", report)?;
    Some(Step {
        tool: name::join_path(&[tool, subcommand]),
        arguments,
        description,
        skip_if_exists,
        skip_if_missing,
    })
}
