//! Names of documents and outputs: relative paths that stay inside their folder. New names are also
//! limited to characters that R Markdown, pandoc and LaTeX accept.

use std::fmt;

use toolkit::{ErrorType, Failure};

/// The extensions of documents, the default first.
const EXTENSIONS: [&str; 3] = [".Rmd", ".rmd", ".qmd"];

/// The folder of rendered outputs. It contains no documents.
pub(super) const OUTPUT_FOLDER: &str = "output";

/// Maximum length of a name, in bytes.
const MAX_BYTES: usize = 200;
/// Folders in a name.
pub(super) const MAX_FOLDERS: usize = 8;

/// The name of a document: a path relative to the document folder, with extension.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentName(String);

/// The name of an output: a path relative to the output folder, with extension.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OutputName(String);

/// The format of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// An HTML page.
    Html,
    /// A PDF document.
    Pdf,
    /// A Word document.
    Docx,
}

impl DocumentName {
    /// Parses the name of a new document. Adds the default extension if it has none of a document.
    pub fn new(text: &str) -> Result<Self, Failure> {
        check_new(text)?;
        Self::with_extension(text)
    }

    /// Parses the name of an existing document, which other programs may have named less strictly.
    pub(super) fn parse_existing(text: &str) -> Result<Self, Failure> {
        check_relative(text)?;
        Self::with_extension(text)
    }

    fn with_extension(text: &str) -> Result<Self, Failure> {
        if is_in_output(text) {
            return Err(invalid_name_failure(
                text,
                "the folder `output` is for rendered outputs",
                "choose another folder",
            ));
        }
        let extension = text.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
        let is_document = is_document(text);
        // `report.RMD` would become `report.RMD.Rmd`, which is never intended.
        if !is_document && matches!(extension.as_deref(), Some("rmd" | "qmd")) {
            return Err(invalid_name_failure(
                text,
                "the case of its extension is wrong",
                "write `.Rmd`, `.rmd` or `.qmd`",
            ));
        }
        Ok(Self(if is_document { text.to_owned() } else { format!("{text}{}", EXTENSIONS[0]) }))
    }

    /// The possible names for a text, the most likely first: without extension, it may be any.
    pub(super) fn candidates(text: &str) -> Result<Vec<Self>, Failure> {
        // `v1.2` has a dot but no extension of a document, so the suffix alone does not decide.
        let named = Self::parse_existing(text)?;
        if named.0 == text {
            return Ok(vec![named]);
        }
        Ok(EXTENSIONS.iter().map(|extension| Self(format!("{text}{extension}"))).collect())
    }

    /// Checks that R Markdown can render a document of this name. Other programs may have created
    /// it with any name.
    pub fn check_renderable(&self) -> Result<(), Failure> {
        check_new(&self.0)
    }

    /// The path relative to the document folder.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path without extension.
    pub fn stem(&self) -> &str {
        self.0.rsplit_once('.').map_or(&self.0, |(stem, _)| stem)
    }

    /// Whether it is a Quarto document.
    pub fn is_quarto(&self) -> bool {
        self.0.ends_with(".qmd")
    }

    /// The name of its output.
    pub fn output(&self, kind: OutputKind) -> OutputName {
        OutputName(format!("{}.{}", self.stem(), kind.extension()))
    }
}

impl OutputName {
    /// Parses a name, which must have the extension of an output.
    pub fn new(text: &str) -> Result<Self, Failure> {
        check_relative(text)?;
        let kind = OutputKind::of(text);
        kind.map(|_| Self(text.to_owned())).ok_or_else(|| {
            invalid_name_failure(
                text,
                "it is not the name of an output",
                "outputs end in `.html`, `.pdf` or `.docx`",
            )
        })
    }

    /// The path relative to the output folder.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The format, by its extension.
    pub fn kind(&self) -> OutputKind {
        OutputKind::of(&self.0).expect("the constructor checks the extension")
    }
}

impl OutputKind {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Html, Self::Pdf, Self::Docx];

    fn of(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit_once('.')?;
        Self::ALL.into_iter().find(|kind| kind.extension() == extension)
    }

    /// The extension without dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
        }
    }

    /// The media type.
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Html => "text/html",
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        }
    }
}

/// Whether a path has the extension of a document.
pub(super) fn is_document(path: &str) -> bool {
    EXTENSIONS.iter().any(|extension| path.ends_with(extension))
}

/// Whether a path is in the output folder. Ignores case, because some file systems do.
fn is_in_output(path: &str) -> bool {
    path.split_once('/').is_some_and(|(first, _)| first.eq_ignore_ascii_case(OUTPUT_FOLDER))
}

/// Checks what holds for every name: it is relative, visible and bounded.
fn check_relative(text: &str) -> Result<(), Failure> {
    if text.len() > MAX_BYTES {
        // A model may have passed a whole document as the name.
        let shown: String = text.chars().take(40).collect();
        return Err(invalid_name_failure(
            &format!("{shown}…"),
            "it is too long",
            &format!("use at most {MAX_BYTES} bytes"),
        ));
    }
    if text.is_empty() {
        return Err(invalid_name_failure(
            text,
            "it is empty",
            "name a document, such as `report` or `2026/report`",
        ));
    }
    // The handle rejects these as well; here they get a message that helps.
    if text.starts_with('/') || text.contains('\\') || text.split('/').any(|part| part == "..") {
        return Err(invalid_name_failure(
            text,
            "it leads out of the document folder",
            "use a path below it, such as `2026/report`",
        ));
    }
    if let Some(control) = text.chars().find(|c| c.is_control()) {
        return Err(invalid_name_failure(
            text,
            &format!("it contains {}", describe_char(control)),
            "use letters and digits",
        ));
    }
    // Dot files are hidden, and pandoc would take a leading dash for an option.
    if text.split('/').any(|part| part.is_empty() || part.starts_with(['.', '-'])) {
        return Err(invalid_name_failure(
            text,
            "a part of it is empty, or begins with `.` or `-`",
            "begin each part with a letter or digit",
        ));
    }
    if text.matches('/').count() > MAX_FOLDERS {
        let hint = format!("use at most {MAX_FOLDERS}");
        return Err(invalid_name_failure(text, "it has too many folders", &hint));
    }
    Ok(())
}

/// Checks a new name: R Markdown rejects or mangles some characters, and so do pandoc and LaTeX.
fn check_new(text: &str) -> Result<(), Failure> {
    check_relative(text)?;
    match text.chars().find(|c| !is_allowed(*c)) {
        Some(found) => {
            let why = format!(
                "it contains {}, which R Markdown or a file system does not support",
                describe_char(found)
            );
            Err(invalid_name_failure(
                text,
                &why,
                "use letters, digits, `_`, `-`, `.`, `+`, `,`, `=`, `@`, and `/` for folders",
            ))
        }
        None => Ok(()),
    }
}

fn is_allowed(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | ',' | '=' | '@' | '/')
}

fn describe_char(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        '\n' | '\r' => "a line break".to_owned(),
        '\0' => "a NUL".to_owned(),
        '`' => "a backquote".to_owned(),
        c if c.is_control() => "a control character".to_owned(),
        c => format!("`{c}`"),
    }
}

fn invalid_name_failure(text: &str, why: &str, hint: &str) -> Failure {
    Failure::new(
        ErrorType::InvalidFilename,
        format!("`{}` cannot name a document: {why}; {hint}", text.escape_debug()),
    )
}

impl fmt::Display for DocumentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for OutputName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use toolkit::ErrorType;

    use super::{DocumentName, OutputKind, OutputName};

    #[test]
    fn adds_a_missing_extension() {
        let named = |text: &str| DocumentName::new(text).map(|name| name.as_str().to_owned());
        for (text, name) in [
            ("example", "example.Rmd"),
            ("example.Rmd", "example.Rmd"),
            ("example.rmd", "example.rmd"),
            ("a/b.qmd", "a/b.qmd"),
            ("v1.2", "v1.2.Rmd"),
            ("größe/日本", "größe/日本.Rmd"),
        ] {
            assert_eq!(named(text).as_deref(), Ok(name));
        }
    }

    #[test]
    fn rejects_unsafe_names_with_a_reason() {
        for (text, why) in [
            ("../x", "leads out"),
            ("a/../../x", "leads out"),
            ("/etc/x", "leads out"),
            ("a\\b", "leads out"),
            ("a\0b", "a NUL"),
            ("a\nb", "a line break"),
            ("a\u{1b}b", "a control character"),
            ("my report", "a space"),
            ("say \"x\"", "a space"),
            ("x\"y", "`\"`"),
            ("x'y", "`'`"),
            ("a;b", "`;`"),
            ("a`b", "a backquote"),
            (".hidden", "begins with"),
            ("-rf", "begins with"),
            ("a/.x", "begins with"),
            ("a//b", "empty"),
            ("", "empty"),
            (".", "begins with"),
            ("output/x", "rendered outputs"),
            ("Output/x", "rendered outputs"),
            ("x.RMD", "extension"),
            (&"x".repeat(201), "too long"),
            (&"x/".repeat(20), "empty"),
            ("a/a/a/a/a/a/a/a/a/a", "too many folders"),
        ] {
            let failure = DocumentName::new(text).expect_err(text);
            assert!(failure.message.contains(why), "{text:?}: {}", failure.message);
            assert_eq!(failure.error_type, ErrorType::InvalidFilename);
        }
        for one in "< > ( ) | \\ : & ; # ? *".split(' ') {
            assert!(DocumentName::new(&format!("a{one}b")).is_err(), "{one}");
        }
    }

    #[test]
    fn names_outputs_after_their_document() {
        let name = DocumentName::new("a/b.c").expect("a name");
        assert_eq!(name.output(OutputKind::Docx).as_str(), "a/b.c.docx");
        assert!(OutputName::new("a/b.html").is_ok_and(|name| name.kind() == OutputKind::Html));
        assert!(OutputName::new("a/b.exe").is_err() && OutputName::new("../b.pdf").is_err());
    }
}
