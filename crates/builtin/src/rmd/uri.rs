//! Addresses of documents and outputs: `rmd:///name.Rmd` and `rmd-output:///name.html`.

use toolkit::ResourceError;

use super::{
    name::{DocumentName, OutputName},
    store,
};
use crate::percent::{decode, encode_path};

const DOCUMENT: &str = "rmd:///";
const OUTPUT: &str = "rmd-output:///";

/// The families of documents and of outputs.
pub(super) const DOCUMENTS: &str = "rmd:///{name}";
pub(super) const OUTPUTS: &str = "rmd-output:///{name}";

/// What an address leads to.
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

/// What an address leads to, if it is one that a document or output can have.
pub(super) fn parse(uri: &str) -> Option<Target> {
    if let Some(path) = uri.strip_prefix(DOCUMENT) {
        let path = decode(path)?;
        let name = DocumentName::existing(&path).ok()?;
        // An address is the whole name: no ending is guessed.
        return (name.as_str() == path).then_some(Target::Document(name));
    }
    let path = decode(uri.strip_prefix(OUTPUT)?)?;
    OutputName::new(&path).ok().map(Target::Output)
}

/// Why nothing is at an address.
pub(super) fn explain_missing(uri: &str) -> ResourceError {
    let shown = uri.escape_debug();
    let name = |path: &str| decode(path).as_deref().unwrap_or(path).escape_debug().to_string();
    match (uri.strip_prefix(DOCUMENT), uri.strip_prefix(OUTPUT)) {
        (Some(""), _) | (_, Some("")) => {
            ResourceError::Malformed(format!("Invalid URI format: `{shown}` names nothing"))
        }
        (Some(path), _) => ResourceError::NotFound(store::not_found(name(path))),
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
    fn every_name_has_an_address_that_leads_back_to_it() {
        for name in ["example.Rmd", "a/b+c.qmd", "größe/日本.rmd", "my report.Rmd"] {
            let name = DocumentName::existing(name).expect("a name");
            let uri = for_document(&name);
            assert!(uri.is_ascii(), "{uri}");
            assert_eq!(parse(&uri), Some(Target::Document(name)));
        }
    }

    #[test]
    fn a_template_that_encodes_everything_leads_there_as_well() {
        assert_eq!(parse("rmd:///a%2Fb.Rmd"), parse("rmd:///a/b.Rmd"));
    }

    #[test]
    fn nothing_else_is_an_address() {
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
