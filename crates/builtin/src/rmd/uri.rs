//! URIs of documents and outputs: `rmd:///name.Rmd` and `rmd-output:///name.html`.

use toolkit::ResourceError;

use super::{
    name::{DocumentName, OutputName},
    store,
};
use crate::percent::{decode, encode_path};

const DOCUMENT: &str = "rmd:///";
const OUTPUT: &str = "rmd-output:///";

/// The URI templates of documents and outputs.
pub(super) const DOCUMENT_TEMPLATE: &str = "rmd:///{name}";
pub(super) const OUTPUT_TEMPLATE: &str = "rmd-output:///{name}";

/// What a URI identifies.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    Document(DocumentName),
    Output(OutputName),
}

pub(super) fn for_document(name: &DocumentName) -> String {
    format!("{DOCUMENT}{}", encode_path(name.as_str()))
}

pub(super) fn for_output(name: &OutputName) -> String {
    format!("{OUTPUT}{}", encode_path(name.as_str()))
}

/// Parses a URI. `None` if no document or output can have it.
pub(super) fn parse(uri: &str) -> Option<Target> {
    if let Some(path) = uri.strip_prefix(DOCUMENT) {
        let path = decode(path)?;
        let name = DocumentName::parse_existing(&path).ok()?;
        // A URI has the full name: no extension is guessed.
        return (name.as_str() == path).then_some(Target::Document(name));
    }
    let path = decode(uri.strip_prefix(OUTPUT)?)?;
    OutputName::new(&path).ok().map(Target::Output)
}

/// Why there is no resource for a URI.
pub(super) fn explain_missing(uri: &str) -> ResourceError {
    let shown = uri.escape_debug();
    let name = |path: &str| decode(path).as_deref().unwrap_or(path).escape_debug().to_string();
    match (uri.strip_prefix(DOCUMENT), uri.strip_prefix(OUTPUT)) {
        (Some(""), _) | (_, Some("")) => {
            ResourceError::Malformed(format!("Invalid URI format: `{shown}` names nothing"))
        }
        // The same words as the tools, which clients of other R Markdown servers match.
        (Some(path), _) => ResourceError::NotFound(store::missing_message(name(path))),
        (_, Some(path)) => {
            ResourceError::NotFound(format!("Rendered output not found: {}", name(path)))
        }
        (None, None) => ResourceError::Malformed(format!(
            "Invalid URI format: `{shown}` does not begin with `{DOCUMENT}` or `{OUTPUT}`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{DocumentName, Target, for_document, parse};

    #[test]
    fn every_name_survives_a_round_trip() {
        for name in ["example.Rmd", "a/b+c.qmd", "größe/日本.rmd", "my report.Rmd"] {
            let name = DocumentName::parse_existing(name).expect("a name");
            let uri = for_document(&name);
            assert!(uri.is_ascii(), "{uri}");
            assert_eq!(parse(&uri), Some(Target::Document(name)));
        }
    }

    #[test]
    fn accepts_encoded_slashes() {
        assert_eq!(parse("rmd:///a%2Fb.Rmd"), parse("rmd:///a/b.Rmd"));
    }

    #[test]
    fn rejects_other_uris() {
        for uri in [
            "rmd:///example",
            "rmd:///../x.Rmd",
            "rmd:///%2e%2e/x.Rmd",
            "rmd://x.Rmd",
            "rmd-output:///x.Rmd",
            "file:///x.Rmd",
        ] {
            assert_eq!(parse(uri), None, "{uri}");
        }
    }
}
