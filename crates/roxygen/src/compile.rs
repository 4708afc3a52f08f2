//! From the documentation of functions to definitions of tools.

use catalog::{Diagnostic, Origin, SourceId, name};
use formats::BAD_NAME;
use serde_json::{Map, Value as Json, json};

use super::{
    block::Block,
    code::{self, ExampleCode},
    definition::Definition,
    keywords, markup,
    package::{self, Others, Package, Spot},
    parameter::{self, Documentation},
    plain,
    remarks::Remarks,
    returns,
    source::{Function, Subject},
    template,
};
use crate::rules::{
    BROKEN_R, DOTS, DUPLICATE_FUNCTION, DUPLICATE_PARAM, HIDDEN_REQUIRED, INTERRUPTED_BLOCK,
    MISSING_FILE, NO_EXAMPLES, NO_FUNCTION, PHANTOM_PARAM, UNBALANCED, UNDESCRIBED,
    UNKNOWN_KEYWORD, UNKNOWN_SOURCE, UNSUPPORTED_TAG,
};

/// What came of a package.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The tools, in the order of the files and of the functions in them.
    pub definitions: Vec<Definition>,
    /// Everything that was found.
    pub diagnostics: Vec<Diagnostic>,
}

/// Makes the tools of the package `name`, whose R files are `files`.
pub fn compile(name: &str, files: &[(SourceId, String)]) -> Compiled {
    compile_with(name, files, &|_| None)
}

/// As [`compile`], with the other files of the package, by their path in it: templates, and code of examples.
pub fn compile_with(
    name: &str,
    files: &[(SourceId, String)],
    others: &dyn Fn(&str) -> Option<String>,
) -> Compiled {
    let package = Package::read(name, files, others);
    let mut compiled = Compiled::default();
    for file in &package.files {
        let mut remarks = Remarks::new(file.source);
        if let Some(at) = file.content.broken {
            remarks.say(
                &BROKEN_R,
                at,
                "this is not R; what follows may be misread",
                "run `Rscript -e 'parse(\"FILE\")'` to see what R says",
            );
        }
        let strays = file
            .content
            .documented
            .iter()
            .filter(|documented| !keywords::marks_tool(&documented.block));
        for documented in strays {
            keywords::read(&documented.block, &mut remarks);
        }
        compiled.diagnostics.append(&mut remarks.found);
    }
    for spot in package.tools() {
        let mut remarks = Remarks::new(package.files[spot.0].source);
        let definition =
            Compiler { package: &package, spot, others, remarks: &mut remarks }.definition();
        compiled.diagnostics.append(&mut remarks.found);
        if let Some(definition) = definition {
            compiled.add(definition);
        }
    }
    compiled
}

impl Compiled {
    /// Adds a tool. In R, the last function of a name is the one that counts.
    fn add(&mut self, definition: Definition) {
        let Some(index) = self.definitions.iter().position(|known| known.tool == definition.tool)
        else {
            self.definitions.push(definition);
            return;
        };
        let message = format!(
            "the function of `{}` is defined again later, which is the one that counts",
            definition.tool
        );
        let origin = self.definitions.remove(index).origin;
        let found = Diagnostic::new(&DUPLICATE_FUNCTION, origin, message).tool(&definition.tool);
        self.diagnostics.push(found.hint("rename one of the two, or remove it"));
        self.definitions.push(definition);
    }
}

struct Compiler<'p, 'a, 'r> {
    package: &'p Package<'a>,
    spot: Spot,
    others: Others<'r>,
    remarks: &'r mut Remarks,
}

impl<'p, 'a> Compiler<'p, 'a, '_> {
    fn block(&self) -> &'p Block<'a> {
        &self.package.at(self.spot).block
    }

    fn definition(mut self) -> Option<Definition> {
        let function = self.function()?;
        let tool = format!("{}-{}", self.package.name, function.name);
        self.remarks.tool = Some(tool.clone());
        self.check_block(&tool)?;
        let keywords = keywords::read(self.block(), self.remarks);
        if self
            .remarks
            .found
            .iter()
            .any(|found| found.code == UNKNOWN_KEYWORD.code && found.is_error())
        {
            return None;
        }
        let mut fields = Map::new();
        let mut put = |key: &str, value: Option<Json>| {
            fields.extend(value.map(|value| (key.to_owned(), value)))
        };
        put("name", Some(tool.as_str().into()));
        put("description", Some(self.description(function).into()));
        put("parameters", Some(self.parameters(function)));
        put("category", keywords.category.map(Json::from));
        put("dangerous", keywords.is_dangerous.then_some(Json::Bool(true)));
        put("requires_approval", keywords.requires_approval.then_some(Json::Bool(true)));
        put("mutates", keywords.is_read_only.then_some(Json::Bool(false)));
        put("network", keywords.needs_network.then_some(Json::Bool(true)));
        put("returns", self.returns());
        let example = self.example();
        let source = self.package.files[self.spot.0].source;
        Some(Definition {
            tool,
            origin: Origin::offset(source, self.block().at()),
            fields,
            example,
        })
    }

    /// The function that the block is about; without one there is no tool.
    fn function(&mut self) -> Option<&'p Function> {
        let at = self.block().at();
        match &self.package.at(self.spot).subject {
            Subject::Function(function) if function.is_broken => {
                let message = format!(
                    "the formals of `{}` are not R, so no tool is made of it",
                    function.name
                );
                self.remarks.say(&BROKEN_R, at, message, "correct the function");
                None
            }
            Subject::Function(function) => Some(function),
            Subject::Object(_) | Subject::Other => {
                let message = "the block marks a tool, but no function is defined behind it, so no tool is made";
                self.remarks.say(
                    &NO_FUNCTION,
                    at,
                    message,
                    "put the block right before `name <- function(…)`",
                );
                None
            }
        }
    }

    fn check_block(&mut self, tool: &str) -> Option<()> {
        let block = self.block();
        if let Err(problem) = name::check(tool) {
            let hint = "clients take ASCII letters, digits, `_`, `-` and `.`, up to 64 of them";
            self.remarks.say(
                &BAD_NAME,
                block.at(),
                format!("`{tool}` cannot name a tool: {problem}"),
                hint,
            );
            return None;
        }
        if let Some(at) = block.gap(self.package.files[self.spot.0].text) {
            let message = "the block is interrupted here; it is read as one";
            self.remarks.say(&INTERRUPTED_BLOCK, at, message, "begin every line of it with `#'`");
        }
        for (index, tag) in block.tags.iter().enumerate().filter(|(_, tag)| tag.name == "template")
        {
            let why = template::text(block, index, self.others).err().unwrap_or_default();
            self.remarks.say(&MISSING_FILE, tag.at, why, "write out what it stands for");
        }
        const UNREAD: [&str; 5] =
            ["eval", "evalRd", "includeRmd", "inheritDotParams", "inheritSection"];
        for tag in block.tags.iter().filter(|tag| UNREAD.contains(&tag.name)) {
            let message = format!("`@{}` is not read: it needs R or other files", tag.name);
            self.remarks.say(&UNSUPPORTED_TAG, tag.at, message, "write out what it stands for");
        }
        Some(())
    }

    /// What `@describeIn` says about this very function, then what its page says.
    fn description(&mut self, function: &Function) -> String {
        let own = self.block().get("describeIn").map(|tag| tag.text());
        let own = own.and_then(|text| self.prose(text.split_once(char::is_whitespace)?.1));
        let parts: Vec<_> = own.into_iter().chain(self.shared_description()).collect();
        if parts.is_empty() {
            let message = format!("`{}` has no title and no description", function.name);
            self.remarks.say(
                &UNDESCRIBED,
                self.block().at(),
                message,
                "begin the block with a sentence",
            );
            return format!("The R function `{}`", function.name);
        }
        parts.join("\n\n")
    }

    /// The first text that says something: `@description`, the second paragraph, the title, of this block or of its page.
    fn shared_description(&mut self) -> Option<String> {
        self.package.peers(self.spot).into_iter().find_map(|spot| {
            let block = &self.package.at(spot).block;
            let (title, second) = package::intro(block);
            let tag = |name| block.get(name).map(|tag| tag.text());
            [tag("description"), second, tag("title"), title]
                .into_iter()
                .flatten()
                .find_map(|text| self.prose(&text))
        })
    }

    /// A text of the description without its markup, if that leaves anything.
    fn prose(&mut self, text: &str) -> Option<String> {
        let markup = markup::parse(text);
        let plain = plain::of_pieces(&markup.pieces).text;
        if markup.is_unbalanced && !plain.is_empty() {
            let message = "a brace in the description is never closed; what follows it is lost";
            self.remarks.say(&UNBALANCED, self.block().at(), message, "close it with `}`");
        }
        (!plain.is_empty()).then_some(plain)
    }

    fn parameters(&mut self, function: &Function) -> Json {
        self.check_params(function);
        self.check_hidden(function);
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for formal in function.formals.iter().filter(|formal| !formal.name.starts_with('.')) {
            let found = self.package.documentation(self.spot, &formal.name);
            let text = found.map(|(_, tag)| package::param_text(tag)).unwrap_or_default();
            let own = found.filter(|(spot, _)| spot.0 == self.spot.0).map(|(_, tag)| tag.at);
            let documentation = found.map(|_| Documentation { text: &text, at: own });
            let property =
                parameter::property(formal, &function.formals, documentation, self.remarks);
            properties.insert(formal.name.clone(), Json::Object(property.schema));
            if property.is_required {
                required.push(formal.name.clone());
            }
        }
        json!({"type": "object", "properties": properties, "required": required})
    }

    /// Says which `@param`s have no effect, and which sources cannot be inherited from.
    fn check_params(&mut self, function: &Function) {
        let block = self.block();
        let mut seen: Vec<String> = Vec::new();
        for tag in block.all("param") {
            for name in package::names(tag) {
                if name == "..." || name == "\\dots" {
                    let message =
                        "what `...` takes cannot be given by name, so callers cannot give it";
                    self.remarks.say(
                        &DOTS,
                        tag.at,
                        message,
                        "make formals of what callers should be able to give",
                    );
                } else if !self.package.may_have_formal(self.spot, &name) {
                    let message = format!(
                        "`{name}` is documented and not a formal of `{}`; it is left out",
                        function.name
                    );
                    self.remarks.say(
                        &PHANTOM_PARAM,
                        tag.at,
                        message,
                        "correct its name or remove it",
                    );
                } else if seen.contains(&name) {
                    let message = format!("`{name}` is documented twice; the last text counts");
                    self.remarks.say(&DUPLICATE_PARAM, tag.at, message, "keep one of the two");
                }
                seen.push(name);
            }
        }
        for tag in block.all("inheritParams") {
            if self.package.model(tag).is_none() {
                let target = tag.text();
                let message = format!(
                    "`{target}` is not documented in this package, so nothing is inherited from it"
                );
                self.remarks.say(&UNKNOWN_SOURCE, tag.at, message, "document the parameters here");
            }
        }
    }

    /// Says which formals nobody can give, though R has no value for them.
    fn check_hidden(&mut self, function: &Function) {
        let is_given = |name: &str| !name.starts_with('.') || name == ".state_env" || name == "...";
        for formal in function
            .formals
            .iter()
            .filter(|formal| formal.default.is_none() && !is_given(&formal.name))
        {
            let name = &formal.name;
            let message = format!(
                "`{name}` is hidden and has no default, so that no call can give it a value"
            );
            self.remarks.say(
                &HIDDEN_REQUIRED,
                formal.at,
                message,
                "give it a default, or a name without the dot",
            );
        }
    }

    fn returns(&mut self) -> Option<Json> {
        let spots = self.package.peers(self.spot);
        let (spot, tag) = spots.iter().find_map(|spot| {
            let block = &self.package.at(*spot).block;
            block.get("return").or_else(|| block.get("returns")).map(|tag| (*spot, tag))
        })?;
        let at = if spot.0 == self.spot.0 { tag.at } else { self.block().at() };
        returns::returns(&tag.text(), at, self.remarks)
    }

    fn example(&mut self) -> Option<ExampleCode> {
        let package = self.package;
        let blocks: Vec<_> =
            package.peers(self.spot).into_iter().map(|spot| &package.at(spot).block).collect();
        let conditional = || {
            blocks
                .iter()
                .find_map(|block| block.get("examplesIf"))
                .map(|tag| code::conditional(&tag.code()))
        };
        let written = blocks.iter().map(|block| self.written(block)).find(|code| !code.is_empty());
        let written = written.map(|code| code::read(&code));
        let code = match (written, conditional()) {
            (Some(written), Some(conditional)) => Some(written.beside(&conditional)),
            (written, conditional) => written.or(conditional),
        };
        let code = code.filter(|code| !code.shown.is_empty());
        if code.is_none() {
            self.remarks.say(
                &NO_EXAMPLES,
                self.block().at(),
                "the function has no `@examples`",
                "add code that uses it",
            );
        }
        code
    }

    /// The code of a block: its `@examples`, and the files that it names by `@example`.
    fn written(&mut self, block: &Block<'_>) -> String {
        let mut codes = Vec::new();
        for tag in &block.tags {
            match tag.name {
                "examples" => codes.push(tag.code()),
                "example" => match (self.others)(&tag.text()) {
                    Some(code) => codes.push(code.replace("\r\n", "\n").trim_end().to_owned()),
                    None => {
                        let at = if std::ptr::eq(block, self.block()) {
                            tag.at
                        } else {
                            self.block().at()
                        };
                        let message = format!("there is no `{}` in the package", tag.text());
                        self.remarks.say(
                            &MISSING_FILE,
                            at,
                            message,
                            "name a file of the package, by its path in it",
                        );
                    }
                },
                _ => {}
            }
        }
        codes.join("\n")
    }
}
