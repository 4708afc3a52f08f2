//! Whether a document depends on more than its files: the clock, random numbers, the network, or
//! files elsewhere. A cached render of such a document may be stale.
//!
//! The text is searched, not parsed: a false positive costs a render, a false negative serves a
//! stale result.

/// R and Python functions that read the clock.
const CLOCK: [&str; 9] = [
    "Sys.time(",
    "Sys.Date(",
    "date()",
    "now(",
    "today(",
    "proc.time(",
    "system.time(",
    "time.time(",
    "$(date",
];

/// Functions that draw random numbers.
const RANDOM: [&str; 16] = [
    "sample(",
    "sample.int(",
    "runif(",
    "rnorm(",
    "rbinom(",
    "rpois(",
    "rexp(",
    "rgamma(",
    "rbeta(",
    "rt(",
    "rchisq(",
    "rweibull(",
    "sample_n(",
    "slice_sample(",
    "kmeans(",
    "random.",
];

/// Functions that seed the random number generator, which makes every run the same.
const SEED: [&str; 2] = ["set.seed(", "seed("];

/// Functions that use the network.
const NETWORK: [&str; 8] = [
    "download.file(",
    "url(",
    "curl(",
    "httr::",
    "httr2::",
    "read_html(",
    "urlopen(",
    "requests.get(",
];

/// Functions that access more of the machine than the documents.
const MACHINE: [&str; 7] =
    ["Sys.getenv(", "Sys.getpid(", "Sys.info(", "file.info(", "file.mtime(", "system(", "system2("];

/// What a text depends on besides files, as a phrase that follows "it uses".
pub fn find_volatile(text: &str) -> Option<&'static str> {
    let calls = |names: &[&str]| names.iter().any(|name| has_call(text, name));
    if calls(&CLOCK) {
        Some("the clock")
    } else if calls(&RANDOM) && !calls(&SEED) {
        Some("random numbers")
    } else if calls(&NETWORK)
        || ["\"http", "'http"].iter().any(|start| text.contains(&format!("({start}")))
    {
        Some("the network")
    } else if calls(&MACHINE) || has_path_elsewhere(text) {
        Some("files or programs outside the folder of documents")
    } else {
        None
    }
}

/// Whether the text has this call as a whole name: `known(` does not contain `now(`.
fn has_call(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'))
    })
}

/// Whether a string begins with an absolute path or the home folder.
fn has_path_elsewhere(text: &str) -> bool {
    let is_path = |rest: &str| {
        rest.starts_with("~/")
            || rest
                .strip_prefix('/')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    text.match_indices(['"', '\'']).any(|(at, quote)| is_path(&text[at + quote.len()..]))
}

#[cfg(test)]
mod tests {
    use super::find_volatile;

    #[test]
    fn detects_what_changes_without_the_files() {
        for (text, found) in [
            ("date: \"`r Sys.Date()`\"", Some("the clock")),
            ("`r format(Sys.time(), '%H')`", Some("the clock")),
            ("lubridate::now()", Some("the clock")),
            ("hist(rnorm(100))", Some("random numbers")),
            ("set.seed(1)\nhist(rnorm(100))", None),
            ("read.csv(\"https://example.org/x.csv\")", Some("the network")),
            ("read.csv('/data/x.csv')", Some("files or programs outside the folder of documents")),
            ("read.csv(\"~/x.csv\")", Some("files or programs outside the folder of documents")),
            ("it is known(2) and paste0(a, \"/\", b), [link](https://example.org)", None),
            ("plot(cars)", None),
        ] {
            assert_eq!(find_volatile(text), found, "{text}");
        }
    }
}
