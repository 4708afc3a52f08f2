//! Objects of a definition: their fields, by name and type.

use catalog::closest;

use crate::{
    json::{Node, Value},
    report::{At, Report, shown, type_name},
    rules::{
        definition::{BAD_CHOICE, BLANK, MISREAD_FIELD, MISSING_FIELD, UNKNOWN_FIELD, WRONG_TYPE},
        syntax::NUL,
    },
};

/// An object of a definition and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Object<'n, 'p> {
    pub(crate) node: &'n Node<'n>,
    pub(crate) at: &'p At<'p>,
}

/// The names that an object's fields may have.
pub(crate) struct Known {
    /// All of them, in groups that several kinds of objects share.
    pub(crate) groups: &'static [&'static [&'static str]],
    /// Those that change what is run, so that a misspelling of one must not be passed over.
    pub(crate) weighty: &'static [&'static str],
}

impl Known {
    fn fields(&self) -> impl Iterator<Item = &'static str> {
        self.groups.iter().copied().flatten().copied()
    }
}

impl<'n, 'p> Object<'n, 'p> {
    /// `node` as an object; anything else is reported.
    pub(crate) fn new(node: &'n Node<'n>, at: &'p At<'p>, report: &mut Report) -> Option<Self> {
        if node.is_object() {
            return Some(Self { node, at });
        }
        wrong_type(node, at, "object", report);
        None
    }

    pub(crate) fn node(&self, key: &str) -> Option<&'n Node<'n>> {
        self.node.get(key)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.node.member(key).is_some()
    }

    /// A text.
    pub(crate) fn text(&self, key: &str, report: &mut Report) -> Option<&'n str> {
        self.typed(key, "string", Node::as_str, report)
    }

    /// A text that is not blank.
    pub(crate) fn filled(&self, key: &str, report: &mut Report) -> Option<&'n str> {
        let text = self.text(key, report)?;
        let (rule, message) = match text {
            _ if text.contains('\0') => (&NUL, format!("`{key}` has a NUL character")),
            _ if text.trim().is_empty() => (&BLANK, format!("`{key}` is blank")),
            _ => return Some(text),
        };
        report.push(
            report.value(rule, &self.at.key(key), message).expected("some text").received(text),
        );
        None
    }

    /// A text that must be there and not be blank.
    pub(crate) fn required(&self, key: &str, report: &mut Report) -> Option<&'n str> {
        if !self.has(key) {
            self.missing(key, "string", report);
        }
        self.filled(key, report)
    }

    pub(crate) fn missing(&self, key: &str, expected: &str, report: &mut Report) {
        let problem = report.value(
            &MISSING_FIELD,
            &self.at.key(key),
            format!("the field `{key}` is missing"),
        );
        report.push(problem.expected(expected).received(()).hint(format!("add `\"{key}\": …`")));
    }

    pub(crate) fn flag(&self, key: &str, report: &mut Report) -> Option<bool> {
        self.typed(key, "boolean", Node::as_bool, report)
    }

    /// A whole number from 0.
    pub(crate) fn count(&self, key: &str, report: &mut Report) -> Option<u64> {
        self.typed(key, "integer from 0", whole, report)
    }

    pub(crate) fn list(&self, key: &str, report: &mut Report) -> Option<&'n [Node<'n>]> {
        self.typed(
            key,
            "array",
            |node| matches!(node.value, Value::Array(_)).then(|| node.items()),
            report,
        )
    }

    pub(crate) fn object(&self, key: &str, report: &mut Report) -> Option<&'n Node<'n>> {
        self.typed(key, "object", |node| node.is_object().then_some(node), report)
    }

    /// One of a few words, each with what it stands for.
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
        let problem = report.value(
            &BAD_CHOICE,
            &self.at.key(key),
            format!("`{text}` is no value of `{key}`"),
        );
        report.push(problem.expected(format!("one of {list}")).received(text).hint(hint));
        None
    }

    fn typed<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'n Node<'n>) -> Option<T>,
        report: &mut Report,
    ) -> Option<T> {
        let node = self.node(key)?;
        let value = read(node);
        if value.is_none() {
            wrong_type(node, &self.at.key(key), expected, report);
        }
        value
    }

    /// Reports fields that nobody knows.
    pub(crate) fn check_known(&self, known: &Known, report: &mut Report) {
        for member in self.node.members() {
            let key = &*member.key;
            if known.groups.iter().any(|group| group.contains(&key)) {
                continue;
            }
            if report.is_exhausted() {
                return;
            }
            let at = self.at.key(key);
            let problem = match closest(key, known.weighty.iter().copied()) {
                Some(near) => report
                    .key(
                        &MISREAD_FIELD,
                        &at,
                        format!("`{key}` is not a field, and what it means would be lost"),
                    )
                    .hint(did_you_mean(near)),
                None => {
                    let near = closest(key, known.fields());
                    let hint =
                        near.map_or_else(|| "remove it; it is not read".to_owned(), did_you_mean);
                    report
                        .key(&UNKNOWN_FIELD, &at, format!("the field `{key}` is unknown"))
                        .hint(hint)
                }
            };
            report.push(problem);
        }
    }
}

pub(crate) fn wrong_type(node: &Node<'_>, at: &At<'_>, expected: &str, report: &mut Report) {
    let problem =
        report.value(&WRONG_TYPE, at, format!("expected {expected}, received {}", type_name(node)));
    report.push(problem.expected(expected).received(shown(node)));
}

pub(crate) fn did_you_mean(near: &str) -> String {
    format!("did you mean `{near}`?")
}

/// The number as JSON Schema has it: `5.0` is whole too.
pub(crate) fn whole(node: &Node<'_>) -> Option<u64> {
    let number = node.as_number()?;
    number.as_u64().or_else(|| {
        let value = number.as_f64()?;
        (value.fract() == 0.0 && (0.0..9e15).contains(&value)).then_some(value as u64)
    })
}
