//! One parameter: its formal and its documentation as a property of the schema.

use formats::type_phrase::{self, TypePhrase, ValueType};
use serde_json::{Map, Number, Value as Json};

use super::{
    constant::Constant,
    description::describe,
    markup,
    plain::{self, Plain},
    plural::is_plural,
    remarks::Remarks,
    source::{self, Default, Formal},
    values,
};
use crate::rules::{
    COMPUTED_DEFAULT, FOREIGN_TYPE, GUESSED_TYPE, MISSING_VALUE, UNBALANCED, UNDOCUMENTED,
    UNFIT_DEFAULT, UNFIT_EXAMPLE,
};

/// The documentation of a parameter.
#[derive(Clone, Copy)]
pub(crate) struct Documentation<'a> {
    pub(crate) text: &'a str,
    /// Where it stands, unless in another file.
    pub(crate) at: Option<usize>,
}

/// A property of the schema.
pub(crate) struct Property {
    pub(crate) schema: Map<String, Json>,
    pub(crate) is_required: bool,
}

/// Puts a property together.
pub(crate) fn property(
    formal: &Formal,
    all: &[Formal],
    documentation: Option<Documentation<'_>>,
    remarks: &mut Remarks,
) -> Property {
    let text = documentation.map_or("", |documentation| documentation.text);
    let at = documentation.and_then(|documentation| documentation.at).unwrap_or(formal.at);
    let markup = markup::parse(text);
    let plain = plain::of_pieces(&markup.pieces);
    let Formal { name, default, is_omissible, .. } = formal;
    let mut maker = Maker {
        name,
        default: default.as_ref(),
        is_omissible: *is_omissible,
        all,
        plain: &plain,
        at,
        remarks,
    };
    maker.check(markup.is_unbalanced, formal.at);
    maker.property()
}

struct Maker<'a> {
    name: &'a str,
    default: Option<&'a Default>,
    is_omissible: bool,
    /// All formals of the function.
    all: &'a [Formal],
    plain: &'a Plain,
    at: usize,
    remarks: &'a mut Remarks,
}

impl Maker<'_> {
    fn check(&mut self, is_unbalanced: bool, at: usize) {
        let name = self.name;
        if self.plain.text.is_empty() {
            self.remarks.say(
                &UNDOCUMENTED,
                at,
                format!("the parameter `{name}` is not described"),
                format!("add `@param {name}` and a text"),
            );
        }
        if is_unbalanced {
            let message =
                format!("a brace in the text of `{name}` is never closed; what follows it is lost");
            self.remarks.say(&UNBALANCED, self.at, message, "close it with `}`");
        }
    }

    fn property(&mut self) -> Property {
        let phrase = self.plain.leading_type();
        let kind = self.kind(phrase.as_ref());
        let constant = self.default.map(|default| &default.value);
        let is_null = constant == Some(&Constant::Null);
        let says_null =
            phrase.as_ref().is_some_and(|phrase| phrase.is_nullable) || says_null(&self.plain.text);
        let is_nullable = is_null || says_null;
        let choices = self.choices(&kind);
        let (default, comment) = self.default(&kind, phrase.as_ref(), choices.as_deref());
        let mut schema = Map::new();
        let mut put = |key: &str, value: Option<Json>| {
            schema.extend(value.map(|value| (key.to_owned(), value)))
        };
        put(
            "type",
            Some(if is_nullable {
                vec![kind.schema_type(), "null"].into()
            } else {
                kind.schema_type().into()
            }),
        );
        put("format", kind.schema_format().map(Json::from));
        put(
            "description",
            Some(describe(self.plain, phrase.as_ref().and_then(|phrase| phrase.rest)).into()),
        );
        let is_array = matches!(kind, ValueType::Array(_));
        let items = kind
            .item_schema()
            .map(|items| with_choices(items, choices.as_deref().filter(|_| is_array)));
        put(
            "items",
            items.map(
                |items| {
                    if mentions_missing(&self.plain.text) { or_missing(items) } else { items }
                },
            ),
        );
        let listed =
            choices.as_deref().filter(|_| !is_array).map(|choices| listed(choices, is_nullable));
        put("enum", listed);
        let range = range(&self.plain.text, &kind, default.as_ref());
        put("minimum", range.as_ref().map(|(low, _)| low.clone().into()));
        put("maximum", range.map(|(_, high)| high.into()));
        put("default", default);
        put("examples", self.examples(&kind, choices.as_deref()));
        put("$comment", comment);
        let is_required = self.default.is_none()
            && !self.is_omissible
            && !says_null
            && !says_optional(&self.plain.text);
        Property { schema, is_required }
    }

    fn kind(&mut self, phrase: Option<&TypePhrase>) -> ValueType {
        let own = self.default.and_then(|default| self.of_default(default));
        if let Some(phrase) = phrase {
            if phrase.is_foreign {
                let message = format!(
                    "`{}` takes what JSON cannot carry; callers can give it as {} at most",
                    self.name,
                    phrase.kind.schema_type()
                );
                self.remarks.say(
                    &FOREIGN_TYPE,
                    self.at,
                    message,
                    "give it a default and a name that begins with a dot",
                );
            }
            return self.of_phrase(phrase, own);
        }
        match (self.default.map(|default| &default.value), own) {
            (Some(Constant::Empty(of)), _) if !is_plural(self.name) => of.clone(),
            // Choices, most likely.
            (Some(Constant::Vector(items)), Some(ValueType::Array(of)))
                if *of == ValueType::Text && !items.iter().any(Constant::has_missing) =>
            {
                ValueType::Text
            }
            (_, Some(kind)) => kind,
            (_, None) => {
                let kind = type_phrase::guessed(&self.plain.text).unwrap_or(ValueType::Text);
                if !self.plain.text.is_empty() {
                    let message = format!(
                        "nothing at the beginning says what `{}` is; it is taken as {}",
                        self.name,
                        kind.schema_type()
                    );
                    self.remarks.say(
                        &GUESSED_TYPE,
                        self.at,
                        message,
                        "begin the text with the type: `Character string, …`",
                    );
                }
                kind
            }
        }
    }

    /// The type of a default. One that is another formal is of the type of that one's.
    fn of_default(&self, default: &Default) -> Option<ValueType> {
        let named = || self.all.iter().find(|formal| formal.name == default.text)?.default.as_ref();
        default.value.value_type().or_else(|| named().and_then(|other| other.value.value_type()))
    }

    /// The type that the text says, as far as the default does not say more.
    fn of_phrase(&self, phrase: &TypePhrase, own: Option<ValueType>) -> ValueType {
        match &own {
            // Choices: one of them is given.
            Some(ValueType::Array(of))
                if **of == ValueType::Text
                    && phrase.others.contains(&ValueType::Text)
                    && !self.is_empty_default() =>
            {
                ValueType::Text
            }
            Some(of @ ValueType::Array(_)) if phrase.is_vague => of.clone(),
            Some(ValueType::Object) if phrase.is_vague => ValueType::Object,
            Some(of) if phrase.is_vague && of.is_scalar() => of.clone().array(),
            Some(ValueType::Array(of)) if self.is_empty_default() && **of == phrase.kind => {
                phrase.kind.clone().array()
            }
            // A vector is a default of one value only where it lists choices.
            Some(ValueType::Array(of)) if !phrase.is_plural && is_wider(&phrase.kind, of) => {
                phrase.kind.clone().array()
            }
            _ => phrase.kind.clone(),
        }
    }

    /// Whether the default is `character(0)` or the like.
    fn is_empty_default(&self) -> bool {
        matches!(self.default.map(|default| &default.value), Some(Constant::Empty(_)))
    }

    /// The values of a character vector that is the default.
    fn choices(&self, kind: &ValueType) -> Option<Vec<Json>> {
        let is_text = *kind == ValueType::Text || *kind == ValueType::Text.array();
        let Some(Constant::Vector(items)) =
            self.default.map(|default| &default.value).filter(|_| is_text)
        else {
            return None;
        };
        let mut choices: Vec<Json> = Vec::new();
        for item in items {
            let Constant::Text(text) = item else {
                return None;
            };
            if !choices.iter().any(|known| known == text) {
                choices.push(text.as_str().into());
            }
        }
        (choices.len() > 1).then_some(choices)
    }

    /// The default, and a remark about one that is computed.
    fn default(
        &mut self,
        kind: &ValueType,
        phrase: Option<&TypePhrase>,
        choices: Option<&[Json]>,
    ) -> (Option<Json>, Option<Json>) {
        let Some(default) = self.default else {
            return (None, None);
        };
        let name = self.name;
        match (&default.value, choices) {
            (_, Some(_)) if is_plural(name) => (None, None),
            (_, Some([first, ..])) if *kind == ValueType::Text => (Some(first.clone()), None),
            (Constant::Null, _) => (Some(Json::Null), None),
            (value, _) if value.has_missing() => {
                let message = format!(
                    "the default `{}` of `{name}` has no JSON value and is left out",
                    default.text
                );
                self.remarks.say(
                    &MISSING_VALUE,
                    self.at,
                    message,
                    "R uses it all the same; say in the text what it means",
                );
                (None, None)
            }
            (Constant::Computed(_), _) => {
                let message =
                    format!("the default of `{name}` is computed by R: `{}`", default.text);
                self.remarks.say(
                    &COMPUTED_DEFAULT,
                    self.at,
                    message,
                    "R uses it all the same; say in the text what it comes to",
                );
                (None, Some(format!("R default: {}", default.text).into()))
            }
            (value, _) => match value.to_json(kind) {
                Some(value) => (Some(value), None),
                None => {
                    let source = if phrase.is_some() { ", as the text says" } else { "" };
                    let message = format!(
                        "the default `{}` of `{name}` is no {}{source}; it is left out",
                        default.text,
                        kind.schema_type()
                    );
                    self.remarks.say(
                        &UNFIT_DEFAULT,
                        self.at,
                        message,
                        "correct the type in the text, or the default",
                    );
                    (None, None)
                }
            },
        }
    }

    fn examples(&mut self, kind: &ValueType, choices: Option<&[Json]>) -> Option<Json> {
        let names: Vec<_> = self.all.iter().map(|formal| formal.name.as_str()).collect();
        let (mut found, unfit) = values::examples(self.plain, kind, self.name, &names);
        if let (ValueType::Text, Some(choices)) = (kind, choices) {
            let (good, bad): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|value| choices.contains(value));
            // Code that lists the choices says nothing new.
            let others = bad
                .iter()
                .filter_map(Json::as_str)
                .filter(|code| !matches!(source::constant(code), Constant::Vector(_)));
            for code in others {
                let message = format!(
                    "the example `{code}` of `{}` is none of its choices and is left out",
                    self.name
                );
                self.remarks.say(
                    &UNFIT_EXAMPLE,
                    self.at,
                    message,
                    "write one of the choices, or add it to the default",
                );
            }
            found = good;
        }
        for code in unfit {
            let message = format!(
                "the example `{code}` of `{}` is no {} and is left out",
                self.name,
                kind.schema_type()
            );
            self.remarks.say(
                &UNFIT_EXAMPLE,
                self.at,
                message,
                "write it as a literal of the parameter's type",
            );
        }
        (!found.is_empty()).then(|| found.into())
    }
}

/// Whether a default of these values can be one of this type: the type is that of one of them.
fn is_wider(kind: &ValueType, of: &ValueType) -> bool {
    let is_number = |kind: &ValueType| matches!(kind, ValueType::Number | ValueType::Integer);
    is_number(kind) && is_number(of) || *kind == ValueType::Boolean && *of == ValueType::Boolean
}

fn with_choices(mut items: Json, choices: Option<&[Json]>) -> Json {
    if let Some(choices) = choices {
        items["enum"] = choices.into();
    }
    items
}

/// Items that may be `NA`, which is `null`.
fn or_missing(mut items: Json) -> Json {
    if let Some(kind) = items["type"].as_str().filter(|kind| !["object", "array"].contains(kind)) {
        items["type"] = vec![kind, "null"].into();
        if let Some(choices) = items.get_mut("enum").and_then(Json::as_array_mut) {
            choices.push(Json::Null);
        }
    } else if items["type"] == "array" {
        items["items"] = or_missing(items["items"].take());
    }
    items
}

fn listed(choices: &[Json], is_nullable: bool) -> Json {
    choices.iter().cloned().chain(is_nullable.then_some(Json::Null)).collect::<Vec<_>>().into()
}

/// Whether the text names `NULL` as another value: `or NULL`, `If NULL, …`, `NULL means …`.
fn says_null(text: &str) -> bool {
    const BEHIND: [&str; 6] = ["for", "means", "to", "if", "when", "uses"];
    let words = words(text);
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
    (0..words.len()).filter(|at| words[*at] == "null").any(|at| {
        let before = |back: usize| word(at.checked_sub(back));
        let is_refused =
            (1..4).any(|back| ["not", "never", "cannot", "non"].contains(&before(back)));
        ["or", "if", "when"].contains(&before(1))
            || BEHIND.contains(&word(Some(at + 1))) && !is_refused
    })
}

/// Whether the text speaks of `NA`.
fn mentions_missing(text: &str) -> bool {
    let is_na =
        |word: &str| ["NA", "NAs", "NA_real_", "NA_integer_", "NA_character_"].contains(&word);
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_na)
        || text.to_lowercase().contains("missing value")
}

/// Whether the text says that the parameter may be left out.
fn says_optional(text: &str) -> bool {
    const DEFAULT: [&str; 10] = [
        "defaults to",
        "default to",
        "default is",
        "default:",
        "default =",
        "(default",
        ", by default",
        "; by default",
        "(by default",
        "default value is",
    ];
    const GIVEN: [&str; 4] = ["given", "specified", "supplied", "provided"];
    let lower = text.to_lowercase();
    let has_default = DEFAULT.iter().any(|said| lower.contains(said))
        || lower
            .split(". ")
            .any(|sentence| sentence.starts_with("default ") || sentence.starts_with("by default"));
    let words = words(text);
    has_default
        || words.iter().enumerate().any(|(at, word)| {
            let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
            let behind = words.get(at + 1).map_or("", String::as_str);
            match word.as_str() {
                "optional" | "optionally" => !["not", "non", "never"].contains(&before),
                "if" => match behind {
                    "not" => words.get(at + 2).is_some_and(|given| GIVEN.contains(&given.as_str())),
                    behind => ["null", "missing", "omitted", "unspecified"].contains(&behind),
                },
                _ => false,
            }
        })
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The bounds of `between 0 and 1`, for a number whose default lies between them.
fn range(text: &str, kind: &ValueType, default: Option<&Json>) -> Option<(Number, Number)> {
    if !matches!(kind, ValueType::Number | ValueType::Integer) {
        return None;
    }
    let (low, high) = type_phrase::range(text)?;
    let is_inside = |value: f64| {
        low.as_f64().is_some_and(|low| low <= value)
            && high.as_f64().is_some_and(|high| value <= high)
    };
    let is_good = is_inside(low.as_f64()?) && default.and_then(Json::as_f64).is_none_or(is_inside);
    is_good.then_some((low, high))
}
