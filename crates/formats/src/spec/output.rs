//! The result of a tool: from a JSON Schema, a table, a list, an example, or names in a sentence.

use std::ops::Range;

use catalog::{
    Location, Schema,
    spec_details::{OutputField, Section},
};
use serde_json::Value;

use super::{
    SpecReader,
    field::Field,
    field_sources::FieldSources,
    inline::{find_code_spans, is_name},
    json_block::{self, LocatedSchema},
    markdown::BlockKind,
    object_schema::{self, Unlisted},
    segment::Segment,
    type_expression, yaml_block,
};

/// The result of a tool.
#[derive(Default)]
pub(super) struct Output {
    pub(super) schema: Option<Schema>,
    pub(super) fields: Vec<OutputField>,
}

impl SpecReader<'_, '_> {
    /// Reads the result from the most precise source that the output section has.
    pub(super) fn read_output(&mut self, segments: &[Segment<'_>]) -> Output {
        let mut sources = FieldSources::default();
        let is_output = |segment: &&Segment<'_>| segment.section == Some(Section::Output);
        for segment in segments.iter().filter(is_output) {
            self.collect_sources(segment, &mut sources);
        }
        // A schema comes first. Unlike for parameters, a table next to it is not compared: results
        // are open, so a difference is no contradiction.
        if let Some(output) = self.read_output_schema(&mut sources) {
            return output;
        }
        let fields = if sources.table.is_empty() { &sources.bullets } else { &sources.table };
        if !fields.is_empty() {
            fields.iter().for_each(|field| self.report_field_problems(field));
            return Output::from_fields(fields);
        }
        // Without a declaration, a JSON block in the section is an example of the result.
        if let Some(output) = Output::from_example(&sources) {
            return output;
        }
        if !segments.iter().any(|segment| is_output(&segment))
            && let Some(output) = self.read_defined_output(segments)
        {
            return output;
        }
        let listed = segments.iter().filter(is_output);
        let fields = listed.flat_map(|segment| self.read_listed_names(segment)).collect();
        Output { schema: None, fields }
    }

    fn read_output_schema(&mut self, sources: &mut FieldSources<'_>) -> Option<Output> {
        let schema = sources
            .json
            .iter()
            .find_map(|(block, _)| json_block::find_object_schema(block.root.as_ref()?, block.base))
            .or_else(|| sources.schemas.pop())
            .or_else(|| {
                let mut links = sources.links.iter();
                links.find_map(|(target, span)| self.read_linked_schema(target, span))
            })?;
        self.use_output_schema(schema)
    }

    /// The result in a YAML fence that defines the whole tool.
    fn read_defined_output(&mut self, segments: &[Segment<'_>]) -> Option<Output> {
        let lead = segments.iter().filter(|segment| segment.section.is_none());
        let schema = lead.flat_map(Segment::blocks).find_map(|block| match &block.kind {
            BlockKind::Fence { language, content }
                if matches!(language.as_str(), "yaml" | "yml") =>
            {
                yaml_block::read_returns(self.document.text, content)
            }
            _ => None,
        })?;
        self.use_output_schema(schema)
    }

    fn use_output_schema(&mut self, schema: LocatedSchema) -> Option<Output> {
        let schema = self.accept_schema(schema)?;
        let to_field = |(name, span): &(String, Range<usize>)| {
            to_output_field(name, schema.schema.property(name), span)
        };
        let fields = schema.properties.iter().map(to_field).collect();
        Some(Output { schema: Some(schema.schema), fields })
    }

    /// The names in code that a section begins with: "**Returns**: `status`, `content` and
    /// `error`".
    fn read_listed_names(&self, segment: &Segment<'_>) -> Vec<OutputField> {
        let Some(span) = segment.texts().next() else {
            return Vec::new();
        };
        let found = find_code_spans(self.document.slice(span));
        // Code in the middle of a sentence, or a type such as "`dict` with ...", starts no list.
        let is_list = found.first().is_some_and(|first| {
            first.range.start <= 1
                && is_name(first.text)
                && type_expression::parse(first.text).is_none()
        });
        if !is_list {
            return Vec::new();
        }
        let names = found.into_iter().filter(|code| is_name(code.text));
        names
            .map(|code| OutputField {
                name: code.text.to_owned(),
                description: String::new(),
                is_typed: false,
                example: None,
                location: Location::Span(
                    span.start + code.range.start..span.start + code.range.end,
                ),
            })
            .collect()
    }
}

impl Output {
    fn from_fields(fields: &[Field]) -> Self {
        let mut flat = Vec::new();
        fields.iter().for_each(|field| flatten(field, "", &mut flat));
        // A result may have more fields than a document lists.
        let schema = Schema::new(object_schema::build(fields, Unlisted::Allowed));
        Self { schema: Some(schema), fields: flat }
    }

    /// The result that the first valid JSON of the section is an example of.
    fn from_example(sources: &FieldSources<'_>) -> Option<Self> {
        let (value, span) = sources
            .json
            .iter()
            .find_map(|(block, span)| Some((block.root.as_ref()?.to_value(), span)))?;
        let members = value.as_object().into_iter().flatten();
        let to_field = |(name, value): (&String, &Value)| OutputField {
            name: name.clone(),
            description: String::new(),
            is_typed: true,
            example: Some(value.clone()),
            location: Location::Span(span.clone()),
        };
        Some(Self {
            fields: members.map(to_field).collect(),
            schema: value.is_object().then(|| Schema::new(json_block::infer_schema(&value))),
        })
    }
}

fn to_output_field(name: &str, property: Option<&Value>, span: &Range<usize>) -> OutputField {
    let get = |key: &str| property.and_then(|property| property.get(key));
    let first_example = get("examples").and_then(|examples| examples.get(0));
    OutputField {
        name: name.to_owned(),
        description: get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
        is_typed: ["type", "enum", "const", "anyOf", "oneOf", "$ref"]
            .iter()
            .any(|key| get(key).is_some()),
        example: first_example.or_else(|| get("example")).cloned(),
        location: Location::Span(span.clone()),
    }
}

/// Appends a field and the fields nested in it, named by their paths.
fn flatten(field: &Field, parent: &str, into: &mut Vec<OutputField>) {
    let name =
        if parent.is_empty() { field.name.clone() } else { format!("{parent}.{}", field.name) };
    into.push(OutputField {
        name: name.clone(),
        description: field.description.clone(),
        is_typed: field.is_typed,
        example: field.example.clone(),
        location: Location::Span(field.span.clone()),
    });
    field.nested.iter().for_each(|nested| flatten(nested, &name, into));
}
