//! Finds the cause of a failed render in the output of LaTeX and pandoc, and its line in the
//! document.
//!
//! R reports only that a program failed, with the path of a log file that is deleted with its
//! folder.

use super::{Backend, RenderJob, RenderSettings, diagnostics::find_missing_style};

/// The cause of a failure of pandoc or LaTeX.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cause {
    pub(super) message: String,
    /// The line of the document, counted from one.
    pub(super) line: Option<usize>,
    pub(super) hint: String,
}

/// Extensions of images.
const IMAGES: [&str; 7] = [".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf", ".eps"];

/// The Debian packages of TeX engines.
const ENGINES: [(&str, &str); 3] = [
    ("xelatex", "texlive-xetex"),
    ("lualatex", "texlive-luatex"),
    ("pdflatex", "texlive-latex-base"),
];

/// Finds the cause of a failure of pandoc or LaTeX.
pub(super) fn find_cause(job: &RenderJob, log: &[String], backend: Backend) -> Option<Cause> {
    // From the most to the least specific, because anything missing also makes LaTeX print a
    // general error.
    find_character(job, log)
        .or_else(|| find_engine(job, log, backend))
        .or_else(|| find_remote_file(job, log))
        .or_else(|| find_image(job, log))
        .or_else(|| find_style(log))
        .or_else(|| find_latex_error(job, log))
}

/// Matches `! LaTeX Error: Unicode character é (U+0301)`.
fn find_character(job: &RenderJob, log: &[String]) -> Option<Cause> {
    let code = log.iter().find_map(|line| {
        let (_, rest) = line.split_once("Unicode character")?;
        rest.split_once("(U+")?.1.split_once(')').map(|(code, _)| code.to_owned())
    })?;
    let character = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
    let line = character.and_then(|character| find_line(job, &character.to_string()));
    Some(Cause {
        message: format!("LaTeX: the character U+{code} is not set up for use with LaTeX"),
        line,
        hint: "remove it, or choose an engine that knows all characters (`latex_engine: xelatex` below `pdf_document:` in the front matter)".to_owned(),
    })
}

/// Matches `sh: 1: xelatex: not found`.
fn find_engine(job: &RenderJob, log: &[String], backend: Backend) -> Option<Cause> {
    let (engine, package) = ENGINES.into_iter().find(|(engine, _)| {
        log.iter().any(|line| {
            line.contains(&format!("{engine}: not found"))
                || line.contains(&format!("{engine} not found"))
        })
    })?;
    Some(missing_engine(job, engine, package, backend))
}

/// The failure for a TeX engine that the document requests and that is not installed.
pub(super) fn missing_engine(
    job: &RenderJob,
    engine: &str,
    package: &str,
    backend: Backend,
) -> Cause {
    let hint = match backend {
        Backend::Local => format!("install it (Debian and Ubuntu: apt install {package}), or use `latex_engine: pdflatex`"),
        Backend::Docker | Backend::Compose => {
            "use an image that has it (`image` in the `[documents]` section), or `latex_engine: pdflatex`".to_owned()
        }
    };
    Cause { message: format!("{engine}: not found"), line: find_line(job, engine), hint }
}

/// The engine requested in the front matter, with its Debian package.
pub(super) fn named_engine(job: &RenderJob) -> Option<(&'static str, &'static str)> {
    let text = document_text(job)?;
    let named =
        text.lines().find_map(|line| line.trim_start().strip_prefix("latex_engine:"))?.trim();
    ENGINES.into_iter().find(|(engine, _)| named.trim_matches(['"', '\'']) == *engine)
}

/// Finds a remote file that pandoc or LaTeX tried to fetch.
fn find_remote_file(job: &RenderJob, log: &[String]) -> Option<Cause> {
    let is_network = |line: &&String| {
        line.contains("name resolution")
            || line.contains("ConnectionFailure")
            || line.contains("Could not fetch")
    };
    let address = log.iter().find_map(|line| {
        find_address(line).filter(|_| line.contains("not found") || line.contains("fetch"))
    });
    let host = log.iter().find_map(|line| {
        line.split_once("host name: Just \"")?.1.split_once('"').map(|(host, _)| host.to_owned())
    });
    let wanted = address.or(host).filter(|_| {
        log.iter().any(|line| is_network(&line))
            || log.iter().any(|line| line.contains("File `http"))
    })?;
    Some(Cause {
        line: find_line(job, &wanted),
        message: format!("`{wanted}` cannot be fetched: renders have no network"),
        hint: "save the file next to the document and use its path".to_owned(),
    })
}

fn find_address(line: &str) -> Option<String> {
    let start = line.find("http://").or_else(|| line.find("https://"))?;
    let address = line[start..].split([' ', '\'', '"', ')', '`']).next()?;
    Some(address.trim_end_matches([':', ',']).to_owned())
}

/// Finds an image or another file of the document that does not exist.
fn find_image(job: &RenderJob, log: &[String]) -> Option<Cause> {
    let by_pandoc = log.iter().find_map(|line| {
        line.split_once("File ")?.1.split_once(" not found in resource path").map(|(file, _)| file)
    });
    let by_latex = || {
        find_missing_style(log).filter(|file| {
            IMAGES.iter().any(|extension| file.to_ascii_lowercase().ends_with(extension))
        })
    };
    let file = by_pandoc.or_else(by_latex)?;
    Some(Cause {
        message: format!("the file `{file}` was not found"),
        line: find_line(job, file),
        hint: "paths are relative to the document, inside the folder of documents".to_owned(),
    })
}

/// Finds a missing LaTeX package.
fn find_style(log: &[String]) -> Option<Cause> {
    let style = find_missing_style(log)?;
    Some(Cause {
        message: format!("LaTeX lacks `{style}`"),
        line: None,
        hint: "install the package that has it (Debian and Ubuntu: texlive-latex-extra; TinyTeX: tinytex::parse_install)".to_owned(),
    })
}

/// Finds any other LaTeX error, which starts with an exclamation mark. A later line has the text up
/// to the error: `l.87 with \\undefined`.
fn find_latex_error(job: &RenderJob, log: &[String]) -> Option<Cause> {
    let at = log.iter().position(|line| line.starts_with("! "))?;
    let error = log[at].trim_start_matches("! ").trim_end_matches([' ', '.']);
    let context = log[at..].iter().skip(1).take(MAX_CONTEXT_LINES).find_map(|line| {
        let (number, text) = line.strip_prefix("l.")?.split_once(' ')?;
        number.parse::<usize>().ok().map(|_| text.trim())
    });
    let command = context
        .and_then(|text| text.rfind('\\').map(|start| &text[start..]))
        .filter(|_| error == "Undefined control sequence");
    let message = match command {
        Some(command) => format!("LaTeX: the command `{command}` is not defined"),
        None => format!("LaTeX: {error}"),
    };
    // The line number is that of the generated LaTeX file, so the text is searched in the document.
    let line =
        command.or(context).filter(|text| !text.is_empty()).and_then(|text| find_line(job, text));
    let hint =
        if command.is_some() { "correct it, or load the package that defines it" } else { "" };
    Some(Cause { message, line, hint: hint.to_owned() })
}

/// Maximum number of lines between a LaTeX error and its location.
const MAX_CONTEXT_LINES: usize = 12;

/// Explains how to install an R package that a document loads.
pub(super) fn package_hint(
    message: &str,
    backend: Backend,
    settings: &RenderSettings,
) -> Option<String> {
    let (_, rest) = message.split_once("there is no package called ")?;
    let name = rest.trim_start_matches(['\'', '‘', '"']).split(['\'', '’', '"']).next()?;
    Some(match backend {
        Backend::Local => format!(
            "; run install.packages(\"{name}\") in R (Debian and Ubuntu: apt install r-cran-{})",
            name.to_lowercase()
        ),
        Backend::Docker | Backend::Compose if settings.image.is_none() => format!(
            "; add it to the image: `packages = [\"{name}\"]` in the `[documents]` section of toolcrib.toml"
        ),
        Backend::Docker | Backend::Compose => {
            "; install it in the image that `image` in the `[documents]` section names".to_owned()
        }
    })
}

fn document_text(job: &RenderJob) -> Option<&str> {
    let document = job.files.iter().find(|file| file.path == job.document)?;
    std::str::from_utf8(&document.bytes).ok()
}

/// Finds the first line of the document that contains a text.
fn find_line(job: &RenderJob, text: &str) -> Option<usize> {
    document_text(job)?.lines().position(|line| line.contains(text)).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::{Backend, RenderJob, find_cause, named_engine};
    use crate::{Format, SourceFile};

    fn job(text: &str) -> RenderJob {
        RenderJob {
            document: "a.Rmd".to_owned(),
            files: vec![SourceFile {
                path: "a.Rmd".to_owned(),
                bytes: text.into(),
                may_be_read: true,
            }],
            format: Format::Pdf,
            params: Default::default(),
            backend: None,
            freshness: Default::default(),
        }
    }

    /// Explains the cause in one line.
    fn explain(text: &str, log: &[&str]) -> String {
        let log: Vec<_> = log.iter().map(|line| (*line).to_owned()).collect();
        let cause = find_cause(&job(text), &log, Backend::Local).expect("a cause");
        format!("{:?} {}; {}", cause.line, cause.message, cause.hint)
    }

    #[test]
    fn causes_have_the_line_of_the_document_and_a_hint() {
        let explained = [
            explain(
                "a\n\ne\u{301}",
                &[
                    "! LaTeX Error: Unicode character \u{301} (U+0301)",
                    "  not set up for use with LaTeX.",
                ],
            ),
            explain("---\nlatex_engine: xelatex\n---", &["! sh: 1: xelatex: not found"]),
            explain("a\n![](logo.png)", &["File logo.png not found in resource path"]),
            explain(
                "![](logo.png)",
                &["! Package pdftex.def Error: File `logo.png' not found: using draft setting."],
            ),
            explain(
                "a\n![](https://x.org/a.png)",
                &["! Package pdftex.def Error: File `https://x.org/a.png' not found"],
            ),
            explain(
                "![](https://x.org/a.png)",
                &[
                    "HttpExceptionRequest Request {",
                    " (ConnectionFailure … host name: Just \"x.org\", …): does not exist (Temporary failure in name resolution))",
                ],
            ),
            explain("a", &["! LaTeX Error: File `framed.sty' not found."]),
            explain(
                "a\n\nb \\wrong{x}",
                &["! Undefined control sequence.", "l.87 b \\wrong", "              {x}"],
            ),
            explain("a", &["! Missing $ inserted."]),
        ];
        insta::assert_snapshot!(explained.join("\n"), @r"
        Some(3) LaTeX: the character U+0301 is not set up for use with LaTeX; remove it, or choose an engine that knows all characters (`latex_engine: xelatex` below `pdf_document:` in the front matter)
        Some(2) xelatex: not found; install it (Debian and Ubuntu: apt install texlive-xetex), or use `latex_engine: pdflatex`
        Some(2) the file `logo.png` was not found; paths are relative to the document, inside the folder of documents
        Some(1) the file `logo.png` was not found; paths are relative to the document, inside the folder of documents
        Some(2) `https://x.org/a.png` cannot be fetched: renders have no network; save the file next to the document and use its path
        Some(1) `x.org` cannot be fetched: renders have no network; save the file next to the document and use its path
        None LaTeX lacks `framed.sty`; install the package that has it (Debian and Ubuntu: texlive-latex-extra; TinyTeX: tinytex::parse_install)
        Some(3) LaTeX: the command `\wrong` is not defined; correct it, or load the package that defines it
        None LaTeX: Missing $ inserted; 
        ");
    }

    #[test]
    fn finds_the_engine_in_the_front_matter() {
        let text = "---\noutput:\n  pdf_document:\n    latex_engine: xelatex\n---\n";
        assert_eq!(named_engine(&job(text)), Some(("xelatex", "texlive-xetex")));
        assert_eq!(named_engine(&job("text")), None);
    }
}
