//! The commands in the documentation that no test runs, with reasons.

use super::commands::Documented;

const BUILDS: &str = "builds the program, which the tests have done";
const SERVES: &str = "serves until it is stopped; the tests of `serve` and `tokens` start it";
const PACKS: &str = "packs the program, which takes minutes for a debug build; the tests of `export` pack a small one";
const RELEASED: &str =
    "needs a release; scripts/distribution and scripts/image-check use one of this machine";
const SYSTEM: &str = "changes the system";

/// Page, start of the command, reason.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
    ("README.md", "cargo install", BUILDS),
    ("README.md", "cargo run", BUILDS),
    ("README.md", "scripts/test", "runs all tests"),
    ("docs/tutorial.md", "cargo install", BUILDS),
    ("docs/approval.md", "toolcrib approve CODE ", "`CODE` stands for the code of a call"),
    ("docs/approval.md", "toolcrib approve --watch", "waits until it is stopped"),
    ("docs/clients.md", "toolcrib serve --http", SERVES),
    ("docs/clients.md", "toolcrib connect claude-code --http", "needs the server before it"),
    ("docs/clients.md", "toolcrib connect cursor --profile", "needs the server before it"),
    ("docs/confinement.md", "systemd-run", SYSTEM),
    ("docs/http.md", "toolcrib serve --http", SERVES),
    ("docs/installing.md", "curl -fsSL", RELEASED),
    ("docs/installing.md", "cargo binstall", RELEASED),
    ("docs/installing.md", "cargo install", RELEASED),
    ("docs/installing.md", "sudo apt", SYSTEM),
    ("docs/installing.md", "sudo systemctl", SYSTEM),
    ("docs/installing.md", "docker run --rm", RELEASED),
    ("docs/installing.md", "docker run --read-only", RELEASED),
    ("docs/log.md", "toolcrib log --watch", "follows until it is stopped"),
    ("docs/operations.md", "toolcrib operations list --watch", "shows operations of its own text"),
    ("docs/operations.md", "toolcrib operations logs", "the id stands for one of yours"),
    ("docs/operations.md", "toolcrib operations cancel", "the id stands for one of yours"),
    ("docs/packages.md", "toolcrib export mcpb", PACKS),
    ("docs/packages.md", "toolcrib export server-json", PACKS),
    ("docs/r.md", "toolcrib serve --package", "needs an R package from CRAN"),
    ("docs/rmarkdown.md", "apt install r-base-core", SYSTEM),
    ("docs/rmarkdown.md", "apt install texlive", SYSTEM),
    (
        "docs/rmarkdown.md",
        "toolcrib call render_rmd filename=first format=pdf",
        "needs TeX; the tests of `rendering` render PDF",
    ),
    ("docs/rmarkdown.md", "echo '{\"jsonrpc\"", "the answer depends on the protocol revision"),
    ("docs/specifications.md", "toolcrib check --against 'python", "needs a server of yours"),
    ("docs/specifications.md", "toolcrib check --against http", "needs a server of yours"),
    ("docs/versions.md", "git fetch", "needs a remote repository"),
];

/// Why a command is not run, if it is not.
pub(super) fn find_reason(page: &str, command: &Documented) -> Option<&'static str> {
    let is_it = |entry: &&(&str, &str, &str)| entry.0 == page && command.text.starts_with(entry.1);
    COMMANDS.iter().find(is_it).map(|entry| entry.2)
}
