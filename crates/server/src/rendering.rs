//! Tools as `tools/list` serves them.

use std::sync::Arc;

use catalog::{Annotations, ErrorForm, Implementation, Schema, Tool};
use rmcp::model::{self as wire, JsonObject, MetaObject, ToolAnnotations};
use serde_json::Value;

use crate::{era::Era, output_schema, schema};

// Keys of a tool's metadata.
/// The sandbox restrictions that do not apply on this machine.
const UNCONFINED: &str = "toolcrib/unconfined";
const CATEGORY: &str = "toolcrib/category";
const VERSION: &str = "toolcrib/version";
const REQUIRES_APPROVAL: &str = "toolcrib/requires_approval";
/// The measured run time of the tool's examples, in seconds.
const EXECUTION_TIME: &str = "toolcrib/execution_time";

/// How the tools of a snapshot are rendered.
#[derive(Clone, Debug)]
pub(crate) struct Renderer {
    describe: fn(&Tool) -> String,
    output_schemas: OutputSchemas,
    /// The sandbox restrictions that this machine lacks.
    unconfined: Vec<String>,
    /// The schema of the results of programs that print text, shared by all their renderings.
    process_output: Schema,
}

/// Which output schemas clients get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputSchemas {
    /// All except the standard schema of programs. It would be repeated for each program, few
    /// clients show it to the model, and it does not constrain the result.
    #[default]
    Auto,
    /// All.
    All,
    /// None.
    None,
}

/// A tool as clients of both eras see it.
#[derive(Debug)]
pub(crate) struct RenderedTool {
    modern: wire::Tool,
    /// `None` if it is the same.
    legacy: Option<Box<wire::Tool>>,
}

impl RenderedTool {
    pub(crate) fn for_era(&self, era: Era) -> &wire::Tool {
        match (era, &self.legacy) {
            (Era::Legacy, Some(legacy)) => legacy,
            _ => &self.modern,
        }
    }

    pub(crate) fn into_era(self, era: Era) -> wire::Tool {
        match (era, self.legacy) {
            (Era::Legacy, Some(legacy)) => *legacy,
            _ => self.modern,
        }
    }
}

impl Renderer {
    pub(crate) fn new(describe: fn(&Tool) -> String, output_schemas: OutputSchemas) -> Self {
        let process_output = runtime::process_output_schema();
        Self { describe, output_schemas, unconfined: Vec::new(), process_output }
    }

    pub(crate) fn with_unconfined(&self, missing: &[String]) -> Self {
        Self { unconfined: missing.to_vec(), ..self.clone() }
    }

    pub(crate) fn render(&self, tool: &Tool, served_name: &str) -> RenderedTool {
        let mut modern = wire::Tool::new(
            served_name.to_owned(),
            (self.describe)(tool),
            schema::render(&tool.input),
        );
        modern.title.clone_from(&tool.title);
        modern.annotations = Some(to_hints(&tool.annotations));
        modern.meta = self.build_meta(tool);
        modern.output_schema = self.render_output(tool);
        let legacy = modern.output_schema.as_deref().and_then(output_schema::wrap_schema);
        let legacy = legacy.map(|schema| Box::new(modern.clone().with_raw_output_schema(schema)));
        RenderedTool { modern, legacy }
    }

    /// Whether legacy clients get the results of a tool wrapped in an object.
    pub(crate) fn wraps_result_of(&self, tool: &Tool) -> bool {
        // Widening keeps the type of the root, so that the schema need not be rendered.
        let schema = self.declared_output(tool);
        schema.is_some_and(|schema| !output_schema::is_object(schema.object()))
    }

    /// The schema of a result, without failures.
    fn declared_output<'t>(&'t self, tool: &'t Tool) -> Option<&'t Schema> {
        if prints_text(tool) { Some(&self.process_output) } else { tool.output.as_ref() }
    }

    fn render_output(&self, tool: &Tool) -> Option<Arc<JsonObject>> {
        let is_served = match self.output_schemas {
            OutputSchemas::Auto => !prints_text(tool),
            OutputSchemas::All => true,
            OutputSchemas::None => false,
        };
        if !is_served {
            return None;
        }
        let result = schema::render(self.declared_output(tool)?);
        // The schema of an envelope covers failures already, and so does that of a program.
        if prints_text(tool) || tool.errors == ErrorForm::Envelope {
            return Some(result);
        }
        let widened = output_schema::widen(&result, tool.mode, tool.on_mismatch);
        let is_r = matches!(tool.implementation, Implementation::R(_));
        Some(match runtime::with_missing(&result).filter(|_| is_r) {
            Some(missing) => output_schema::add_alternative(widened, missing),
            None => widened,
        })
    }

    /// The facts about a tool for which the protocol has no field.
    fn build_meta(&self, tool: &Tool) -> Option<MetaObject> {
        let annotations = &tool.annotations;
        let category =
            annotations.category.as_deref().map(|category| (CATEGORY, Value::from(category)));
        let version = annotations.version.as_deref().map(|version| (VERSION, Value::from(version)));
        let approval = annotations
            .requires_approval
            .filter(|needed| *needed)
            .map(|_| (REQUIRES_APPROVAL, Value::from(true)));
        let time = tool.measured.map(|took| (EXECUTION_TIME, Value::from(took.as_secs_f64())));
        let runs_program =
            matches!(tool.implementation, Implementation::Process(_) | Implementation::Python(_));
        let unconfined = (runs_program && !self.unconfined.is_empty())
            .then(|| (UNCONFINED, Value::from(self.unconfined.clone())));
        let known: JsonObject = [category, version, approval, time, unconfined]
            .into_iter()
            .flatten()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        (!known.is_empty()).then_some(MetaObject(known))
    }
}

/// Equal renderers render a tool alike. The schema of programs' results is a constant.
impl PartialEq for Renderer {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.describe, other.describe)
            && self.output_schemas == other.output_schemas
            && self.unconfined == other.unconfined
    }
}

/// Whether it is a program whose result is its output and exit code.
fn prints_text(tool: &Tool) -> bool {
    matches!(&tool.implementation, Implementation::Process(program) if !program.speaks_json())
}

/// Converts annotations to hints. Undeclared effects are assumed to be the worst case.
fn to_hints(annotations: &Annotations) -> ToolAnnotations {
    let mut hints = ToolAnnotations::new()
        .read_only(annotations.is_read_only())
        // A tool that declares nothing gets no network.
        .open_world(annotations.uses_network().unwrap_or(false));
    if !annotations.is_read_only() {
        // Always explicit, because clients ask about every call of a tool without this hint. For a
        // read-only tool it has no meaning, so it is left out.
        hints.destructive_hint = Some(annotations.may_destroy());
    }
    hints.idempotent_hint = annotations.idempotent;
    hints
}
