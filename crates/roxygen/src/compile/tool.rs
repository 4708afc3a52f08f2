//! Compiles one function to a definition.

use catalog::Origin;
use serde_json::{Map, Value as Json, json};

use crate::{
    block::Block,
    definition::Definition,
    keywords, markup,
    package::{BlockId, Package},
    param,
    parameter::{self, ParamText},
    plain_text,
    reporter::Reporter,
    returns,
    rules::{BROKEN_R, NO_FUNCTION, UNBALANCED, UNDESCRIBED, UNKNOWN_KEYWORD},
    source::{Function, Object},
    template::ReadFile,
};

/// The compiler of the function whose block is `id`.
pub(super) struct ToolCompiler<'p, 'a, 'r> {
    pub(super) package: &'p Package<'a>,
    pub(super) id: BlockId,
    pub(super) read_file: ReadFile<'r>,
    pub(super) reporter: &'r mut Reporter,
}

impl<'p, 'a> ToolCompiler<'p, 'a, '_> {
    /// The definition, or `None` if the block cannot be a tool, which is reported.
    pub(super) fn compile(mut self) -> Option<Definition> {
        let function = self.function()?;
        let tool = format!("{}-{}", self.package.name, function.name);
        self.reporter.tool = Some(tool.clone());
        // Checked before everything else, because without a valid name there is no file to write.
        self.check_name(&tool)?;
        self.check_block();
        let keywords = keywords::read_keywords(self.block(), self.reporter);
        // A misspelled safety keyword: the tool might be served without approval.
        let mut found = self.reporter.diagnostics.iter();
        if found.any(|found| found.code == UNKNOWN_KEYWORD.code && found.is_error()) {
            return None;
        }
        let mut fields = Map::new();
        let mut put = |key: &str, value: Option<Json>| {
            fields.extend(value.map(|value| (key.to_owned(), value)))
        };
        put("name", Some(tool.as_str().into()));
        put("description", Some(self.compile_description(function).into()));
        put("parameters", Some(self.compile_parameters(function)));
        put("category", keywords.category.map(Json::from));
        put("dangerous", keywords.is_dangerous.then_some(Json::Bool(true)));
        put("requires_approval", keywords.requires_approval.then_some(Json::Bool(true)));
        // Only what a keyword states: an absent keyword must not appear as a declared annotation.
        let mutates = (keywords.is_read_only || keywords.writes).then_some(keywords.writes);
        put("mutates", mutates.map(Json::Bool));
        put("network", keywords.needs_network.then_some(Json::Bool(true)));
        put("returns", self.compile_returns());
        let example = self.compile_example();
        let source = self.package.files[self.id.file].source;
        let origin = Origin::offset(source, self.block().offset());
        Some(Definition { tool, origin, fields, example })
    }

    pub(super) fn block(&self) -> &'p Block<'a> {
        &self.package.documented(self.id).block
    }

    /// The blocks whose tags apply, its own first.
    pub(super) fn page_blocks(&self) -> Vec<(BlockId, &'p Block<'a>)> {
        let package = self.package;
        let ids = package.blocks_on_page(self.id).into_iter();
        ids.map(|id| (id, &package.documented(id).block)).collect()
    }

    /// The function that the block documents. It need not be exported in NAMESPACE: the runtime
    /// looks tools up in the namespace itself. Generics and methods of S4 and reference classes are
    /// calls such as `setMethod`, whose formals only R knows; an S3 method is an ordinary function.
    fn function(&mut self) -> Option<&'p Function> {
        let offset = self.block().offset();
        match &self.package.documented(self.id).object {
            Object::Function(function) if function.is_broken => {
                let message = format!(
                    "the formals of `{}` are not valid R, so no tool is built from it",
                    function.name
                );
                self.reporter.report(&BROKEN_R, offset, message, "correct the function");
                None
            }
            Object::Function(function) => Some(function),
            Object::Value(_) | Object::Unnamed => {
                let message = "the block marks a tool, but no function definition follows, so no tool is built";
                let hint = "put the block right before `name <- function(…)`";
                self.reporter.report(&NO_FUNCTION, offset, message, hint);
                None
            }
        }
    }

    /// The text of `@describeIn` about this function, then the description of its page.
    fn compile_description(&mut self, function: &Function) -> String {
        let own = self.block().tag("describeIn").map(|tag| tag.text());
        let own = own.and_then(|text| self.render(text.split_once(char::is_whitespace)?.1));
        let parts: Vec<_> = own.into_iter().chain(self.page_description()).collect();
        if parts.is_empty() {
            let message = format!("`{}` has no title and no description", function.name);
            let hint = "begin the block with a sentence";
            self.reporter.report(&UNDESCRIBED, self.block().offset(), message, hint);
            // The format requires a description, and a tool without one is still callable.
            return format!("The R function `{}`", function.name);
        }
        parts.join("\n\n")
    }

    /// The first non-empty of `@description`, the second paragraph, and the title: the order in
    /// which roxygen2 looks for a description.
    fn page_description(&mut self) -> Option<String> {
        self.page_blocks().into_iter().find_map(|(_, block)| {
            let mut paragraphs = block.paragraphs().into_iter();
            let (title, second) = (paragraphs.next(), paragraphs.next());
            let tag = |name| block.tag(name).map(|tag| tag.text());
            [tag("description"), second, tag("title"), title]
                .into_iter()
                .flatten()
                .find_map(|text| self.render(&text))
        })
    }

    /// Renders a description; `None` if it is empty.
    fn render(&mut self, text: &str) -> Option<String> {
        let markup = markup::parse(text);
        let plain = plain_text::render(&markup.pieces).text;
        if markup.is_unbalanced && !plain.is_empty() {
            let message = "a brace in the description is never closed; the rest of it is lost";
            self.reporter.report(&UNBALANCED, self.block().offset(), message, "close it with `}`");
        }
        (!plain.is_empty()).then_some(plain)
    }

    fn compile_parameters(&mut self, function: &Function) -> Json {
        self.check_params(function);
        self.check_hidden_formals(function);
        self.check_overrides(function);
        let (mut properties, mut required) = (Map::new(), Vec::new());
        // Formals whose name begins with a dot, `...` among them, are hidden from callers.
        for formal in function.formals.iter().filter(|formal| !formal.name.starts_with('.')) {
            let found = self.package.find_param(self.id, &formal.name);
            let text = found.map(|(_, tag)| param::text(tag)).unwrap_or_default();
            // Inherited text may be in another file; then problems are reported at the formal.
            let offset = found.filter(|(id, _)| id.file == self.id.file).map(|(_, tag)| tag.offset);
            let documentation = found.map(|_| ParamText { text: &text, offset });
            let stated = self.read_override(&formal.name);
            let property = parameter::compile_property(
                formal,
                &function.formals,
                documentation,
                stated,
                self.reporter,
            );
            properties.insert(formal.name.clone(), Json::Object(property.schema));
            if property.is_required {
                required.push(formal.name.clone());
            }
        }
        json!({"type": "object", "properties": properties, "required": required})
    }

    fn compile_returns(&mut self) -> Option<Json> {
        let (id, tag) = self.page_blocks().into_iter().find_map(|(id, block)| {
            block.tag("return").or_else(|| block.tag("returns")).map(|tag| (id, tag))
        })?;
        let is_here = id.file == self.id.file;
        let offset = if is_here { tag.offset } else { self.block().offset() };
        returns::compile_returns(&tag.text(), offset, self.reporter)
    }
}
