//! The chunk engines of knitr and Quarto.

/// Engines that knitr or Quarto ship, in lower case. Packages can register more, so an engine that
/// is missing here is only worth a warning.
#[rustfmt::skip]
pub(super) const ENGINES: [&str; 62] = [
    "r", "rscript", "python", "py", "bash", "sh", "zsh", "sql", "julia", "stan", "rcpp", "css", "js",
    "javascript", "node", "html", "asis", "block", "block2", "bslib", "c", "cc", "cpp", "cat", "coffee",
    "comment", "ditaa", "dot", "mermaid", "ojs", "embed", "eviews", "exec", "fortran", "fortran95",
    "gawk", "awk", "glue", "glue_sql", "gluesql", "go", "groovy", "haskell", "highlight", "lein", "mysql",
    "octave", "perl", "php", "powershell", "psql", "ruby", "sas", "sass", "scala", "scss", "sed", "stata",
    "targets", "tikz", "verbatim", "webr",
];
