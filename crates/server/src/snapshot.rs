//! The served tools: those of a catalog, rendered once for each era.
//!
//! A snapshot is immutable. A cursor is the last name on a page rather than an index, so that it
//! stays valid when the snapshot is replaced.

use std::{collections::BTreeMap, sync::Arc};

use catalog::{
    Annotations, Catalog, ErrorForm, Implementation, Policy, Schema, Tool, closest, name,
};
use rmcp::model::{self as wire, JsonObject, MetaObject, ToolAnnotations};
use serde_json::Value;

use crate::{era::Era, output_schema, schema};

/// The most tools in one page of `tools/list`.
const PAGE_SIZE: usize = 2_000;

// Keys of a tool's metadata.
/// The sandbox restrictions that do not apply on this machine.
const UNCONFINED: &str = "toolcrib/unconfined";
const CATEGORY: &str = "toolcrib/category";
const VERSION: &str = "toolcrib/version";
const REQUIRES_APPROVAL: &str = "toolcrib/requires_approval";
/// The measured run time of the tool's examples, in seconds.
const EXECUTION_TIME: &str = "toolcrib/execution_time";

/// The prefix of a cursor; the last name on the page follows.
const AFTER: &str = "after:";

/// How a catalog is rendered.
#[derive(Clone, Debug)]
pub struct SnapshotOptions {
    /// The name of the crib, for full names.
    pub crib: String,
    /// Whether served names get the prefix `mcp_{crib}_`.
    pub full_names: bool,
    /// Renders the description of a tool for models.
    pub describe: fn(&Tool) -> String,
    /// The policy for calls of these tools.
    pub policy: Policy,
}

/// The served tools, sorted by name. Immutable.
#[derive(Debug, Default)]
pub struct Snapshot {
    tools: Vec<ServedTool>,
    /// The tools that a sequence may call.
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) policy: Policy,
    /// The served names of the built-in tools for operations, by their own names.
    built_in: BTreeMap<String, String>,
    /// Tools that are switched off, by served name, with the reason.
    unavailable: BTreeMap<String, String>,
}

/// One served tool.
#[derive(Debug)]
pub(crate) struct ServedTool {
    pub(crate) tool: Arc<Tool>,
    modern: wire::Tool,
    /// `None` if it is the same.
    legacy: Option<Box<wire::Tool>>,
}

/// A cursor that no page ended with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadCursor;

impl Snapshot {
    /// Renders the callable tools of a catalog.
    pub fn new(catalog: &Catalog, options: &SnapshotOptions) -> Self {
        let process = runtime::process_output_schema();
        let callable = catalog.tools().iter().filter(|tool| tool.is_callable());
        let mut tools: Vec<_> =
            callable.map(|tool| ServedTool::new(tool, options, &process)).collect();
        // A stable order: clients cache the list as part of their prompt, and `find` searches by
        // it.
        tools.sort_by(|a, b| a.name().cmp(b.name()));
        let built_in = tools.iter().filter(|served| served.is_built_in());
        Self {
            built_in: built_in
                .map(|served| (served.tool.name.clone(), served.name().to_owned()))
                .collect(),
            tools,
            catalog: Arc::new(catalog.clone()),
            policy: options.policy.clone(),
            unavailable: BTreeMap::new(),
        }
    }

    /// Adds the reasons why tools are not served at the moment, by their served names.
    pub fn with_unavailable(mut self, unavailable: BTreeMap<String, String>) -> Self {
        self.unavailable = unavailable;
        self
    }

    /// Adds the sandbox restrictions that this machine lacks to the metadata of tools that run programs.
    pub fn with_unconfined(mut self, missing: &[String]) -> Self {
        if !missing.is_empty() {
            let programs = self.tools.iter_mut().filter(|served| {
                matches!(
                    served.tool.implementation,
                    Implementation::Process(_) | Implementation::Python(_)
                )
            });
            for rendering in programs.flat_map(ServedTool::renderings_mut) {
                rendering
                    .meta
                    .get_or_insert_default()
                    .insert(UNCONFINED.to_owned(), missing.into());
            }
        }
        self
    }

    /// Adds an argument for the session to R and Python tools: modern HTTP requests belong to no
    /// connection, so that state between calls needs an explicit handle.
    pub fn with_session_handles(mut self) -> Self {
        for served in &mut self.tools {
            let Some(tool) = runtime::with_session_argument(&served.tool) else {
                continue;
            };
            let input = schema::render(&tool.input);
            for rendering in served.renderings_mut() {
                rendering.input_schema = input.clone();
            }
            served.tool = Arc::new(tool);
        }
        self
    }

    /// The tools exactly as `tools/list` serves them to modern clients, in the same order.
    pub fn tools_json(&self) -> Vec<Value> {
        let tools = self.tools.iter().map(|served| serde_json::to_value(&served.modern));
        tools.map(|tool| tool.expect("a tool is plain data")).collect()
    }

    /// The tool with this served name.
    pub fn get(&self, served_name: &str) -> Option<&Arc<Tool>> {
        self.find(served_name).map(|served| &served.tool)
    }

    /// The served name that is most similar to an unknown one.
    pub fn closest(&self, served_name: &str) -> Option<&str> {
        let bare = self
            .tools
            .iter()
            .find(|served| served.tool.bare_name() == served_name)
            .map(ServedTool::name);
        // A name without its prefix is what models most often get wrong.
        bare.or_else(|| closest(served_name, self.tools.iter().map(ServedTool::name)))
    }

    /// Why the tool of this name is not served, if it is switched off.
    pub(crate) fn why_unavailable(&self, served_name: &str) -> Option<&str> {
        self.unavailable.get(served_name).map(String::as_str)
    }

    /// The number of served tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether no tools are served.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The served name of the built-in tool `name`.
    pub(crate) fn built_in(&self, name: &str) -> Option<&str> {
        self.built_in.get(name).map(String::as_str)
    }

    pub(crate) fn find(&self, served_name: &str) -> Option<&ServedTool> {
        let found = self.tools.binary_search_by(|served| served.name().cmp(served_name));
        found.ok().map(|index| &self.tools[index])
    }

    /// The page after a cursor, and the cursor for the next one. An empty cursor means the start.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        era: Era,
    ) -> Result<(Vec<wire::Tool>, Option<String>), BadCursor> {
        let start = match cursor {
            None | Some("") => 0,
            Some(cursor) => {
                let last = cursor.strip_prefix(AFTER).ok_or(BadCursor)?;
                // Works even if that tool is gone: the page begins with the next name.
                self.tools.partition_point(|served| served.name() <= last)
            }
        };
        let rest = &self.tools[start..];
        let page = &rest[..rest.len().min(PAGE_SIZE)];
        let next = page
            .last()
            .filter(|_| page.len() < rest.len())
            .map(|last| format!("{AFTER}{}", last.name()));
        Ok((page.iter().map(|served| served.rendering(era).clone()).collect(), next))
    }

    /// Whether `tools/list` is the same for clients.
    pub(crate) fn lists_same_tools(&self, other: &Self) -> bool {
        self.tools
            .iter()
            .map(|served| &served.modern)
            .eq(other.tools.iter().map(|served| &served.modern))
    }
}

impl ServedTool {
    fn new(tool: &Arc<Tool>, options: &SnapshotOptions, process: &Schema) -> Self {
        let served_name = if options.full_names {
            name::qualify(&options.crib, &tool.name)
        } else {
            tool.name.clone()
        };
        // Both renderings are made here once, so that listing is only copying.
        let mut modern =
            wire::Tool::new(served_name, (options.describe)(tool), schema::render(&tool.input));
        modern.title.clone_from(&tool.title);
        modern.annotations = Some(to_hints(&tool.annotations));
        modern.meta = build_meta(tool);
        modern.output_schema = match &tool.implementation {
            Implementation::Process(program) if !program.speaks_json() => {
                Some(schema::render(process))
            }
            // The schema of an envelope covers failures already.
            _ if tool.errors == ErrorForm::Envelope => tool.output.as_ref().map(schema::render),
            implementation => tool.output.as_ref().map(|schema| {
                let result = schema::render(schema);
                let widened = output_schema::widen(&result, tool.mode, tool.on_mismatch);
                match runtime::with_missing(&result)
                    .filter(|_| matches!(implementation, Implementation::R(_)))
                {
                    Some(missing) => output_schema::add_alternative(widened, missing),
                    None => widened,
                }
            }),
        };
        let legacy = modern.output_schema.as_deref().and_then(output_schema::wrap_schema);
        let legacy = legacy.map(|schema| Box::new(modern.clone().with_raw_output_schema(schema)));
        Self { tool: tool.clone(), modern, legacy }
    }

    pub(crate) fn name(&self) -> &str {
        &self.modern.name
    }

    fn renderings_mut(&mut self) -> impl Iterator<Item = &mut wire::Tool> {
        std::iter::once(&mut self.modern).chain(self.legacy.as_deref_mut())
    }

    /// Whether it is a built-in tool for operations.
    pub(crate) fn is_built_in(&self) -> bool {
        self.tool.implementation == Implementation::Native
            && name::BUILT_IN.contains(&self.tool.name.as_str())
    }

    /// Whether a call must work while all other calls wait: the tools for operations, and reading
    /// flags.
    pub(crate) fn is_control(&self) -> bool {
        self.is_built_in() || (self.is_flag_tool() && self.tool.annotations.is_read_only())
    }

    /// Whether it changes flags, in which order matters.
    pub(crate) fn writes_flags(&self) -> bool {
        self.is_flag_tool() && !self.tool.annotations.is_read_only()
    }

    fn is_flag_tool(&self) -> bool {
        self.tool.implementation == Implementation::Native
            && self.tool.annotations.category.as_deref() == Some(builtin::FLAGS_CATEGORY)
    }

    pub(crate) fn rendering(&self, era: Era) -> &wire::Tool {
        match (era, &self.legacy) {
            (Era::Legacy, Some(legacy)) => legacy,
            _ => &self.modern,
        }
    }

    /// Adapts a structured result to an era: revisions up to 2025-11-25 allow only objects.
    pub(crate) fn structured_for(&self, era: Era, value: Value) -> Value {
        match era {
            // Also without an output schema: legacy clients fail the call if `structuredContent` is
            // not an object.
            Era::Legacy if self.legacy.is_some() || !value.is_object() => {
                output_schema::wrap_value(value)
            }
            _ => value,
        }
    }
}

/// Converts annotations to hints. An effect that is not declared is served as the worse case, or left
/// out where the protocol's default is the worse case.
fn to_hints(annotations: &Annotations) -> ToolAnnotations {
    let mut hints = ToolAnnotations::new()
        .read_only(annotations.is_read_only())
        .open_world(annotations.uses_network().unwrap_or(false));
    if !annotations.is_read_only()
        && (annotations.mutates.is_none() || annotations.dangerous.is_some())
    {
        // Meaningless for a read-only tool, so it is left out there.
        hints.destructive_hint = Some(annotations.may_destroy());
    }
    hints.idempotent_hint = annotations.idempotent;
    hints
}

/// The facts about a tool for which the protocol has no field.
fn build_meta(tool: &Tool) -> Option<MetaObject> {
    let annotations = &tool.annotations;
    let category =
        annotations.category.as_deref().map(|category| (CATEGORY, Value::from(category)));
    let version = annotations.version.as_deref().map(|version| (VERSION, Value::from(version)));
    let approval = annotations
        .requires_approval
        .filter(|needed| *needed)
        .map(|_| (REQUIRES_APPROVAL, Value::from(true)));
    let time = tool.measured.map(|took| (EXECUTION_TIME, Value::from(took.as_secs_f64())));
    let known: JsonObject = [category, version, approval, time]
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    (!known.is_empty()).then_some(MetaObject(known))
}
