//! Typed access to the fields of an object, with a diagnostic for each invalid one.

use catalog::{
    HostPort, NetworkAccess, NetworkError, closest, find_safety_annotation, is_secret_mark,
};

use crate::{
    json::{Node, Value},
    report::{NodePath, Report, summarize, type_name},
    rules::{
        definition::{
            BAD_CHOICE, BAD_DESTINATION, BLANK, MISREAD_FIELD, MISSING_FIELD, UNKNOWN_FIELD,
            WRONG_TYPE,
        },
        syntax::NUL,
    },
};

/// An object of a definition and the path to it.
#[derive(Clone, Copy)]
pub(crate) struct Object<'n, 'p> {
    pub(crate) node: &'n Node<'n>,
    pub(crate) at: &'p NodePath<'p>,
}

/// The fields that an object may have.
pub(crate) struct KnownFields {
    /// Their names, in groups that several kinds of objects share.
    pub(crate) groups: &'static [&'static [&'static str]],
    /// Fields that change what is run. A misspelling of one is an error, since ignoring it would
    /// make a different tool of the definition.
    pub(crate) critical: &'static [&'static str],
}

impl KnownFields {
    /// The safety annotation that an unknown field stands for, if this object can have annotations.
    fn find_annotation(&self, key: &str) -> Option<&'static str> {
        let secret = || is_secret_mark(key).then_some("secret");
        let meant = find_safety_annotation(key).or_else(secret);
        meant.filter(|name| self.fields().any(|field| field == *name))
    }

    /// Whether this is the object of annotations that MCP servers list, which has no meaning here.
    fn is_annotations_of_mcp(&self, key: &str) -> bool {
        key.eq_ignore_ascii_case("annotations") && self.fields().any(|field| field == "dangerous")
    }

    fn fields(&self) -> impl Iterator<Item = &'static str> {
        self.groups.iter().copied().flatten().copied()
    }
}

impl<'n, 'p> Object<'n, 'p> {
    /// Wraps a node; reports one that is not an object.
    pub(crate) fn new(
        node: &'n Node<'n>,
        at: &'p NodePath<'p>,
        report: &mut Report,
    ) -> Option<Self> {
        if node.is_object() {
            return Some(Self { node, at });
        }
        report_wrong_type(node, at, "object", report);
        None
    }

    pub(crate) fn node(&self, key: &str) -> Option<&'n Node<'n>> {
        self.node.get(key)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.node.member(key).is_some()
    }

    /// A string.
    pub(crate) fn text(&self, key: &str, report: &mut Report) -> Option<&'n str> {
        self.read_typed(key, "string", Node::as_str, report)
    }

    /// A string that is not blank.
    pub(crate) fn non_blank(&self, key: &str, report: &mut Report) -> Option<&'n str> {
        let text = self.text(key, report)?;
        let (rule, message) = match text {
            _ if text.contains('\0') => (&NUL, format!("`{key}` contains a NUL character")),
            _ if text.trim().is_empty() => (&BLANK, format!("`{key}` is blank")),
            _ => return Some(text),
        };
        report.push(
            report
                .at_value(rule, &self.at.key(key), message)
                .with_expected("a non-empty string")
                .with_received(text),
        );
        None
    }

    /// A required string that is not blank.
    pub(crate) fn required(&self, key: &str, report: &mut Report) -> Option<&'n str> {
        if !self.has(key) {
            self.report_missing(key, "string", report);
        }
        self.non_blank(key, report)
    }

    pub(crate) fn report_missing(&self, key: &str, expected: &str, report: &mut Report) {
        let problem =
            report.at_value(&MISSING_FIELD, &self.at.key(key), format!("missing field `{key}`"));
        report.push(
            problem.with_expected(expected).with_received(()).hint(format!("add `\"{key}\": …`")),
        );
    }

    pub(crate) fn flag(&self, key: &str, report: &mut Report) -> Option<bool> {
        self.read_typed(key, "boolean", Node::as_bool, report)
    }

    /// Network access: a boolean, or a list of destinations.
    pub(crate) fn network(&self, key: &str, report: &mut Report) -> Option<NetworkAccess> {
        let node = self.node(key)?;
        let at = self.at.key(key);
        match &node.value {
            Value::Bool(is_granted) => Some((*is_granted).into()),
            Value::Array(_) => read_destinations(node, &at, report),
            _ => {
                report_wrong_type(node, &at, "boolean or array of `\"host:port\"`", report);
                None
            }
        }
    }

    /// A non-negative integer.
    pub(crate) fn count(&self, key: &str, report: &mut Report) -> Option<u64> {
        self.read_typed(key, "integer from 0", to_count, report)
    }

    pub(crate) fn list(&self, key: &str, report: &mut Report) -> Option<&'n [Node<'n>]> {
        self.read_typed(
            key,
            "array",
            |node| matches!(node.value, Value::Array(_)).then(|| node.items()),
            report,
        )
    }

    /// The items of an array that `read` accepts; the others are reported.
    pub(crate) fn items<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl Fn(&'n Node<'n>) -> Option<T>,
        report: &mut Report,
    ) -> Vec<T> {
        let at = self.at.key(key);
        let mut items = Vec::new();
        for (index, node) in self.list(key, report).unwrap_or_default().iter().enumerate() {
            match read(node) {
                Some(item) => items.push(item),
                None => report_wrong_type(node, &at.index(index), expected, report),
            }
        }
        items
    }

    pub(crate) fn object(&self, key: &str, report: &mut Report) -> Option<&'n Node<'n>> {
        self.read_typed(key, "object", |node| node.is_object().then_some(node), report)
    }

    /// One of a few words, translated to its meaning.
    pub(crate) fn choice<T: Clone>(
        &self,
        key: &str,
        choices: &[(&'static str, T)],
        report: &mut Report,
    ) -> Option<T> {
        let text = self.text(key, report)?;
        if let Some((_, choice)) = choices.iter().find(|(word, _)| *word == text) {
            return Some(choice.clone());
        }
        let words: Vec<_> = choices.iter().map(|(word, _)| *word).collect();
        let list = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let hint = closest(text, words.iter().copied())
            .map_or_else(|| format!("use one of {list}"), did_you_mean);
        let problem = report.at_value(
            &BAD_CHOICE,
            &self.at.key(key),
            format!("`{text}` is not a valid value for `{key}`"),
        );
        report.push(problem.with_expected(format!("one of {list}")).with_received(text).hint(hint));
        None
    }

    fn read_typed<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'n Node<'n>) -> Option<T>,
        report: &mut Report,
    ) -> Option<T> {
        let node = self.node(key)?;
        let value = read(node);
        if value.is_none() {
            report_wrong_type(node, &self.at.key(key), expected, report);
        }
        value
    }

    /// Reports unknown fields.
    pub(crate) fn check_known(&self, known: &KnownFields, report: &mut Report) {
        for member in self.node.members() {
            let key = &*member.key;
            if known.groups.iter().any(|group| group.contains(&key)) {
                continue;
            }
            if report.is_exhausted() {
                return;
            }
            let at = self.at.key(key);
            // `subcomand` ignored would serve the bare command; `colour` ignored changes nothing.
            let problem = match closest(key, known.critical.iter().copied()) {
                _ if let Some(near) = known.find_annotation(key) => report
                    .at_key(
                        &MISREAD_FIELD,
                        &at,
                        format!("unknown field `{key}` looks like a misspelled safety annotation"),
                    )
                    .hint(did_you_mean(near)),
                _ if known.is_annotations_of_mcp(key) => report
                    .at_key(&MISREAD_FIELD, &at, format!("`{key}` would be ignored"))
                    .hint("declare `mutates`, `dangerous`, `idempotent` and `network` beside `name` instead"),
                Some(near) => report
                    .at_key(
                        &MISREAD_FIELD,
                        &at,
                        format!("unknown field `{key}` looks like a misspelled field that decides what is run"),
                    )
                    .hint(did_you_mean(near)),
                None => {
                    // `timeout` is short for `timeout_seconds`, `descr` for `description`.
                    let longer = || known.fields().find(|field| key.len() > 3 && field.starts_with(key));
                    let near = closest(key, known.fields()).or_else(longer);
                    let hint =
                        near.map_or_else(|| "remove it; it is ignored".to_owned(), did_you_mean);
                    report
                        .at_key(&UNKNOWN_FIELD, &at, format!("unknown field `{key}`"))
                        .hint(hint)
                }
            };
            report.push(problem);
        }
    }
}

/// Reports every invalid entry; a list with one is not applied at all.
fn read_destinations(
    node: &Node<'_>,
    at: &NodePath<'_>,
    report: &mut Report,
) -> Option<NetworkAccess> {
    let mut list = Some(Vec::new());
    for (index, item) in node.items().iter().enumerate() {
        let at = at.index(index);
        let destination = match item.as_str().map(str::parse::<HostPort>) {
            Some(Ok(destination)) => Some(destination),
            Some(Err(error)) => {
                report_destination(item, &at, error, report);
                None
            }
            None => {
                report_wrong_type(item, &at, "string", report);
                None
            }
        };
        list = list.zip(destination).map(|(mut list, destination)| {
            list.push(destination);
            list
        });
    }
    match NetworkAccess::from_destinations(list?) {
        Ok(access) => Some(access),
        Err(error) => {
            report_destination(node, at, error, report);
            None
        }
    }
}

fn report_destination(
    node: &Node<'_>,
    at: &NodePath<'_>,
    error: NetworkError,
    report: &mut Report,
) {
    let problem = report.at_value(&BAD_DESTINATION, at, error.message);
    report.push(problem.with_received(summarize(node)).hint(error.hint));
}

pub(crate) fn report_wrong_type(
    node: &Node<'_>,
    at: &NodePath<'_>,
    expected: &str,
    report: &mut Report,
) {
    let problem = report.at_value(
        &WRONG_TYPE,
        at,
        format!("expected {expected}, received {}", type_name(node)),
    );
    report.push(problem.with_expected(expected).with_received(summarize(node)));
}

pub(crate) fn did_you_mean(near: &str) -> String {
    format!("did you mean `{near}`?")
}

/// A non-negative integer as JSON Schema defines it: `5.0` is one too.
pub(crate) fn to_count(node: &Node<'_>) -> Option<u64> {
    let number = node.as_number()?;
    number.as_u64().or_else(|| {
        let value = number.as_f64()?;
        // Above 2^53, about 9e15, doubles skip integers.
        (value.fract() == 0.0 && (0.0..9e15).contains(&value)).then_some(value as u64)
    })
}
