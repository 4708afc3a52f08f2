//! A compiled schema whose work is bounded, whatever the schema and the value are.

use std::{borrow::Cow, cell::Cell, ptr, sync::LazyLock};

use jsonschema::{
    JsonType, PatternOptions, ValidationError, Validator,
    json::{Array, Json, Node, NodeIdentity, Object},
};
use serde_json::{Map, Number, Value, map};

use super::SchemaError;
use crate::budget::{Budget, Exhausted, spend};

/// Maximum number of errors that are collected for one value.
const MAX_COLLECTED: u32 = 1_000;

/// The bytes that all errors of one value may copy from the schema.
const MAX_COPIED_FROM_SCHEMA: usize = 8 << 20;

/// The steps that listing the errors of one value may take: some tens of milliseconds. Nested
/// alternatives multiply, so that a schema of a few lines can have millions of reasons.
const EXPLAIN_STEPS: u64 = 2_000_000;

/// The steps that compiling a schema costs.
const COMPILE_STEPS: u64 = 5_000;

/// The steps that a look at a string costs: a pattern is matched against most of them.
const STRING_STEPS: u64 = 16;

/// The same if the schema has patterns that backtrack, which take up to [`BACKTRACK_LIMIT`].
const BACKTRACKING_STEPS: u64 = 2_500;

/// The bytes of a string that cost another step.
const BYTES_PER_STEP: u64 = 64;

/// How often a pattern with lookaround or backreferences may backtrack: about a millisecond.
const BACKTRACK_LIMIT: usize = 100_000;

/// The size of a value, in bytes, up to which an error has a copy of it.
const MAX_COPIED: usize = 1_024;

/// The steps that a look at a member costs while errors are listed: an error about unknown members
/// copies all of their names.
const MEMBER_STEPS: u64 = 8;

/// A compiled schema. Every look at the value counts as a step of the thread's [`Budget`].
#[derive(Debug)]
pub struct SchemaValidator {
    validator: Validator<BoundedJson>,
    string_steps: u64,
    /// Maximum number of errors that are collected: fewer if they copy much from the schema.
    max_errors: u32,
}

/// The errors in a value.
#[derive(Debug)]
pub struct FoundErrors<'a> {
    /// The first errors, at most a thousand. The value in an error is a placeholder if the
    /// real one is large.
    pub errors: Vec<ValidationError<'a>>,
    /// Whether these are all.
    pub is_complete: bool,
}

impl SchemaValidator {
    pub(super) fn compile(object: &Map<String, Value>) -> Result<Self, SchemaError> {
        // The library cannot be interrupted, but a definition may have thousands of schemas.
        spend(COMPILE_STEPS);
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
        // Offline: a schema must not make this process open connections or files.
        let options = jsonschema::options_for::<BoundedJson>();
        let built =
            options.offline().with_pattern_options(patterns).build(&Value::Object(object.clone()));
        let validator = built.map_err(|error| SchemaError {
            message: error.to_string(),
            pointer: error.instance_path().to_string(),
        })?;
        let backtracks = object.iter().any(|(keyword, value)| may_backtrack(keyword, value));
        let string_steps = if backtracks { BACKTRACKING_STEPS } else { STRING_STEPS };
        let copied = object.iter().map(|(keyword, value)| copied_bytes(keyword, value)).max();
        let max_errors = MAX_COPIED_FROM_SCHEMA / copied.unwrap_or_default().max(1);
        let max_errors = u32::try_from(max_errors).unwrap_or(u32::MAX).clamp(1, MAX_COLLECTED);
        Ok(Self { validator, string_steps, max_errors })
    }

    /// Whether a value matches the schema.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.start();
        self.validator.is_valid(BoundedNode(value))
    }

    /// The errors in a value. Fails if it would take too long to list them.
    pub fn find_errors<'a>(&'a self, value: &'a Value) -> Result<FoundErrors<'a>, Exhausted> {
        let found = Budget::steps(EXPLAIN_STEPS).run(|| {
            self.start();
            STEPS_PER_MEMBER.set(MEMBER_STEPS);
            let errors = self.validator.iter_errors(BoundedNode(value));
            let errors: Vec<_> = errors.filter(|error| !is_surplus(error)).collect();
            FoundErrors { errors, is_complete: ERRORS_LEFT.get() > 0 }
        })?;
        // The error about alternatives comes after those about each of them, and may be one too
        // many.
        if found.errors.is_empty() && !found.is_complete { Err(Exhausted) } else { Ok(found) }
    }

    /// The first errors in a value; one without a reason if it would take too long to list them.
    pub fn iter_errors<'a>(
        &'a self,
        value: &'a Value,
    ) -> impl Iterator<Item = ValidationError<'a>> {
        let errors =
            self.find_errors(value).map(|found| found.errors).unwrap_or_else(|Exhausted| {
                vec![ValidationError::custom("the value does not match; the reasons are too many")]
            });
        errors.into_iter()
    }

    /// Sets the limits of a validation on this thread. The last one may have used up its errors.
    fn start(&self) {
        ERRORS_LEFT.set(self.max_errors);
        STEPS_PER_STRING.set(self.string_steps);
        STEPS_PER_MEMBER.set(1);
    }
}

/// Whether a keyword has, or contains, a pattern that the linear engine cannot match.
fn may_backtrack(keyword: &str, value: &Value) -> bool {
    // The regex library backtracks only for lookaround, atomic groups and backreferences.
    const MARKS: [&str; 9] = ["(?=", "(?!", "(?<", "(?>", "\\k", "\\1", "\\2", "\\3", "\\4"];
    let is_fancy = |pattern: &str| MARKS.iter().any(|mark| pattern.contains(mark));
    match value {
        Value::String(pattern) => keyword == "pattern" && is_fancy(pattern),
        Value::Array(items) => items.iter().any(|item| may_backtrack(keyword, item)),
        Value::Object(members) => members.iter().any(|(name, member)| {
            (keyword == "patternProperties" && is_fancy(name)) || may_backtrack(name, member)
        }),
        _ => false,
    }
}

/// About how many bytes an error about this keyword, or one inside of it, copies from the schema.
fn copied_bytes(keyword: &str, value: &Value) -> usize {
    match value {
        _ if matches!(keyword, "enum" | "const" | "pattern") => memory_bytes(value),
        Value::Array(items) => {
            items.iter().map(|item| copied_bytes("", item)).max().unwrap_or_default()
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| copied_bytes(name, member));
            members.max().unwrap_or_default()
        }
        _ => 0,
    }
}

/// About how much memory a value takes.
fn memory_bytes(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(memory_bytes).sum(),
            Value::Object(members) => {
                let members = members.iter();
                members.map(|(name, member)| 64 + name.len() + memory_bytes(member)).sum()
            }
            _ => 0,
        }
}

thread_local! {
    /// The cost of looking at a member in the validation on this thread.
    static STEPS_PER_MEMBER: Cell<u64> = const { Cell::new(1) };
    /// The cost of looking at a string in the validation on this thread.
    static STEPS_PER_STRING: Cell<u64> = const { Cell::new(STRING_STEPS) };
    /// How many errors the validation on this thread may still collect.
    static ERRORS_LEFT: Cell<u32> = const { Cell::new(MAX_COLLECTED) };
}

/// The value of an error that came after the last one to be collected.
static SURPLUS: Value = Value::Null;

/// The value of an error about a large value: errors inside of `anyOf` copy theirs.
static LARGE: LazyLock<Value> = LazyLock::new(|| Value::from("(a large value)"));

fn is_surplus(error: &ValidationError<'_>) -> bool {
    ptr::eq::<Value>(&**error.instance(), &SURPLUS)
}

/// Once enough errors are collected, values seem to be empty. That is the only way to make the
/// library stop and still return the errors so far.
fn is_enough() -> bool {
    ERRORS_LEFT.get() == 0
}

/// [`serde_json::Value`] for the validator, counting every access.
struct BoundedJson;

#[derive(Clone, Copy)]
struct BoundedNode<'a>(&'a Value);

struct Members<'a>(map::Iter<'a>);

struct Items<'a>(std::slice::Iter<'a, Value>);

impl Json for BoundedJson {
    type Node<'a> = BoundedNode<'a>;
    type PreparedKey = String;
    type StringBuffer = Value;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(
        buffer: &mut Value,
        string: &str,
        with: impl FnOnce(BoundedNode<'_>) -> T,
    ) -> T {
        *buffer = Value::from(string);
        with(BoundedNode(buffer))
    }
}

impl<'a> Node<'a, BoundedJson> for BoundedNode<'a> {
    type Object = ObjectNode<'a>;
    type Array = ArrayNode<'a>;
    type Number = &'a Number;

    fn as_object(&self) -> Option<ObjectNode<'a>> {
        spend(1);
        self.0.as_object().filter(|_| !is_enough()).map(ObjectNode)
    }

    fn as_array(&self) -> Option<ArrayNode<'a>> {
        spend(1);
        self.0.as_array().filter(|_| !is_enough()).map(|items| ArrayNode(items))
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let text = self.0.as_str().filter(|_| !is_enough());
        spend(text.map_or(1, |text| STEPS_PER_STRING.get() + text.len() as u64 / BYTES_PER_STEP));
        text.map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<&'a Number> {
        spend(1);
        self.0.as_number()
    }

    fn as_boolean(&self) -> Option<bool> {
        self.0.as_bool()
    }

    fn is_null(&self) -> bool {
        self.0.is_null()
    }

    fn json_type(&self) -> JsonType {
        spend(1);
        match self.0 {
            Value::Null => JsonType::Null,
            Value::Bool(_) => JsonType::Boolean,
            Value::Number(_) => JsonType::Number,
            Value::String(_) => JsonType::String,
            Value::Array(_) => JsonType::Array,
            Value::Object(_) => JsonType::Object,
        }
    }

    fn string_length(&self) -> Option<u64> {
        let text = self.0.as_str()?;
        spend(1 + text.len() as u64 / BYTES_PER_STEP);
        Some(text.chars().count() as u64)
    }

    fn equals_value(&self, expected: &Value) -> bool {
        spend(1);
        jsonschema::json::cmp::equal(self.0, expected)
    }

    /// Called for each error, and for nothing else by the keywords that are in use here.
    fn to_value(&self) -> Cow<'a, Value> {
        spend(1);
        if is_enough() {
            return Cow::Borrowed(&SURPLUS);
        }
        ERRORS_LEFT.set(ERRORS_LEFT.get() - 1);
        Cow::Borrowed(if is_smaller(self.0, &mut { MAX_COPIED }) { self.0 } else { &LARGE })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(ptr::from_ref(self.0) as usize))
    }
}

struct ObjectNode<'a>(&'a Map<String, Value>);

struct ArrayNode<'a>(&'a [Value]);

impl<'a> Object<'a, BoundedJson> for ObjectNode<'a> {
    type Node = BoundedNode<'a>;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, key: &String) -> Option<BoundedNode<'a>> {
        spend(1);
        self.0.get(key).map(BoundedNode)
    }

    fn members(&self) -> Members<'a> {
        Members(self.0.iter())
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, BoundedNode<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        spend(STEPS_PER_MEMBER.get());
        let (name, value) = self.0.next().filter(|_| !is_enough())?;
        Some((name, BoundedNode(value)))
    }
}

impl<'a> Array<'a, BoundedJson> for ArrayNode<'a> {
    type Node = BoundedNode<'a>;
    type ElementsIter = Items<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn elements(&self) -> Items<'a> {
        Items(self.0.iter())
    }

    fn is_unique(&self) -> bool {
        spend(self.0.len() as u64);
        jsonschema::json::unique::is_unique(self.0)
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = BoundedNode<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        spend(1);
        self.0.next().filter(|_| !is_enough()).map(BoundedNode)
    }
}

/// Whether the text and the number of members of a value are less than `limit`, from which they are
/// subtracted.
pub(crate) fn is_smaller(value: &Value, limit: &mut usize) -> bool {
    let own = if let Value::String(text) = value { text.len() + 1 } else { 1 };
    let Some(left) = limit.checked_sub(own) else {
        return false;
    };
    *limit = left;
    match value {
        Value::Array(items) => items.iter().all(|item| is_smaller(item, limit)),
        Value::Object(members) => members.iter().all(|(name, member)| {
            *limit = limit.saturating_sub(name.len());
            is_smaller(member, limit)
        }),
        _ => true,
    }
}
