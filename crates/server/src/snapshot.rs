//! The served tools: those of a catalog, rendered when they are requested.
//!
//! A snapshot is immutable. A cursor is the last name on a page rather than an index, so that it
//! stays valid when the snapshot is replaced.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    num::NonZero,
    sync::{Arc, OnceLock},
    thread,
};

use catalog::{Catalog, Content, Implementation, Outcome, Policy, Tool, closest, name};
use rmcp::model as wire;
use serde_json::Value;

use crate::{
    era::Era,
    output_schema,
    rendering::{OutputSchemas, RenderedTool, Renderer},
};

/// Maximum number of tools on a page of `tools/list`, and of resources on a page of `resources/list`.
/// Renderings of a list with more pages are not kept: they would take more memory than the definitions,
/// and a client lists a large catalog rarely.
pub(crate) const PAGE_SIZE: usize = 2_000;

/// Minimum number of tools that are rendered by several threads. Rendering fewer takes less time than
/// starting a thread.
const MIN_PARALLEL: usize = 256;

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
    /// Which output schemas clients get.
    pub output_schemas: OutputSchemas,
    /// The policy for calls of these tools.
    pub policy: Policy,
    /// Clients whose rules apply to every connection, in addition to those of the connected client.
    pub clients: Vec<&'static str>,
}

/// The served tools, sorted by name. Immutable.
#[derive(Debug, Default)]
pub struct Snapshot {
    tools: Vec<ServedTool>,
    /// The tools that a sequence may call.
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) policy: Policy,
    clients: Vec<&'static str>,
    /// The served names of the built-in tools for operations, by their own names.
    built_in: BTreeMap<String, String>,
    /// Tools that are switched off, by served name, with the reason.
    unavailable: BTreeMap<String, String>,
}

/// A tool and its rendering, which is made on first use.
#[derive(Debug)]
pub(crate) struct ServedTool {
    pub(crate) tool: Arc<Tool>,
    /// `None` if it is the tool's own name.
    name: Option<Box<str>>,
    renderer: Arc<Renderer>,
    rendered: OnceLock<Box<RenderedTool>>,
}

/// A cursor that no page ended with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadCursor;

impl Snapshot {
    /// Serves the callable tools of a catalog.
    pub fn new(catalog: &Catalog, options: &SnapshotOptions) -> Self {
        let renderer = Arc::new(Renderer::new(options.describe, options.output_schemas));
        let callable = catalog.tools().iter().filter(|tool| tool.is_callable());
        let mut tools: Vec<_> =
            callable.map(|tool| ServedTool::new(tool, options, &renderer)).collect();
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
            clients: options.clients.clone(),
            unavailable: BTreeMap::new(),
        }
    }

    /// Adds the reasons why tools are not served at the moment, by their served names.
    pub fn with_unavailable(mut self, unavailable: BTreeMap<String, String>) -> Self {
        self.unavailable = unavailable;
        self
    }

    /// Serves only some of the tools. A sequence can still call the others.
    pub fn with_only(mut self, is_included: impl Fn(&Tool) -> bool) -> Self {
        self.tools.retain(|served| is_included(&served.tool));
        self
    }

    /// Adds the sandbox restrictions that this machine lacks to the metadata of tools that run programs.
    pub fn with_unconfined(mut self, missing: &[String]) -> Self {
        if let Some(first) = self.tools.first().filter(|_| !missing.is_empty()) {
            let renderer = Arc::new(first.renderer.with_unconfined(missing));
            for served in &mut self.tools {
                served.renderer = renderer.clone();
                served.rendered = OnceLock::new();
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
            served.tool = Arc::new(tool);
            served.rendered = OnceLock::new();
        }
        self
    }

    /// The tools exactly as `tools/list` serves them to modern clients, in the same order.
    pub fn tools_json(&self) -> Vec<Value> {
        let render =
            |served: &ServedTool| lower(served.render(Era::Modern).into_owned(), &self.clients);
        let tools = self.tools.iter().map(|served| serde_json::to_value(render(served)));
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

    /// The clients whose rules apply to a connection.
    pub(crate) fn clients_with(&self, connected: Option<&str>) -> Vec<&'static str> {
        let connected = connected.and_then(clients::find_by_info).map(|client| client.name);
        self.clients.iter().copied().chain(connected).collect()
    }

    /// The page after a cursor, and the cursor for the next one. An empty cursor means the start.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        era: Era,
        clients: &[&str],
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
        let keeps_renderings = self.tools.len() <= PAGE_SIZE;
        let render = |served: &ServedTool| {
            let tool = if keeps_renderings {
                served.rendering(era).clone()
            } else {
                served.render(era).into_owned()
            };
            lower(tool, clients)
        };
        Ok((render_in_parallel(page, render), next))
    }

    /// Whether `tools/list` is the same for clients.
    pub(crate) fn lists_same_tools(&self, other: &Self) -> bool {
        self.tools.len() == other.tools.len()
            && self.tools.iter().zip(&other.tools).all(|(one, other)| one.lists_same(other))
    }
}

/// Lowers a tool for these clients: with a looser schema, and the dropped constraints as lines of the
/// description.
fn lower(mut tool: wire::Tool, clients: &[&str]) -> wire::Tool {
    if let Some(lowered) = clients::lower(&tool.input_schema, clients) {
        let description = tool.description.iter().map(|text| text.trim_end());
        let lines: Vec<_> = description.chain(lowered.notes.iter().map(String::as_str)).collect();
        tool.description = Some(lines.join("\n").into());
        tool.input_schema = Arc::new(lowered.schema);
    }
    tool
}

/// Renders the tools of a page on all cores, because a client waits for it.
fn render_in_parallel(
    tools: &[ServedTool],
    render: impl Fn(&ServedTool) -> wire::Tool + Sync,
) -> Vec<wire::Tool> {
    let render_all = |tools: &[ServedTool]| tools.iter().map(&render).collect::<Vec<_>>();
    if tools.len() < MIN_PARALLEL {
        return render_all(tools);
    }
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let (first, rest) = tools.split_at(tools.len().div_ceil(cores));
    thread::scope(|scope| {
        let parts = rest.chunks(first.len()).map(|part| scope.spawn(|| render_all(part)));
        let parts: Vec<_> = parts.collect();
        let mut rendered = render_all(first);
        for part in parts {
            rendered.extend(part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        rendered
    })
}

impl ServedTool {
    fn new(tool: &Arc<Tool>, options: &SnapshotOptions, renderer: &Arc<Renderer>) -> Self {
        let name = options.full_names.then(|| name::qualify(&options.crib, &tool.name).into());
        Self { tool: tool.clone(), name, renderer: renderer.clone(), rendered: OnceLock::new() }
    }

    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.tool.name)
    }

    /// Whether it is a built-in tool for operations.
    pub(crate) fn is_built_in(&self) -> bool {
        self.tool.implementation == Implementation::Native
            && name::OPERATION_TOOLS.contains(&self.tool.name.as_str())
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

    /// The tool as it is listed. Rendered once and kept, so that repeated listing is only copying.
    pub(crate) fn rendering(&self, era: Era) -> &wire::Tool {
        let rendered = || Box::new(self.renderer.render(&self.tool, self.name()));
        self.rendered.get_or_init(rendered).for_era(era)
    }

    /// The tool as it is listed, without keeping a new rendering.
    fn render(&self, era: Era) -> Cow<'_, wire::Tool> {
        match self.rendered.get() {
            Some(rendered) => Cow::Borrowed(rendered.for_era(era)),
            None => Cow::Owned(self.renderer.render(&self.tool, self.name()).into_era(era)),
        }
    }

    /// Whether it is listed like another tool.
    fn lists_same(&self, other: &Self) -> bool {
        // A reload shares the tools of unchanged files, which need no rendering to compare.
        let is_shared = Arc::ptr_eq(&self.tool, &other.tool)
            && self.name == other.name
            && self.renderer == other.renderer;
        is_shared || self.render(Era::Modern) == other.render(Era::Modern)
    }

    /// Names the tool by its served name in the message of a failure, or of a started operation, which
    /// the runtime writes with the tool's own name.
    pub(crate) fn use_served_name(&self, outcome: &mut Outcome) {
        let Some(served) = &self.name else { return };
        let (own, served) = (format!("`{}`", self.tool.name), format!("`{served}`"));
        let message = outcome.structured.as_ref().and_then(|fields| {
            fields.get("error_message").or_else(|| fields.get("error"))?.as_str().map(str::to_owned)
        });
        for content in &mut outcome.content {
            if let Content::Text(text) = content
                && (Some(&*text) == message.as_ref() || text.starts_with(&own))
            {
                *text = text.replace(&own, &served);
            }
        }
        if let Some(fields) = &mut outcome.structured {
            let texts = ["/error_message", "/error", "/error_details/error", "/error_data/error"];
            for pointer in texts {
                if let Some(Value::String(text)) = fields.pointer_mut(pointer) {
                    *text = text.replace(&own, &served);
                }
            }
        }
    }

    /// Adds a text to an outcome: as content, and in the structured data if that is an object to which
    /// the output schema allows to add. Clients show a model one or the other.
    pub(crate) fn add_notice(&self, outcome: &mut Outcome, name: &str, text: String) {
        let is_started = runtime::operation::Operation::started_by(outcome).is_some();
        let is_open = outcome.failed
            || is_started
            || self
                .tool
                .output
                .as_ref()
                .is_none_or(|schema| output_schema::is_open(schema.object()));
        if let (true, Some(Value::Object(fields))) = (is_open, &mut outcome.structured) {
            fields.insert(name.to_owned(), text.as_str().into());
        }
        outcome.content.push(Content::Text(text));
    }

    /// Adapts a structured result to an era: revisions up to 2025-11-25 allow only objects.
    pub(crate) fn structured_for(&self, era: Era, value: Value) -> Value {
        match era {
            // Wrapped even without an output schema, because legacy clients fail the call if
            // `structuredContent` is not an object.
            Era::Legacy if !value.is_object() || self.renderer.wraps_result_of(&self.tool) => {
                output_schema::wrap_value(value)
            }
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use catalog::{Catalog, Implementation, Origin, Policy, Schema, SourceId, Tool};

    use super::{OutputSchemas, PAGE_SIZE, Snapshot, SnapshotOptions};
    use crate::era::Era;

    fn catalog(tools: usize) -> Catalog {
        let origin = Origin::whole_file(&SourceId::new("tools.json"));
        let tool = |index| {
            let name = format!("tool{index:05}");
            Tool::new(name, "Text", Schema::empty(), Implementation::Native, origin.clone())
        };
        Catalog::merge((0..tools).map(tool)).0
    }

    fn snapshot(catalog: &Catalog) -> Snapshot {
        let options = SnapshotOptions {
            crib: "crib".to_owned(),
            full_names: false,
            describe: |tool| tool.description.text.clone(),
            output_schemas: OutputSchemas::Auto,
            policy: Policy::default(),
            clients: Vec::new(),
        };
        Snapshot::new(catalog, &options)
    }

    fn count_renderings(snapshot: &Snapshot) -> usize {
        snapshot.tools.iter().filter(|served| served.rendered.get().is_some()).count()
    }

    #[test]
    fn keeps_renderings_only_of_a_list_that_fits_on_one_page() {
        for (tools, kept) in [(PAGE_SIZE, PAGE_SIZE), (PAGE_SIZE + 1, 0)] {
            let snapshot = snapshot(&catalog(tools));
            assert_eq!(count_renderings(&snapshot), 0, "nothing is rendered before a request");
            let (page, _) = snapshot.page(None, Era::Legacy, &[]).expect("the first page");
            assert_eq!((page.len(), count_renderings(&snapshot)), (PAGE_SIZE, kept));
        }
    }

    #[test]
    fn compares_lists_by_what_clients_see() {
        let catalog = catalog(2);
        let before = snapshot(&catalog);
        assert!(before.lists_same_tools(&snapshot(&catalog)));
        let change = |text: &str| {
            let tool = Tool { timeout: Some(Default::default()), ..(*catalog.tools()[0]).clone() };
            let description = catalog::Description::new(text);
            snapshot(&catalog.with([Arc::new(Tool { description, ..tool })]))
        };
        assert!(before.lists_same_tools(&change("Text")));
        assert!(!before.lists_same_tools(&change("Other")));
        let unconfined = snapshot(&catalog).with_unconfined(&["a sandbox".to_owned()]);
        assert!(before.lists_same_tools(&unconfined), "no tool runs a program");
    }
}
