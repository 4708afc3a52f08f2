//! Problems of declared fields: repetitions, unreadable types, and contradictions to a JSON Schema.

use serde_json::Value;

use super::{
    SpecReader,
    field::{Field, Required},
    json_block::LocatedSchema,
    rules::{CONDITIONAL_PARAMETER, ODD_DEFAULT, REPEATED_PARAMETER, TWO_SCHEMAS, UNREADABLE_TYPE},
};

impl SpecReader<'_, '_> {
    /// Removes repeated fields, and reports the problems of all.
    pub(super) fn check_fields(&mut self, fields: Vec<Field>) -> Vec<Field> {
        let mut checked: Vec<Field> = Vec::new();
        for field in fields {
            let name = &field.name;
            if checked.iter().any(|known| known.name == *name) {
                let found = self.report.at_span(
                    &REPEATED_PARAMETER,
                    field.span.clone(),
                    format!("`{name}` is described twice"),
                );
                self.report.push(found.hint("remove one of the two descriptions"));
                continue;
            }
            self.report_field_problems(&field);
            checked.push(field);
        }
        checked
    }

    /// Reports what could not be taken from a field as it is written.
    pub(super) fn report_field_problems(&mut self, field: &Field) {
        let name = &field.name;
        if let Some(unknown) = &field.unknown_type {
            let found = self.report.at_span(
                &UNREADABLE_TYPE,
                field.span.clone(),
                format!("the type of `{name}` cannot be read"),
            );
            let types = ["string", "integer", "number", "boolean", "object", "array"];
            let hint = catalog::closest(unknown, types).map_or_else(
                || "use a type of JSON Schema".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            self.report.push(found.with_received(unknown.as_str()).hint(hint));
        }
        if let Some(default) = &field.mismatched_default {
            let found = self.report.at_span(
                &ODD_DEFAULT,
                field.span.clone(),
                format!("the default of `{name}` is not a value of its type"),
            );
            self.report.push(
                found.with_received(default.as_str()).hint("write a value of the type, as JSON"),
            );
        }
        if let Required::Conditional(condition) = &field.required {
            let message = format!("`{name}` is required only under a condition: {condition}");
            let found = self.report.at_span(&CONDITIONAL_PARAMETER, field.span.clone(), message);
            self.report
                .push(found.hint(
                    "state the condition in a JSON Schema, with `if` or `dependentRequired`",
                ));
        }
    }

    /// Reports every contradiction between declared fields and a JSON Schema of the same
    /// parameters.
    pub(super) fn compare_with_schema(&mut self, fields: &[Field], schema: &LocatedSchema) {
        if fields.is_empty() {
            return;
        }
        let mut differences = Vec::new();
        // Names with a dot are nested fields, which are not compared.
        for field in fields.iter().filter(|field| !field.name.contains('.')) {
            let messages = compare_field(field, schema);
            differences.extend(messages.into_iter().map(|message| (field.span.clone(), message)));
        }
        let only_in_schema = schema
            .properties
            .iter()
            .filter(|(name, _)| fields.iter().all(|field| field.name != *name));
        differences.extend(only_in_schema.map(|(name, span)| {
            (span.clone(), format!("`{name}` is in the JSON Schema but not in the table"))
        }));
        for (span, message) in differences {
            let found = self.report.at_span(&TWO_SCHEMAS, span, message);
            self.report.push(found.hint("make the two agree; until then the JSON Schema is used"));
        }
    }
}

/// How a field differs from the property of the same name, as messages.
fn compare_field(field: &Field, schema: &LocatedSchema) -> Vec<String> {
    let name = &field.name;
    let Some(property) = schema.schema.property(name) else {
        return vec![format!("`{name}` is in the table but not in the JSON Schema")];
    };
    let mut messages = Vec::new();
    // Only plain types are compared: an `enum` or `anyOf` may mean the same as the other side's
    // type.
    let declared = Value::Object(field.schema.clone());
    if let (Some(in_table), Some(in_schema)) = (type_names(&declared), type_names(property))
        && in_table != in_schema
    {
        messages.push(format!(
            "`{name}` is {} in the table and {} in the JSON Schema",
            in_table.join(" or "),
            in_schema.join(" or ")
        ));
    }
    // A requirement that is unspecified or conditional contradicts nothing.
    let is_required = schema.schema.required().any(|required| required == name);
    if field.required == Required::Yes && !is_required
        || field.required == Required::No && is_required
    {
        messages.push(format!(
            "the table and the JSON Schema disagree on whether `{name}` is required"
        ));
    }
    messages
}

/// The value of `type` in a schema, sorted; `None` if it has none.
fn type_names(schema: &Value) -> Option<Vec<&str>> {
    let mut names = match schema.get("type")? {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    names.sort_unstable();
    Some(names)
}
