//! The rules for `[documents]`.

use catalog::{Rule, Severity};

pub(crate) static BROKEN_DOCUMENTS: Rule = Rule {
    code: "TC850",
    name: "broken-documents",
    severity: Severity::Error,
    why: "`[documents]` names one folder in which documents are found, written and rendered; no file outside of it is \
          touched. `dir` is relative to the crib and is created if it does not exist. Limits such as `max_bytes` must be \
          greater than 0.",
    bad: "[documents]\nenabled = true\ndir = \"\"\n",
    good: "[documents]\nenabled = true\ndir = \"rmd\"\n",
};

pub(crate) static FORBIDDEN_BACKEND: Rule = Rule {
    code: "TC851",
    name: "forbidden-backend",
    severity: Severity::Error,
    why: "Rendering a document runs the code in it. The backend `local` runs it with the permissions of the user who \
          started the server, so it must be allowed as well as chosen.",
    bad: "[documents]\nenabled = true\nbackend = \"local\"\n",
    good: "[documents]\nenabled = true\nbackend = \"local\"\nallow_local = true\n",
};
