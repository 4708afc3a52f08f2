//! JSON Schemas that a section contains or links to.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::{
    SpecReader,
    field_sources::FieldSources,
    json_block::{self, JsonBlock, LocatedSchema},
    rules::UNREADABLE_SCHEMA,
};
use crate::json;

impl SpecReader<'_, '_> {
    /// Finds the schema of the parameters: JSON first, then YAML, then a linked file. Reports
    /// what looks like a schema and cannot be used.
    ///
    /// Outside of an input section (`has_section` is false) JSON and YAML may be examples, so only
    /// schemas are reported.
    pub(super) fn find_schema(
        &mut self,
        sources: &mut FieldSources<'_>,
        has_section: bool,
    ) -> Option<LocatedSchema> {
        for (block, span) in &sources.json {
            let schema = match &block.root {
                Some(root) => {
                    let schema = json_block::find_input_schema(root, block.base);
                    if schema.is_some() {
                        self.report_lenient_json(block);
                    } else if has_section && !json_block::is_call(&root.to_value()) {
                        self.report_unusable_schema(
                            span,
                            "this is not the JSON Schema of an object",
                        );
                    }
                    schema
                }
                None => {
                    self.report_invalid_json(block, span);
                    json_block::parse_elided(self.document.slice(span), span.start)
                }
            };
            if let Some(schema) = schema {
                return self.accept_schema(schema);
            }
        }
        if let Some(schema) = sources.schemas.pop() {
            return self.accept_schema(schema);
        }
        for span in sources.unsupported_fences.iter().filter(|_| has_section) {
            self.report_unusable_schema(
                &self.document.trim(span),
                "no parameters can be read from this block",
            );
        }
        sources.links.iter().find_map(|(target, span)| self.read_linked_schema(target, span))
    }

    /// Reports JSON that was read although it has comments, trailing commas or raw line breaks.
    fn report_lenient_json(&mut self, block: &JsonBlock<'_>) {
        if let Some((message, at)) = &block.problem {
            let message =
                format!("this is not valid JSON: {}; it is read anyway", reword_problem(message));
            self.report_unusable_schema(&(*at..at + 1), &message);
        }
    }

    fn report_invalid_json(&mut self, block: &JsonBlock<'_>, span: &Range<usize>) {
        let (message, at) =
            block.problem.clone().unwrap_or_else(|| ("it cannot be parsed".to_owned(), span.start));
        let message = format!("this is not valid JSON: {}", reword_problem(&message));
        self.report_unusable_schema(&(at..at + 1), &message);
    }

    /// Reads the schema in a JSON file that the document links to, by path and JSON pointer.
    pub(super) fn read_linked_schema(
        &mut self,
        target: &str,
        span: &Range<usize>,
    ) -> Option<LocatedSchema> {
        let (file, pointer) = target.split_once('#').unwrap_or((target, ""));
        let text = match (self.linked)(file) {
            Ok(text) => text,
            Err(reason) => {
                let message = format!("the schema in `{file}` cannot be read: {reason}");
                let found = self.report.at_span(&UNREADABLE_SCHEMA, span.clone(), message);
                self.report.push(found.hint("correct the link, or write the schema here"));
                return None;
            }
        };
        let parsed = json::parse(&text);
        let root = parsed.root.filter(|_| !parsed.is_lossy).map(|root| root.to_value());
        let object = root
            .as_ref()
            .and_then(|root| root.pointer(pointer))
            .and_then(Value::as_object)
            .filter(|object| {
                object.contains_key("properties") || object.get("type") == Some(&json!("object"))
            });
        let Some(object) = object else {
            let message = format!("`{target}` is not the JSON Schema of an object");
            self.report_unusable_schema(span, &message);
            return None;
        };
        // The properties are in another file, so diagnostics about them point to the link.
        let names =
            object.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
        let properties = names.map(|name| (name.clone(), span.clone())).collect();
        let mut object = object.clone();
        object.remove("$schema");
        let schema = catalog::Schema::new(object);
        self.accept_schema(LocatedSchema { schema, properties, span: span.clone() })
    }

    /// Returns the schema if it is a valid JSON Schema, and reports it otherwise.
    pub(super) fn accept_schema(&mut self, schema: LocatedSchema) -> Option<LocatedSchema> {
        // The schema caches the validator, so compiling it here costs the first call nothing.
        let problem = schema.schema.validator().err().map(ToString::to_string);
        if let Some(problem) = &problem {
            let message = format!("this is not a valid JSON Schema: {problem}");
            self.report_unusable_schema(&schema.span, &message);
        }
        problem.is_none().then_some(schema)
    }

    fn report_unusable_schema(&mut self, span: &Range<usize>, message: &str) {
        let found = self.report.at_span(&UNREADABLE_SCHEMA, span.clone(), message);
        self.report.push(found.hint("write a JSON Schema of an object, without comments or `...`"));
    }
}

/// The parser words problems for whole files; here the JSON is part of a document.
pub(super) fn reword_problem(problem: &str) -> String {
    problem.replace("the file", "it")
}
