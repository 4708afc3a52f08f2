//! What a tool returns: from a JSON Schema, a table, a list, or an example of it.

use catalog::{
    Location, Schema,
    spec_details::{OutputField, Section},
};
use serde_json::Value;

use super::{
    PageReader,
    assemble::{self, Rest},
    field::Field,
    gather::Gathered,
    inline::{code, is_name},
    kind,
    parts::Part,
    written,
};

/// The result of a tool.
#[derive(Default)]
pub(super) struct Output {
    pub(super) schema: Option<Schema>,
    pub(super) fields: Vec<OutputField>,
}

impl PageReader<'_, '_> {
    /// The result that the parts of a tool describe.
    pub(super) fn output(&mut self, parts: &[Part<'_>]) -> Output {
        let mut gathered = Gathered::default();
        let of_output = || parts.iter().filter(|part| part.section == Some(Section::Output));
        for part in of_output() {
            self.gather(part, &mut gathered);
        }
        let fields = match gathered.table.is_empty() {
            true => std::mem::take(&mut gathered.bullets),
            false => std::mem::take(&mut gathered.table),
        };
        if let Some(output) = self.written_output(&mut gathered) {
            return output;
        }
        if !fields.is_empty() {
            fields.iter().for_each(|field| self.odd(field));
            let mut told = Vec::new();
            fields.iter().for_each(|field| flatten(field, "", &mut told));
            return Output {
                schema: Some(Schema::new(assemble::object(&fields, Rest::Open))),
                fields: told,
            };
        }
        if let Some((value, span)) = gathered
            .json
            .iter()
            .find_map(|(written, span)| Some((written.root.as_ref()?.to_value(), span)))
        {
            let location = Location::Span(span.clone());
            return Output {
                schema: value.is_object().then(|| Schema::new(written::inferred(&value, 0))),
                fields: shown(&value, &location),
            };
        }
        Output { schema: None, fields: of_output().flat_map(|part| self.listed(part)).collect() }
    }

    fn written_output(&mut self, gathered: &mut Gathered<'_>) -> Option<Output> {
        let schema = gathered
            .json
            .iter()
            .find_map(|(written, _)| written::schema_of(written.root.as_ref()?, written.base));
        let schema = schema.or_else(|| gathered.schemas.pop());
        let linked =
            || gathered.links.iter().find_map(|(target, span)| self.linked_schema(target, span));
        let schema = schema.or_else(linked)?;
        let schema = self.usable(schema)?;
        let field = |(name, span): &(String, std::ops::Range<usize>)| {
            let property = schema.object.property(name);
            let get = |key: &str| property.and_then(|property| property.get(key));
            OutputField {
                name: name.clone(),
                description: get("description")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
                is_typed: ["type", "enum", "const", "anyOf", "oneOf", "$ref"]
                    .iter()
                    .any(|key| get(key).is_some()),
                example: get("examples")
                    .and_then(|examples| examples.get(0))
                    .or_else(|| get("example"))
                    .cloned(),
                location: Location::Span(span.clone()),
            }
        };
        let fields = schema.properties.iter().map(field).collect();
        Some(Output { schema: Some(schema.object), fields })
    }

    /// Names in code behind a label: `status`, `content`, `error`.
    fn listed(&self, part: &Part<'_>) -> Vec<OutputField> {
        let Some(span) = part.texts().next() else {
            return Vec::new();
        };
        let found = code(self.page.str(span));
        let is_list = found.first().is_some_and(|(name, at)| {
            at.start <= 1 && is_name(name) && kind::parse(name).is_none()
        });
        let names = found.into_iter().filter(|(name, _)| is_list && is_name(name));
        let field = |(name, at): (&str, std::ops::Range<usize>)| OutputField {
            name: name.to_owned(),
            description: String::new(),
            is_typed: false,
            example: None,
            location: Location::Span(span.start + at.start..span.start + at.end),
        };
        names.map(field).collect()
    }
}

/// A field and those inside it, each by the way there.
fn flatten(field: &Field, outer: &str, into: &mut Vec<OutputField>) {
    let name =
        if outer.is_empty() { field.name.clone() } else { format!("{outer}.{}", field.name) };
    into.push(OutputField {
        name: name.clone(),
        description: field.description.clone(),
        is_typed: field.is_typed,
        example: field.example.clone(),
        location: field.location(),
    });
    field.inner.iter().for_each(|inner| flatten(inner, &name, into));
}

/// The fields of an example of the result.
fn shown(value: &Value, location: &Location) -> Vec<OutputField> {
    let members = value.as_object().into_iter().flatten();
    let field = |(name, value): (&String, &Value)| OutputField {
        name: name.clone(),
        description: String::new(),
        is_typed: true,
        example: Some(value.clone()),
        location: location.clone(),
    };
    members.map(field).collect()
}
