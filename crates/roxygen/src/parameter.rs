//! One parameter: its formal and its documentation as a property of the schema.
//!
//! The type comes from, in this order: the type that the text begins with, the default, the bounds
//! or the first type keyword in the text (reported as a guess), and `string`.

mod wording;

use formats::type_phrase::{self, TypePhrase, ValueType};
use serde_json::{Map, Number, Value as Json};

use self::wording::{calls_optional, mentions_na, mentions_null};
use super::{
    constant::Constant,
    description::describe,
    markup,
    parameter_examples::find_examples,
    plain_text::{self, PlainText},
    reporter::Reporter,
    source::{Formal, parse_constant},
};
use crate::rules::{
    COMPUTED_DEFAULT, FOREIGN_TYPE, GUESSED_TYPE, MISSING_VALUE, UNBALANCED, UNDOCUMENTED,
    UNFIT_DEFAULT, UNFIT_EXAMPLE,
};

/// The text of a `@param`.
#[derive(Clone, Copy)]
pub(crate) struct ParamText<'a> {
    pub(crate) text: &'a str,
    /// Its byte offset, unless it is in another file.
    pub(crate) offset: Option<usize>,
}

/// Overrides of the inferred properties of a parameter: `@mcp-type x integer`, `@mcp-required x`,
/// `@mcp-optional x`.
#[derive(Default)]
pub(crate) struct Override {
    pub(crate) phrase: Option<TypePhrase>,
    pub(crate) is_required: Option<bool>,
}

/// A property of the schema of a tool's parameters.
pub(crate) struct Property {
    pub(crate) schema: Map<String, Json>,
    pub(crate) is_required: bool,
}

/// Compiles the property of a formal. `formals` are all formals of the function.
pub(crate) fn compile_property(
    formal: &Formal,
    formals: &[Formal],
    documentation: Option<ParamText<'_>>,
    stated: Override,
    reporter: &mut Reporter,
) -> Property {
    let markup = markup::parse(documentation.map_or("", |documentation| documentation.text));
    let mut compiler = PropertyCompiler {
        formal,
        stated,
        formals,
        text: &plain_text::render(&markup.pieces),
        offset: documentation.and_then(|found| found.offset).unwrap_or(formal.offset),
        reporter,
    };
    compiler.check_text(markup.is_unbalanced, formal.offset);
    compiler.compile()
}

struct PropertyCompiler<'a> {
    formal: &'a Formal,
    stated: Override,
    formals: &'a [Formal],
    text: &'a PlainText,
    /// Where problems are reported.
    offset: usize,
    reporter: &'a mut Reporter,
}

impl PropertyCompiler<'_> {
    fn check_text(&mut self, is_unbalanced: bool, formal_offset: usize) {
        let name = &self.formal.name;
        if self.text.text.is_empty() {
            self.reporter.report(
                &UNDOCUMENTED,
                formal_offset,
                format!("the parameter `{name}` is not described"),
                format!("add `@param {name}` and a text"),
            );
        }
        if is_unbalanced {
            let message =
                format!("a brace in the text of `{name}` is never closed; the rest of it is lost");
            self.reporter.report(&UNBALANCED, self.offset, message, "close it with `}`");
        }
    }

    fn compile(&mut self) -> Property {
        let text = &self.text.text;
        let phrase = self.text.leading_type();
        let stated = self.stated.phrase.take();
        let value_type = match &stated {
            Some(stated) => stated.value_type.clone(),
            None => self.resolve_type(phrase.as_ref()),
        };
        let is_nullable = |phrase: &TypePhrase| phrase.is_nullable;
        let allows_null = match &stated {
            Some(stated) => is_nullable(stated),
            None => phrase.as_ref().is_some_and(is_nullable) || mentions_null(text),
        };
        // R authors use `NULL` as "not given", also where the text does not mention it.
        let is_nullable = allows_null || self.default_value() == Some(&Constant::Null);
        let choices = self.choices(&value_type);
        let (default, comment) = self.compile_default(&value_type, choices.as_deref());
        let start = phrase.and_then(|phrase| phrase.rest).unwrap_or(0);
        let range = range_of(text, &value_type, default.as_ref());
        let mut schema = Map::new();
        let mut put = |key: &str, value: Option<Json>| {
            schema.extend(value.map(|value| (key.to_owned(), value)))
        };
        put("type", Some(type_with_null(&value_type, is_nullable)));
        put("format", value_type.schema_format().map(Json::from));
        put("description", Some(describe(self.text, start).into()));
        put("items", item_schema(&value_type, choices.as_deref(), mentions_na(text)));
        let is_choice = value_type == ValueType::Text;
        put("enum", choices.as_deref().filter(|_| is_choice).map(|all| enum_of(all, is_nullable)));
        put("minimum", range.as_ref().map(|(low, _)| low.clone().into()));
        put("maximum", range.map(|(_, high)| high.into()));
        // `@mcp-required` means that the caller must choose, so the default does not apply.
        put("default", default.filter(|_| self.stated.is_required != Some(true)));
        put("examples", self.compile_examples(&value_type, choices.as_deref()));
        put("$comment", comment);
        // `missing(x)` in the body does not count: most functions test it to fail with a better
        // message.
        let is_inferred = self.formal.default.is_none() && !allows_null && !calls_optional(text);
        let is_required = self.stated.is_required.unwrap_or(is_inferred);
        Property { schema, is_required }
    }

    fn default_value(&self) -> Option<&Constant> {
        self.formal.default.as_ref().map(|default| &default.value)
    }

    fn resolve_type(&mut self, phrase: Option<&TypePhrase>) -> ValueType {
        let default_type = self.default_value().and_then(Constant::value_type);
        if let Some(phrase) = phrase {
            if phrase.is_foreign {
                let message = format!(
                    "JSON cannot carry the values of `{}`; callers can only give a {}",
                    self.formal.name,
                    phrase.value_type.schema_type()
                );
                let hint = "give it a default and a name that begins with a dot";
                self.reporter.report(&FOREIGN_TYPE, self.offset, message, hint);
            }
            if phrase.value_type == ValueType::Text && self.takes_several(phrase.is_single) {
                return ValueType::Text.array();
            }
            // The text wins over the default: it is what callers read.
            return refine(phrase, default_type);
        }
        match (self.default_value(), default_type) {
            // Without a stated type, a character vector lists the choices of `match.arg`.
            (Some(Constant::Vector(items)), Some(ValueType::Array(element)))
                if *element == ValueType::Text && !items.iter().any(Constant::has_missing) =>
            {
                if self.takes_several(false) {
                    ValueType::Text.array()
                } else {
                    ValueType::Text
                }
            }
            (_, Some(value_type)) => value_type,
            (_, None) => self.guess_type(),
        }
    }

    /// Whether callers may pass several of the choices: `match.arg` allows it, or the name is a
    /// plural and the text does not imply a single value, as `Character string` does.
    fn takes_several(&self, is_single: bool) -> bool {
        let has_choices = self.choices(&ValueType::Text).is_some();
        has_choices && (self.formal.takes_several || !is_single && is_plural(&self.formal.name))
    }

    fn guess_type(&mut self) -> ValueType {
        let guess = type_phrase::guess(&self.text.text).unwrap_or(ValueType::Text);
        // A parameter without text is reported as undocumented already.
        if !self.text.text.is_empty() {
            let message = format!(
                "the text of `{}` does not begin with a type; it is assumed to be a {}",
                self.formal.name,
                guess.schema_type()
            );
            let hint = format!(
                "begin the text with the type: `Character string, …`, or add `@mcp-type {} TYPE`",
                self.formal.name
            );
            self.reporter.report(&GUESSED_TYPE, self.offset, message, hint);
        }
        guess
    }

    /// The distinct values of a character vector that is the default.
    fn choices(&self, value_type: &ValueType) -> Option<Vec<Json>> {
        let is_text = *value_type == ValueType::Text || *value_type == ValueType::Text.array();
        let Some(Constant::Vector(items)) = self.default_value().filter(|_| is_text) else {
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

    /// The default as JSON, or a comment with its R code if only R can compute it.
    fn compile_default(
        &mut self,
        value_type: &ValueType,
        choices: Option<&[Json]>,
    ) -> (Option<Json>, Option<Json>) {
        let Some(default) = &self.formal.default else {
            return (None, None);
        };
        let (name, code) = (&self.formal.name, &default.text);
        match (&default.value, choices) {
            // The format document: with a plural name, all choices are valid and none is preferred.
            (_, Some(_)) if is_plural(name) || self.formal.takes_several => (None, None),
            // `match.arg` takes the first choice if the argument is left out.
            (_, Some([first, ..])) if *value_type == ValueType::Text => (Some(first.clone()), None),
            (Constant::Null, _) => (Some(Json::Null), None),
            (value, _) if value.has_missing() => {
                let message = format!("the default `{code}` of `{name}` has no JSON value");
                let hint = "R still uses it; explain it in the text";
                self.reporter.report(&MISSING_VALUE, self.offset, message, hint);
                (None, None)
            }
            (Constant::Computed(_), _) => {
                let message = format!("the default of `{name}` is computed by R: `{code}`");
                let hint = "R still uses it; explain it in the text";
                self.reporter.report(&COMPUTED_DEFAULT, self.offset, message, hint);
                (None, Some(format!("R default: {code}").into()))
            }
            (value, _) => {
                (value.to_json(value_type).or_else(|| self.reject_default(value_type, code)), None)
            }
        }
    }

    fn reject_default(&mut self, value_type: &ValueType, code: &str) -> Option<Json> {
        let message = format!(
            "the default `{code}` of `{}` does not have the type {}, so it is left out",
            self.formal.name,
            value_type.schema_type()
        );
        let hint = "correct the type in the text, or the default";
        self.reporter.report(&UNFIT_DEFAULT, self.offset, message, hint);
        None
    }

    fn compile_examples(
        &mut self,
        value_type: &ValueType,
        choices: Option<&[Json]>,
    ) -> Option<Json> {
        let names: Vec<_> = self.formals.iter().map(|formal| formal.name.as_str()).collect();
        let mut examples = find_examples(self.text, value_type, &names);
        if let (ValueType::Text, Some(choices)) = (value_type, choices) {
            let (valid, invalid): (Vec<_>, Vec<_>) =
                examples.values.into_iter().partition(|value| choices.contains(value));
            examples.values = valid;
            // `one of c("a", "b")` repeats the choices, which is fine.
            let is_vector = |code: &&str| matches!(parse_constant(code), Constant::Vector(_));
            for code in invalid.iter().filter_map(Json::as_str).filter(|code| !is_vector(code)) {
                let hint = "write one of the choices, or add it to the default";
                self.reject_example(code, "is not one of its choices", hint);
            }
        }
        for code in &examples.unfit {
            let problem = format!("does not have the type {}", value_type.schema_type());
            self.reject_example(code, &problem, "write it as a literal of the parameter's type");
        }
        (!examples.values.is_empty()).then(|| examples.values.into())
    }

    fn reject_example(&mut self, code: &str, problem: &str, hint: &str) {
        let message =
            format!("the example `{code}` of `{}` {problem}, so it is left out", self.formal.name);
        self.reporter.report(&UNFIT_EXAMPLE, self.offset, message, hint);
    }
}

/// The stated type, made more precise by that of the default.
fn refine(phrase: &TypePhrase, default_type: Option<ValueType>) -> ValueType {
    let stated = &phrase.value_type;
    match default_type {
        // `Vector of things` does not say what it holds, but its default does.
        Some(of @ (ValueType::Array(_) | ValueType::Object)) if phrase.has_unknown_items => of,
        Some(of) if phrase.has_unknown_items && of.is_scalar() => of.array(),
        // R does not tell scalars from vectors, and texts often do not either:
        // `Numeric, the limits` with the default `c(0, 1)`. A character vector is different: it
        // lists choices.
        Some(ValueType::Array(element)) if is_widened(stated, &element) => stated.clone().array(),
        _ => stated.clone(),
    }
}

/// Whether a vector of `element` fits `stated` if that is taken as the type of each element.
fn is_widened(stated: &ValueType, element: &ValueType) -> bool {
    let is_number = |one: &ValueType| matches!(one, ValueType::Number | ValueType::Integer);
    is_number(stated) && is_number(element)
        || *stated == ValueType::Boolean && *element == ValueType::Boolean
}

/// Whether the name of a parameter is a plural: `modes`, but not `status`, `axis` or `class`.
/// Misjudging a name costs little, since R applies its own default either way.
fn is_plural(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase();
    // English plurals; the exceptions are singular nouns.
    name.ends_with('s') && !["ss", "us", "is"].iter().any(|end| name.ends_with(end))
}

fn type_with_null(value_type: &ValueType, is_nullable: bool) -> Json {
    let name = value_type.schema_type();
    if is_nullable { vec![name, "null"].into() } else { name.into() }
}

fn enum_of(choices: &[Json], is_nullable: bool) -> Json {
    choices.iter().cloned().chain(is_nullable.then_some(Json::Null)).collect::<Vec<_>>().into()
}

/// The schema of the items of an array, with their choices. `NA` is `null` in JSON, so items may be
/// null if the text mentions it.
fn item_schema(value_type: &ValueType, choices: Option<&[Json]>, allows_na: bool) -> Option<Json> {
    let mut items = value_type.item_schema()?;
    if let Some(choices) = choices {
        items["enum"] = choices.into();
    }
    Some(if allows_na { allow_null(items) } else { items })
}

fn allow_null(mut schema: Json) -> Json {
    match schema["type"].as_str() {
        Some("array") => schema["items"] = allow_null(schema["items"].take()),
        Some("object") | None => {}
        Some(name) => {
            schema["type"] = vec![name, "null"].into();
            if let Some(choices) = schema.get_mut("enum").and_then(Json::as_array_mut) {
                choices.push(Json::Null);
            }
        }
    }
    schema
}

/// The bounds that the text of a number gives, if the default is within them; otherwise they belong
/// to something else.
fn range_of(
    text: &str,
    value_type: &ValueType,
    default: Option<&Json>,
) -> Option<(Number, Number)> {
    if !matches!(value_type, ValueType::Number | ValueType::Integer) {
        return None;
    }
    let (low, high) = type_phrase::parse_range(text)?;
    let (from, to) = (low.as_f64()?, high.as_f64()?);
    let is_valid = from <= to
        && default.and_then(Json::as_f64).is_none_or(|value| (from..=to).contains(&value));
    is_valid.then_some((low, high))
}
