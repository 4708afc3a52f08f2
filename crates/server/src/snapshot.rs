//! What is served: the tools of a catalog, rendered once for each era.
//!
//! A snapshot never changes. Pages are cut from it by name, so that a cursor stays good when the
//! snapshot behind it is replaced.

use std::{collections::BTreeMap, sync::Arc};

use catalog::{
    Annotations, Catalog, ErrorForm, Implementation, Policy, Schema, Tool, closest, name,
};
use rmcp::model::{self as wire, JsonObject, MetaObject, ToolAnnotations};
use serde_json::Value;

use crate::{era::Era, output, schema};

/// The most tools in one page of `tools/list`.
const PAGE: usize = 2_000;

/// What in a tool's metadata lists what it is not held to.
const UNCONFINED: &str = "toolcrib/unconfined";
/// What in a tool's metadata says the group it belongs to, the version it declares, that a person must agree to each
/// call, and how many seconds its examples took.
const CATEGORY: &str = "toolcrib/category";
const VERSION: &str = "toolcrib/version";
const REQUIRES_APPROVAL: &str = "toolcrib/requires_approval";
const EXECUTION_TIME: &str = "toolcrib/execution_time";

/// What a cursor begins with; the last name delivered follows.
const AFTER: &str = "after:";

/// How a catalog is turned into what is served.
#[derive(Clone, Debug)]
pub struct SnapshotOptions {
    /// The name of the crib.
    pub crib: String,
    /// Whether `mcp_{crib}_` stands before every served name.
    pub full_names: bool,
    /// How a tool's description is written out.
    pub describe: fn(&Tool) -> String,
    /// What may be called, and what must be asked about.
    pub policy: Policy,
}

/// The tools that are served, in order. Immutable.
#[derive(Debug, Default)]
pub struct Snapshot {
    tools: Vec<Served>,
    /// Everything that a sequence may call.
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) policy: Policy,
    /// The served names of the built-in tools, by their own.
    built_in: BTreeMap<String, String>,
    /// Names of tools that are not served now, and why.
    absent: BTreeMap<String, String>,
}

/// One served tool.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) tool: Arc<Tool>,
    modern: wire::Tool,
    /// Only where it differs.
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
        let mut tools: Vec<_> = callable.map(|tool| Served::new(tool, options, &process)).collect();
        tools.sort_by(|a, b| a.name().cmp(b.name()));
        let built_in = tools.iter().filter(|served| served.is_built_in());
        Self {
            built_in: built_in
                .map(|served| (served.tool.name.clone(), served.name().to_owned()))
                .collect(),
            tools,
            catalog: Arc::new(catalog.clone()),
            policy: options.policy.clone(),
            absent: BTreeMap::new(),
        }
    }

    /// Says of tools that are not served now, by the names they would be served under, why they are not.
    pub fn with_absent(mut self, absent: BTreeMap<String, String>) -> Self {
        self.absent = absent;
        self
    }

    /// Says of every program what it is not held to on this machine, in the tool's metadata.
    pub fn with_unconfined(mut self, missing: &[String]) -> Self {
        if !missing.is_empty() {
            let programs = self.tools.iter_mut().filter(|served| {
                matches!(
                    served.tool.implementation,
                    Implementation::Process(_) | Implementation::Python(_)
                )
            });
            for rendering in programs.flat_map(|served| {
                std::iter::once(&mut served.modern).chain(served.legacy.as_deref_mut())
            }) {
                rendering
                    .meta
                    .get_or_insert_default()
                    .insert(UNCONFINED.to_owned(), missing.into());
            }
        }
        self
    }

    /// Lets calls of functions of R and Python name the session that they mean: for clients whose requests belong to no connection.
    pub fn with_handles(mut self) -> Self {
        for served in &mut self.tools {
            let Some(tool) = runtime::with_handle(&served.tool) else {
                continue;
            };
            let input = schema::render(&tool.input);
            for rendering in std::iter::once(&mut served.modern).chain(served.legacy.as_deref_mut())
            {
                rendering.input_schema = input.clone();
            }
            served.tool = Arc::new(tool);
        }
        self
    }

    /// Exactly the objects that `tools/list` serves, in the same order.
    pub fn tools_json(&self) -> Vec<Value> {
        let tools = self.tools.iter().map(|served| serde_json::to_value(&served.modern));
        tools.map(|tool| tool.expect("a tool is plain data")).collect()
    }

    /// The tool that is served under this name.
    pub fn get(&self, served_name: &str) -> Option<&Arc<Tool>> {
        self.find(served_name).map(|served| &served.tool)
    }

    /// The served name nearest to one that does not exist.
    pub fn closest(&self, served_name: &str) -> Option<&str> {
        let bare = self
            .tools
            .iter()
            .find(|served| served.tool.bare_name() == served_name)
            .map(Served::name);
        bare.or_else(|| closest(served_name, self.tools.iter().map(Served::name)))
    }

    /// Why the tool of this name is not served, if that is known.
    pub(crate) fn absent(&self, served_name: &str) -> Option<&str> {
        self.absent.get(served_name).map(String::as_str)
    }

    /// How many tools are served.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether nothing is served.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The name under which the built-in tool `name` is served.
    pub(crate) fn built_in(&self, name: &str) -> Option<&str> {
        self.built_in.get(name).map(String::as_str)
    }

    pub(crate) fn find(&self, served_name: &str) -> Option<&Served> {
        let found = self.tools.binary_search_by(|served| served.name().cmp(served_name));
        found.ok().map(|index| &self.tools[index])
    }

    /// The page behind a cursor, and the cursor to the next one. An empty cursor is the beginning.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        era: Era,
    ) -> Result<(Vec<wire::Tool>, Option<String>), BadCursor> {
        let start = match cursor {
            None | Some("") => 0,
            Some(cursor) => {
                let last = cursor.strip_prefix(AFTER).ok_or(BadCursor)?;
                self.tools.partition_point(|served| served.name() <= last)
            }
        };
        let rest = &self.tools[start..];
        let page = &rest[..rest.len().min(PAGE)];
        let next = page
            .last()
            .filter(|_| page.len() < rest.len())
            .map(|last| format!("{AFTER}{}", last.name()));
        Ok((page.iter().map(|served| served.rendering(era).clone()).collect(), next))
    }

    /// Whether clients would see the same list.
    pub(crate) fn serves_the_same(&self, other: &Self) -> bool {
        self.tools
            .iter()
            .map(|served| &served.modern)
            .eq(other.tools.iter().map(|served| &served.modern))
    }
}

impl Served {
    fn new(tool: &Arc<Tool>, options: &SnapshotOptions, process: &Schema) -> Self {
        let served_name = match options.full_names {
            true => name::qualify(&options.crib, &tool.name),
            false => tool.name.clone(),
        };
        let mut modern =
            wire::Tool::new(served_name, (options.describe)(tool), schema::render(&tool.input));
        modern.title.clone_from(&tool.title);
        modern.annotations = Some(annotations(&tool.annotations));
        modern.meta = meta(tool);
        modern.output_schema = match &tool.implementation {
            Implementation::Process(program) if !program.speaks_json() => {
                Some(schema::render(process))
            }
            // An envelope has an arm for failures itself.
            _ if tool.errors == ErrorForm::Envelope => tool.output.as_ref().map(schema::render),
            implementation => tool.output.as_ref().map(|schema| {
                let result = schema::render(schema);
                let widened = output::widened(&result, tool.mode, tool.on_mismatch);
                match runtime::with_missing(&result)
                    .filter(|_| matches!(implementation, Implementation::R(_)))
                {
                    Some(missing) => output::admitting(widened, missing),
                    None => widened,
                }
            }),
        };
        let legacy = modern.output_schema.as_deref().and_then(output::wrapped);
        let legacy = legacy.map(|schema| Box::new(modern.clone().with_raw_output_schema(schema)));
        Self { tool: tool.clone(), modern, legacy }
    }

    pub(crate) fn name(&self) -> &str {
        &self.modern.name
    }

    /// Whether it looks after operations itself.
    pub(crate) fn is_built_in(&self) -> bool {
        self.tool.implementation == Implementation::Native
            && name::BUILT_IN.contains(&self.tool.name.as_str())
    }

    pub(crate) fn rendering(&self, era: Era) -> &wire::Tool {
        match (era, &self.legacy) {
            (Era::Legacy, Some(legacy)) => legacy,
            _ => &self.modern,
        }
    }

    /// A structured result as clients of this era take it: the old ones only take objects.
    pub(crate) fn structured(&self, era: Era, value: Value) -> Value {
        match era {
            Era::Legacy if self.legacy.is_some() || !value.is_object() => output::wrap(value),
            _ => value,
        }
    }
}

/// What a tool may do, as hints. What nobody said is served as the worse case, or left out where
/// clients assume it.
fn annotations(annotations: &Annotations) -> ToolAnnotations {
    let mut hints = ToolAnnotations::new()
        .read_only(annotations.is_read_only())
        .open_world(annotations.network.unwrap_or(false));
    if !annotations.is_read_only()
        && (annotations.mutates.is_none() || annotations.dangerous.is_some())
    {
        hints.destructive_hint = Some(annotations.may_destroy());
    }
    hints.idempotent_hint = annotations.idempotent;
    hints
}

/// What clients have no field for.
fn meta(tool: &Tool) -> Option<MetaObject> {
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
