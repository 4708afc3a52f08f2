//! Settings that subcommands inherit unless they override them.

use std::{rc::Rc, time::Duration};

use catalog::{Annotations, Availability, Concurrency, Mode};

use super::{
    availability, consent,
    rules::definition::{
        CONTRADICTION, ENABLED_UNDER_DISABLED, OUTPUT_OUT_OF_RANGE, TIMEOUT_OUT_OF_RANGE,
    },
    sequence,
};
use crate::{
    json::{Node, Value},
    object::{Object, report_wrong_type},
    report::Report,
    schema::check_pattern,
};

/// Maximum timeout, in seconds: a day.
const MAX_TIMEOUT: u64 = 86_400;

/// The settings of a node.
#[derive(Clone, Default)]
pub(crate) struct Settings<'n> {
    pub(crate) is_disabled: bool,
    pub(crate) mode: Option<Mode>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) output_bytes: Option<usize>,
    pub(crate) annotations: Annotations,
    pub(crate) consent: Option<Rc<consent::ConsentDeclaration>>,
    pub(crate) concurrency: Option<Concurrency>,
    pub(crate) availability: Option<Rc<Availability>>,
    pub(crate) install: Option<&'n str>,
    /// Pattern that matches progress in the output.
    pub(crate) progress: Option<&'n str>,
    pub(crate) credentials: bool,
    /// Exit codes besides 0 that mean success.
    pub(crate) success_exit_codes: Rc<[i32]>,
    pub(crate) sequence: Option<Rc<sequence::SequenceDefinition>>,
    pub(crate) positional_first: bool,
    pub(crate) double_dash: bool,
    /// Shared text that precedes the description.
    pub(crate) guidance: Option<&'n str>,
}

impl<'n> Settings<'n> {
    /// Reads the settings of a child node. The caller looks up guidance.
    pub(crate) fn read_child(
        &self,
        object: &Object<'n, '_>,
        program: Option<&str>,
        report: &mut Report,
    ) -> Self {
        let mut settings = self.clone();
        settings.read_enabled(object, report);
        settings.read_mode(object, report);
        settings.read_timeout(object, report);
        settings.read_output_bytes(object, report);
        settings.read_annotations(object, report);
        settings.read_order(object, report);
        if let Some(text) = object.non_blank("install_instructions", report) {
            settings.install = Some(text);
        }
        settings.read_progress(object, report);
        settings.credentials = object.flag("credentials", report).unwrap_or(self.credentials);
        if object.has("success_exit_codes") {
            let codes = availability::read_exit_codes(object, report);
            // Zero is a success in any case.
            settings.success_exit_codes = codes.into_iter().filter(|code| *code != 0).collect();
        }
        if let Some(node) = object.node("availability_check") {
            let at = object.at.key("availability_check");
            let found = Object::new(node, &at, report)
                .and_then(|check| availability::read(&check, program, report));
            // An invalid check does not fall back to the inherited one, which may test another
            // program.
            settings.availability = found.map(Rc::new);
        }
        if let Some(node) = object.node("consent") {
            let at = object.at.key("consent");
            let found =
                Object::new(node, &at, report).and_then(|object| consent::read(&object, report));
            settings.consent = found.map(Rc::new);
        }
        if object.has("sequence") {
            settings.sequence = sequence::read(object, report).map(Rc::new);
        } else {
            // Read only to report a wrong value: without steps it has no effect.
            object.count("step_delay_ms", report);
        }
        settings
    }

    fn read_enabled(&mut self, object: &Object<'n, '_>, report: &mut Report) {
        match object.flag("enabled", report) {
            Some(true) if self.is_disabled => {
                let message = "this is enabled, but its parent is disabled";
                let problem =
                    report.at_value(&ENABLED_UNDER_DISABLED, &object.at.key("enabled"), message);
                report.push(problem.hint("enable the parent, or remove this field"));
            }
            Some(false) => self.is_disabled = true,
            Some(true) | None => {}
        }
    }

    /// `force_synchronous` is the older name of `synchronous`, `asynchronous` is its opposite.
    fn read_mode(&mut self, object: &Object<'n, '_>, report: &mut Report) {
        let mut declared: Option<(&str, Mode)> = None;
        for (key, is_synchronous) in
            [("synchronous", true), ("force_synchronous", true), ("asynchronous", false)]
        {
            let Some(value) = object.flag(key, report) else {
                continue;
            };
            let mode = if value == is_synchronous { Mode::Synchronous } else { Mode::Asynchronous };
            match declared {
                Some((other, opposite)) if opposite != mode => {
                    let problem = report.at_value(
                        &CONTRADICTION,
                        &object.at.key(key),
                        format!("`{key}` contradicts `{other}`"),
                    );
                    report.push(problem.hint("keep one of the two"));
                }
                _ => declared = Some((key, mode)),
            }
        }
        self.mode = declared.map(|(_, mode)| mode).or(self.mode);
    }

    fn read_progress(&mut self, object: &Object<'n, '_>, report: &mut Report) {
        let Some(pattern) = object.non_blank("progress_regex", report) else {
            return;
        };
        check_pattern(pattern, &object.at.key("progress_regex"), report);
        self.progress = Some(pattern);
    }

    fn read_timeout(&mut self, object: &Object<'n, '_>, report: &mut Report) {
        let Some(node) = object.node("timeout_seconds") else {
            return;
        };
        let at = object.at.key("timeout_seconds");
        match crate::object::to_count(node) {
            Some(seconds @ 1..=MAX_TIMEOUT) => self.timeout = Some(Duration::from_secs(seconds)),
            _ if matches!(node.value, Value::Number(_)) => {
                let problem =
                    report.at_value(&TIMEOUT_OUT_OF_RANGE, &at, "the timeout is out of range");
                report.push(
                    problem
                        .with_expected("an integer from 1 to 86400")
                        .with_received(node.to_value()),
                );
            }
            _ => report_wrong_type(node, &at, "integer", report),
        }
    }

    fn read_output_bytes(&mut self, object: &Object<'n, '_>, report: &mut Report) {
        let Some(node) = object.node("output_bytes") else {
            return;
        };
        let at = object.at.key("output_bytes");
        let bytes = crate::object::to_count(node).and_then(|bytes| usize::try_from(bytes).ok());
        match bytes {
            Some(bytes @ 1_024..=1_048_576) => self.output_bytes = Some(bytes),
            _ if matches!(node.value, Value::Number(_)) => {
                let problem =
                    report.at_value(&OUTPUT_OUT_OF_RANGE, &at, "the output limit is out of range");
                report.push(
                    problem
                        .with_expected("an integer from 1024 to 1048576")
                        .with_received(node.to_value()),
                );
            }
            _ => report_wrong_type(node, &at, "integer", report),
        }
    }

    fn read_annotations(&mut self, object: &Object<'n, '_>, report: &mut Report) {
        const LANES: [(&str, Concurrency); 3] = [
            ("exclusive", Concurrency::Exclusive),
            ("read_only", Concurrency::ReadOnly),
            ("service", Concurrency::Service),
        ];
        let concurrency = object.choice("concurrency", &LANES, report);
        let annotations = &mut self.annotations;
        // `read_only` promises that nothing is written, so definitions need not repeat it in
        // `mutates`.
        let implied = (concurrency == Some(Concurrency::ReadOnly)).then_some(false);
        self.concurrency = concurrency.or(self.concurrency);
        annotations.mutates = object.flag("mutates", report).or(implied).or(annotations.mutates);
        annotations.dangerous = object.flag("dangerous", report).or(annotations.dangerous);
        annotations.idempotent = object.flag("idempotent", report).or(annotations.idempotent);
        annotations.requires_approval =
            object.flag("requires_approval", report).or(annotations.requires_approval);
        annotations.network = object.network("network", report).or(annotations.network.take());
        if let Some(category) = object.non_blank("category", report) {
            annotations.category = Some(category.to_owned());
        }
        if let Some(version) = object.non_blank("version", report) {
            annotations.version = Some(version.to_owned());
        }
    }

    fn read_order(&mut self, object: &Object<'n, '_>, report: &mut Report) {
        self.positional_first =
            object.flag("positional_args_first", report).unwrap_or(self.positional_first);
        self.double_dash = object.flag("double_dash", report).unwrap_or(self.double_dash);
        let declares_one = object.has("positional_args_first") || object.has("double_dash");
        if self.positional_first && self.double_dash && declares_one {
            let key =
                if object.has("double_dash") { "double_dash" } else { "positional_args_first" };
            let message = "`double_dash` and `positional_args_first` exclude each other";
            let problem = report.at_value(&CONTRADICTION, &object.at.key(key), message);
            report.push(problem.hint(
                "options after `--` would be taken for positional arguments: keep one of the two",
            ));
        }
    }
}

/// Finds the hint for the leaf `name` in the field `hints` of a node above it.
pub(crate) fn find_hint<'n>(hints: &'n Node<'n>, name: &str) -> Option<&'n str> {
    let custom = hints.get("custom");
    let find = |key: &str| hints.get(key).and_then(Node::as_str);
    let find_custom = |key: &str| custom.and_then(|custom| custom.get(key)).and_then(Node::as_str);
    find(name)
        .or_else(|| find_custom(name))
        .or_else(|| find("default"))
        .or_else(|| find_custom("default"))
}
