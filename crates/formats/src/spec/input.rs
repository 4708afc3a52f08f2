//! The parameters of a tool: from a JSON Schema, a table, a list, a signature, or a statement that
//! there are none.

use std::ops::Range;

use catalog::{Location, Parameter, spec_details::Section};
use serde_json::{Map, Value, json};

use super::{
    SpecReader,
    field::Field,
    field_sources::{FieldSources, states_none},
    json_block::{self, LocatedSchema},
    markdown::BlockKind,
    object_schema::{self, Unlisted},
    rules::UNREADABLE_PARAMETERS,
    segment::{Opening, Segment},
    signature,
};

/// The parameters of a tool.
pub(super) struct Input {
    pub(super) schema: catalog::Schema,
    pub(super) parameters: Vec<Parameter>,
    /// The parameters declared to accept any value.
    pub(super) anything: Vec<String>,
}

impl<'t> SpecReader<'_, 't> {
    pub(super) fn read_input(
        &mut self,
        segments: &[Segment<'_>],
        heading: &Range<usize>,
        name: &str,
    ) -> Input {
        let mut sources = FieldSources::default();
        let is_input = |segment: &&Segment<'_>| segment.section == Some(Section::Input);
        for segment in segments.iter().filter(is_input) {
            self.collect_sources(segment, &mut sources);
        }
        // Tables elsewhere are used only without an input section: they may be about something
        // else.
        if sources.is_empty() {
            self.collect_unlabelled_sources(segments, &mut sources);
        }
        self.report_unread_fields(&sources);
        let has_section = segments.iter().any(|segment| is_input(&segment));
        let schema = self.find_schema(&mut sources, has_section);
        let mut fields = self.check_fields(sources.best_fields());
        if let Some(schema) = schema {
            // If there is a schema too, the table is compared with it, and supplies examples and
            // descriptions that the schema lacks.
            self.compare_with_schema(&fields, &schema);
            return Input::from_schema(add_from_table(schema, &fields));
        }
        // An empty table and the word "None" declare that there are no parameters.
        let mut is_declared = !fields.is_empty() || sources.has_table || sources.states_none;
        // A signature is the last resort: it has no descriptions, and documents that have anything
        // better often show one as an illustration.
        if !is_declared && let Some(signature) = self.find_signature(segments, heading, name) {
            is_declared = true;
            fields = self.check_fields(signature);
        }
        if is_declared {
            return Input::from_fields(&fields);
        }
        let message = "no parameters are declared in a form that can be read";
        let found = self.report.at_span(&UNREADABLE_PARAMETERS, heading.clone(), message);
        self.report.push(
            found.hint("add a table `| Parameter Name | Type | Required | Description | Example Value |`, or write `None`"),
        );
        Input::accept_anything()
    }

    /// Collects tables, schemas and statements outside of any input section: many tools have their
    /// table of parameters right below the heading.
    fn collect_unlabelled_sources(
        &mut self,
        segments: &[Segment<'_>],
        into: &mut FieldSources<'t>,
    ) {
        for segment in segments {
            let is_lead = segment.opening == Opening::ToolHeading;
            if !is_lead && (segment.section.is_some() || segment.opening != Opening::Label) {
                continue;
            }
            let mut own = FieldSources::default();
            self.collect_sources(segment, &mut own);
            // Bullets and inline code are not taken: without a title they may list anything. For
            // the same reason "None" counts only in the text about the tool, and JSON only as a
            // schema.
            into.table.extend(own.table);
            into.has_table |= own.has_table;
            into.states_none |=
                is_lead && segment.texts().any(|span| states_none(self.document.slice(span)));
            if own.has_definition {
                into.schemas.extend(own.schemas);
                into.signatures.extend(own.signatures);
            }
            into.json.extend(own.json.into_iter().filter(|(block, _)| {
                let root = block.root.as_ref();
                root.is_some_and(|root| json_block::find_input_schema(root, block.base).is_some())
            }));
        }
    }

    /// The parameters of a signature in code: a definition in a fence, else a call in the heading
    /// or in a segment titled "Signature".
    fn find_signature(
        &self,
        segments: &[Segment<'_>],
        heading: &Range<usize>,
        name: &str,
    ) -> Option<Vec<Field>> {
        // Definitions elsewhere, such as in the examples, may be of something else.
        let candidates = || {
            segments.iter().filter(|segment| {
                matches!(segment.section, None | Some(Section::Input | Section::InvocationName))
            })
        };
        let definition =
            candidates().flat_map(Segment::blocks).find_map(|block| match &block.kind {
                BlockKind::Fence { language, content }
                    if matches!(language.as_str(), "python" | "py" | "") =>
                {
                    signature::parse_definition(self.document.slice(content), name, content.start)
                }
                _ => None,
            });
        let is_signature = |segment: &&Segment<'_>| segment.title.ends_with("signature");
        let labelled = candidates().filter(is_signature).flat_map(Segment::texts);
        let mut calls = std::iter::once(heading).chain(labelled);
        definition.or_else(|| {
            calls
                .find_map(|span| signature::parse_call(self.document.slice(span), name, span.start))
        })
    }

    /// Reports tables and list items that are among parameters but cannot be read.
    fn report_unread_fields(&mut self, sources: &FieldSources<'_>) {
        let table =
            "this table is not read: the text before it does not say what its fields belong to";
        for span in &sources.unrelated_tables {
            let found =
                self.report.at_span(&UNREADABLE_PARAMETERS, self.document.trim(span), table);
            self.report.push(
                found.hint("name the parameter in the line before it: \"Fields of `options`:\""),
            );
        }
        // Next to a table or a schema, a list may be about anything.
        let has_better_source =
            !sources.json.is_empty() || !sources.schemas.is_empty() || !sources.table.is_empty();
        if has_better_source {
            return;
        }
        let item = "no parameter can be read from this item, unlike from others in the list";
        for span in &sources.unread_items {
            let found = self.report.at_span(&UNREADABLE_PARAMETERS, self.document.trim(span), item);
            self.report
                .push(found.hint("write it as ``- `name` (string, required): description``"));
        }
    }
}

/// Adds the example values and descriptions of a table to a schema, where the schema has none.
fn add_from_table(located: LocatedSchema, fields: &[Field]) -> LocatedSchema {
    if fields.is_empty() {
        return located;
    }
    let mut object = (**located.schema.object()).clone();
    let properties = object.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let field = fields.iter().find(|field| field.name == *name);
        let Some((field, property)) = field.zip(property.as_object_mut()) else { continue };
        let declared = object_schema::build(std::slice::from_ref(field), Unlisted::Rejected);
        let declared = declared.get("properties").and_then(|all| all.get(name));
        let from_table = |key: &str| declared.and_then(|declared| declared.get(key)).cloned();
        let has_example = ["example", "examples", "default", "const", "enum"]
            .iter()
            .any(|key| property.contains_key(*key));
        if let Some(examples) = from_table("examples").filter(|_| !has_example) {
            property.insert("examples".to_owned(), examples);
        }
        if let Some(text) =
            from_table("description").filter(|_| !property.contains_key("description"))
        {
            property.insert("description".to_owned(), text);
        }
    }
    LocatedSchema { schema: catalog::Schema::new(object), ..located }
}

impl Input {
    fn from_schema(schema: LocatedSchema) -> Self {
        let parameters =
            schema.properties.iter().map(|(name, span)| to_parameter(name, span)).collect();
        Self { schema: schema.schema, parameters, anything: Vec::new() }
    }

    fn from_fields(fields: &[Field]) -> Self {
        let accepts_anything =
            |field: &&Field| field.is_typed && field.schema.get("type").is_none();
        Self {
            schema: catalog::Schema::new(object_schema::build(fields, Unlisted::Rejected)),
            parameters: fields.iter().map(|field| to_parameter(&field.name, &field.span)).collect(),
            anything: fields
                .iter()
                .filter(accepts_anything)
                .map(|field| field.name.clone())
                .collect(),
        }
    }

    /// Accepts any arguments, since rejecting calls on a guess would be worse.
    fn accept_anything() -> Self {
        Self {
            schema: catalog::Schema::new(Map::from_iter([("type".to_owned(), json!("object"))])),
            parameters: Vec::new(),
            anything: Vec::new(),
        }
    }
}

fn to_parameter(name: &str, span: &Range<usize>) -> Parameter {
    Parameter { name: name.to_owned(), alias: None, location: Location::Span(span.clone()) }
}
