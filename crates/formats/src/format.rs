//! A definition format: how its files are found, recognized, read, written and documented.

use catalog::{Allowance, Diagnostic, Rule, SourceId, Tool};
use serde_json::Value as Json;

use crate::{context::Context, json::Node, report::Report};

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// One definition format. Its module exports it as `FORMAT`, and [`FORMATS`](crate::FORMATS) lists
/// it; the command line takes its choices and their help from there.
pub struct Format {
    /// The name on the command line, such as `mtdf`.
    pub name: &'static str,
    /// The title of the reference page.
    pub title: &'static str,
    /// The format in a few words, for help texts.
    pub summary: &'static str,
    /// Where a crib keeps such files, as a sentence for the reference page.
    pub location: &'static str,
    /// Extensions, without the dot, of files that may be of this format.
    pub extensions: &'static [&'static str],
    /// Folders of a crib in which every file with one of the extensions is a definition.
    pub folders: &'static [&'static str],
    /// A file name, in any case, that makes a file a definition wherever it is in a crib.
    pub file_name: Option<&'static str>,
    pub(crate) reader: Reader,
    /// How tools are written in this format, if they can be.
    pub writer: Option<Writer>,
    /// Returns the JSON Schema of such files, for editors and for the reference page.
    pub schema: Option<fn() -> Json>,
    /// The file that `toolcrib new` starts a definition from.
    pub template: Option<Template>,
    /// Problems that only files of this format have.
    pub rules: &'static [&'static Rule],
}

/// How a format recognizes and reads a file.
pub(crate) enum Reader {
    /// JSON or YAML, which is parsed before any format looks at it.
    Data {
        /// How likely a file with this root and this text is of the format.
        detect: fn(&Node<'_>, &str) -> Option<Confidence>,
        /// Reads the root of a file; the text is for formats that need its comments or spelling.
        read: fn(&Node<'_>, &str, &Context<'_>, &mut Report) -> Reading,
    },
    /// Markdown, which is detected before JSON and YAML are parsed.
    Markdown {
        detect: fn(&SourceId, &str) -> bool,
        read: fn(&str, &Context<'_>, &mut Report) -> Reading,
    },
}

/// How likely a file is of a format. The most confident format reads it, the first of
/// [`FORMATS`](crate::FORMATS) among equals, so that no format need know the keys of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Confidence {
    /// It has no keys of the format, but the reader of this format reports the most useful errors.
    Fallback,
    /// It has keys that other formats have too.
    Weak,
    /// It has keys that hardly any other format has.
    Strong,
    /// It has a shape that no other format has.
    Certain,
}

/// The result of reading a file.
#[derive(Debug, Default)]
pub struct Reading {
    /// The tools without an error, in the order of the file.
    pub tools: Vec<Tool>,
    /// Tools with an error, as far as they could be read: to check further, never to run.
    pub broken: Vec<Tool>,
    /// Every problem found. A format reports to its `Report`, from which these are taken.
    pub diagnostics: Vec<Diagnostic>,
    /// The rules that the file allows itself to break.
    pub allowances: Vec<Allowance>,
}

impl Reading {
    /// A file in which only tools were found.
    pub(crate) fn of_tools(tools: Vec<Tool>) -> Self {
        Self { tools, ..Self::default() }
    }
}

/// How tools are written in a format.
pub struct Writer {
    /// The help of `convert --to`.
    pub help: &'static str,
    /// The text between two files that are printed one after the other.
    pub separator: &'static str,
    /// Writes tools as one file or several; the name is for a file that holds all of them.
    pub(crate) write: fn(&[Tool], &str) -> Vec<WrittenFile>,
}

/// A file that was written, not yet on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// The path to suggest, relative to the folder of definitions.
    pub name: String,
    /// The content.
    pub text: String,
}

impl WrittenFile {
    pub(crate) fn new(stem: &str, extension: &str, text: String) -> Self {
        Self { name: format!("{stem}.{extension}"), text }
    }
}

/// A definition to start from.
pub struct Template {
    /// The help of `new`.
    pub help: &'static str,
    pub(crate) fill: fn(&str) -> Result<FilledTemplate, TemplateError>,
}

impl Template {
    /// Fills the template in for a tool of this name.
    pub fn fill(&self, name: &str) -> Result<FilledTemplate, TemplateError> {
        (self.fill)(name)
    }
}

/// A template that was filled in.
#[derive(Debug)]
pub struct FilledTemplate {
    /// The file to write.
    pub file: WrittenFile,
    /// What to do with it, to be shown to the user.
    pub next_step: String,
}

/// Why a name does not fit a template.
#[derive(Debug)]
pub struct TemplateError {
    /// The problem.
    pub message: String,
    /// What to write instead.
    pub hint: &'static str,
}
