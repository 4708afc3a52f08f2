//! Names of documents and of what was rendered: paths that stay inside and that every program on the
//! way to a finished report can take.

use std::fmt;

use toolkit::{ErrorType, Failure};

/// The endings of documents, the usual one first.
const ENDINGS: [&str; 3] = [".Rmd", ".rmd", ".qmd"];

/// The folder of what was rendered, which has no documents in it.
pub(super) const OUTPUT: &str = "output";

/// The longest name, in bytes, and the most folders in it.
const LONGEST: usize = 200;
pub(super) const DEEPEST: usize = 8;

/// The name of a document: a path below the folder of documents, with its ending.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentName(String);

/// The name of something rendered: a path below the folder of outputs, with its ending.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OutputName(String);

/// What a document is rendered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// A page for browsers.
    Html,
    /// A document to print.
    Pdf,
    /// A document for a word processor.
    Docx,
}

impl DocumentName {
    /// Reads the name of a document to be made. The ending is added if there is none of those that documents have.
    pub fn new(text: &str) -> Result<Self, Failure> {
        check_new(text)?;
        Self::ended(text)
    }

    /// Reads the name of a document that may be there already: others may have named it as they like.
    pub(super) fn existing(text: &str) -> Result<Self, Failure> {
        check_inside(text)?;
        Self::ended(text)
    }

    fn ended(text: &str) -> Result<Self, Failure> {
        if is_in_output(text) {
            return Err(bad(
                text,
                "the folder `output` is for what was rendered",
                "choose another folder",
            ));
        }
        let extension = text.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
        let is_document = is_document(text);
        if !is_document && matches!(extension.as_deref(), Some("rmd" | "qmd")) {
            return Err(bad(
                text,
                "its ending is not written like that",
                "write `.Rmd`, `.rmd` or `.qmd`",
            ));
        }
        Ok(Self(if is_document { text.to_owned() } else { format!("{text}{}", ENDINGS[0]) }))
    }

    /// The names that a text may stand for, the likeliest first: without an ending, it may be any.
    pub(super) fn candidates(text: &str) -> Result<Vec<Self>, Failure> {
        let named = Self::existing(text)?;
        Ok(match named.0 == text {
            true => vec![named],
            false => ENDINGS.iter().map(|ending| Self(format!("{text}{ending}"))).collect(),
        })
    }

    /// Whether R Markdown can take the name: a document that others made may have any.
    pub fn check_renderable(&self) -> Result<(), Failure> {
        check_new(&self.0)
    }

    /// The path below the folder of documents.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path without its ending.
    pub fn stem(&self) -> &str {
        self.0.rsplit_once('.').map_or(&self.0, |(stem, _)| stem)
    }

    /// Whether it is for Quarto.
    pub fn is_quarto(&self) -> bool {
        self.0.ends_with(".qmd")
    }

    /// What it is rendered to.
    pub fn output(&self, kind: OutputKind) -> OutputName {
        OutputName(format!("{}.{}", self.stem(), kind.extension()))
    }
}

impl OutputName {
    /// Reads a name, which must end as outputs do.
    pub fn new(text: &str) -> Result<Self, Failure> {
        check_inside(text)?;
        let kind = OutputKind::of(text);
        kind.map(|_| Self(text.to_owned())).ok_or_else(|| {
            bad(
                text,
                "it is nothing that a document is rendered to",
                "outputs end in `.html`, `.pdf` or `.docx`",
            )
        })
    }

    /// The path below the folder of outputs.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What it is.
    pub fn kind(&self) -> OutputKind {
        OutputKind::of(&self.0).expect("a name is only made with such an ending")
    }
}

impl OutputKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Html, Self::Pdf, Self::Docx];

    fn of(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit_once('.')?;
        Self::ALL.into_iter().find(|kind| kind.extension() == extension)
    }

    /// The ending, without a dot.
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

/// Whether a file is a document, by the ending of its path.
pub(super) fn is_document(path: &str) -> bool {
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// Whether a path lies in the folder of outputs, on a disk that may not tell capitals from small letters.
fn is_in_output(path: &str) -> bool {
    path.split_once('/').is_some_and(|(first, _)| first.eq_ignore_ascii_case(OUTPUT))
}

/// What holds of every name: it stays inside, shows what it is, and has an end.
fn check_inside(text: &str) -> Result<(), Failure> {
    if text.len() > LONGEST {
        let shown: String = text.chars().take(40).collect();
        return Err(bad(
            &format!("{shown}…"),
            "it is too long",
            &format!("a name may have {LONGEST} bytes"),
        ));
    }
    if text.is_empty() {
        return Err(bad(
            text,
            "it is empty",
            "name the document, such as `report` or `2026/report`",
        ));
    }
    if text.starts_with('/') || text.contains('\\') || text.split('/').any(|part| part == "..") {
        return Err(bad(
            text,
            "it leads out of the folder of documents",
            "write a path below it, such as `2026/report`",
        ));
    }
    if let Some(control) = text.chars().find(|c| c.is_control()) {
        return Err(bad(
            text,
            &format!("it has {} in it", spelled(control)),
            "use letters and digits",
        ));
    }
    if text.split('/').any(|part| part.is_empty() || part.starts_with(['.', '-'])) {
        return Err(bad(
            text,
            "a part of it is empty, or begins with `.` or `-`",
            "begin each part with a letter or digit",
        ));
    }
    match text.matches('/').count() > DEEPEST {
        true => Err(bad(text, "it has too many folders", &format!("use at most {DEEPEST}"))),
        false => Ok(()),
    }
}

/// What holds of the names that are made here: every program on the way to a report can take them.
fn check_new(text: &str) -> Result<(), Failure> {
    check_inside(text)?;
    match text.chars().find(|c| !is_allowed(*c)) {
        Some(found) => {
            let why = format!(
                "it has {} in it, which R Markdown or a file system cannot take",
                spelled(found)
            );
            Err(bad(
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

fn spelled(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        '\n' | '\r' => "a line break".to_owned(),
        '\0' => "a NUL".to_owned(),
        '`' => "a backquote".to_owned(),
        c if c.is_control() => "a control character".to_owned(),
        c => format!("`{c}`"),
    }
}

fn bad(text: &str, why: &str, hint: &str) -> Failure {
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
    fn an_ending_is_added_where_there_is_none() {
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
    fn names_that_lead_out_or_break_programs_are_refused_with_a_reason() {
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
            ("output/x", "what was rendered"),
            ("Output/x", "what was rendered"),
            ("x.RMD", "ending"),
            (&"x".repeat(201), "too long"),
            (&"x/".repeat(20), "empty"),
            ("a/a/a/a/a/a/a/a/a/a", "too many folders"),
        ] {
            let refused = DocumentName::new(text).expect_err(text);
            assert!(refused.message.contains(why), "{text:?}: {}", refused.message);
            assert_eq!(refused.error_type, ErrorType::InvalidFilename);
        }
        for one in "< > ( ) | \\ : & ; # ? *".split(' ') {
            assert!(DocumentName::new(&format!("a{one}b")).is_err(), "{one}");
        }
    }

    #[test]
    fn an_output_is_named_after_its_document() {
        let name = DocumentName::new("a/b.c").expect("a name");
        assert_eq!(name.output(OutputKind::Docx).as_str(), "a/b.c.docx");
        assert!(OutputName::new("a/b.html").is_ok_and(|name| name.kind() == OutputKind::Html));
        assert!(OutputName::new("a/b.exe").is_err() && OutputName::new("../b.pdf").is_err());
    }
}
