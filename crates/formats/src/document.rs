//! One definition file: its bytes, its format, and what it says.

use catalog::{Allowance, Diagnostic, SourceId, Tool};

use crate::{
    Guidance, guidance,
    json::{self, Node},
    mcp, mtdf, rave,
    report::Report,
    rules::syntax::{
        BYTE_ORDER_MARK, FILE_TOO_LARGE, JSON_SCHEMA_FILE, NOT_A_DEFINITION, NOT_UTF8, NUL,
    },
    spec::{self, Linked},
    yaml,
};

/// The largest definition that is read.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// What a file holds, told by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A command-line tool.
    Mtdf,
    /// A function of an R package.
    Rave,
    /// A Markdown document that describes tools.
    Specification,
    /// What a server answers to `tools/list`, saved.
    Mcp,
    /// Texts that definitions refer to.
    Guidance,
    /// A JSON Schema, for editors perhaps.
    JsonSchema,
    /// Nothing that is known here, or nothing that could be read.
    Unknown,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Reading {
    /// The tools without an error, in the order of the file.
    pub tools: Vec<Tool>,
    /// What could be read of tools with an error: to look at, never to run.
    pub broken: Vec<Tool>,
    /// Every problem that was found.
    pub diagnostics: Vec<Diagnostic>,
    /// The problems that the definition allows itself.
    pub allowances: Vec<Allowance>,
}

/// Reads a definition. A file of another format gives no tools and its own diagnostics.
pub fn read(source: &SourceId, bytes: &[u8], guidance: &Guidance) -> Reading {
    Document::parse(source, bytes).read(guidance)
}

/// Reads a guidance file.
pub fn read_guidance(source: &SourceId, bytes: &[u8]) -> (Guidance, Vec<Diagnostic>) {
    Document::parse(source, bytes).guidance()
}

/// Whether a file is a Markdown specification, be it one that is not UTF-8 and so cannot be read.
pub fn is_specification(source: &SourceId, bytes: &[u8]) -> bool {
    spec::is_specification(source, &String::from_utf8_lossy(bytes))
}

/// A file that has been parsed but not yet understood.
pub struct Document<'a> {
    format: Format,
    text: &'a str,
    root: Option<Node<'a>>,
    page: Option<&'a str>,
    report: Report,
}

impl<'a> Document<'a> {
    /// Parses a file.
    pub fn parse(source: &SourceId, bytes: &'a [u8]) -> Self {
        let mut report = Report::new(source);
        let text = decode(bytes, &mut report);
        if let Some(text) = text.filter(|text| spec::is_specification(source, text)) {
            return Self::specification(text, report);
        }
        let root = text.and_then(|text| {
            let parsed = if spec::is_markdown(source) { json::parse(text) } else { parse(text) };
            parsed.problems.into_iter().for_each(|problem| report.problem(problem));
            parsed.root.filter(|_| !parsed.is_lossy)
        });
        let text = text.unwrap_or_default();
        let format = root.as_ref().map_or(Format::Unknown, |root| detect(root, text));
        Self { format, text, root, page: None, report }
    }

    fn specification(text: &'a str, mut report: Report) -> Self {
        if text.starts_with('\u{feff}') {
            let found =
                json::Problem::new(&BYTE_ORDER_MARK, 0, "the file begins with a byte order mark");
            report.problem(found.hint("save it without"));
        }
        let nul = text.find('\0');
        if let Some(at) = nul {
            report.problem(json::Problem::new(&NUL, at, "the file has a NUL character in it"));
        }
        Self {
            format: Format::Specification,
            text,
            root: None,
            page: Some(text).filter(|_| nul.is_none()),
            report,
        }
    }

    /// What it holds.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Reads it as a definition; files that it links to are not there.
    pub fn read(self, guidance: &Guidance) -> Reading {
        self.read_linked(guidance, &|_| Err("no files can be read here".to_owned()))
    }

    /// Reads it as a definition, and the files that it links to.
    pub fn read_linked(mut self, guidance: &Guidance, linked: Linked<'_>) -> Reading {
        if let Some(page) = self.page {
            let (tools, allowances) = spec::read(page, linked, &mut self.report);
            return Reading {
                tools,
                broken: Vec::new(),
                diagnostics: self.report.finish(),
                allowances,
            };
        }
        let Some(root) = self.root else {
            return Reading { diagnostics: self.report.finish(), ..Reading::default() };
        };
        let is_broken = self.report.errors() > 0;
        let (mut tools, mut broken) = match self.format {
            Format::Mtdf => mtdf::read(&root, guidance, &mut self.report),
            Format::Rave => (rave::read(&root, self.text, &mut self.report), Vec::new()),
            Format::Mcp => (mcp::read(&root, &mut self.report), Vec::new()),
            Format::Guidance => {
                guidance::read(&root, &mut self.report);
                Default::default()
            }
            Format::JsonSchema => {
                let note =
                    self.report.whole(&JSON_SCHEMA_FILE, "this is a JSON Schema, not a definition");
                self.report.push(note);
                Default::default()
            }
            Format::Unknown | Format::Specification => {
                let problem = self.report.whole(&NOT_A_DEFINITION, "this is not a definition");
                self.report.push(
                    problem
                        .expected("an object with a `name`")
                        .received(crate::report::shown(&root)),
                );
                Default::default()
            }
        };
        if is_broken {
            // The rest was read to find all problems; a guess about broken text must not be run.
            tools.clear();
            broken.clear();
        }
        Reading { tools, broken, diagnostics: self.report.finish(), allowances: Vec::new() }
    }

    /// Reads it as a guidance file.
    pub fn guidance(mut self) -> (Guidance, Vec<Diagnostic>) {
        let guidance = self
            .root
            .as_ref()
            .map(|root| guidance::read(root, &mut self.report))
            .unwrap_or_default();
        (guidance, self.report.finish())
    }
}

/// The tree of a text, whichever way it is written.
pub(crate) fn parse(text: &str) -> json::Parsed<'_> {
    if yaml::is_yaml(text) { yaml::parse(text) } else { json::parse(text) }
}

fn decode<'a>(bytes: &'a [u8], report: &mut Report) -> Option<&'a str> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the file has {} MiB", bytes.len().div_ceil(1024 * 1024));
        report.push(
            report
                .whole(&FILE_TOO_LARGE, message)
                .expected("at most 16 MiB")
                .hint("split it or move it away"),
        );
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
            let hint = if is_utf16 {
                "it looks like UTF-16: save it as UTF-8"
            } else {
                "save the file as UTF-8"
            };
            let offset = error.valid_up_to();
            let problem =
                json::Problem::new(&NOT_UTF8, offset, format!("byte {offset} is not UTF-8"));
            report.problem(problem.hint(hint));
            None
        }
    }
}

/// Tells the format by the keys of the root.
fn detect(root: &Node<'_>, text: &str) -> Format {
    const OF_A_COMMAND: [&str; 5] =
        ["command", "subcommand", "inputSchema", "input_schema", "sequence"];
    const OF_A_SCHEMA: [&str; 4] = ["properties", "$defs", "definitions", "$ref"];
    let has_any = |keys: &[&str]| root.members().iter().any(|member| keys.contains(&&*member.key));
    if mcp::is_mcp(root) {
        Format::Mcp
    } else if !root.is_object() {
        Format::Unknown
    } else if has_any(&OF_A_COMMAND) {
        Format::Mtdf
    } else if rave::is_rave(root) {
        Format::Rave
    } else if has_any(&["name"]) {
        if yaml::is_yaml(text) { Format::Rave } else { Format::Mtdf }
    } else if guidance::is_guidance(root) {
        Format::Guidance
    } else if has_any(&OF_A_SCHEMA) {
        Format::JsonSchema
    } else {
        Format::Mtdf
    }
}
