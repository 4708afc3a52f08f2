//! Is a parameter's name a plural? It decides whether a default of several values is a choice.

/// Words that end in s and are one thing.
const SINGULAR: [&str; 33] = [
    "abs", "alias", "always", "atlas", "bias", "canvas", "chaos", "cos", "cosmos", "dns", "ethos",
    "gas", "gps", "has", "https", "lens", "mars", "news", "os", "pancreas", "pos", "sens",
    "series", "sms", "species", "ss", "texas", "this", "tls", "trans", "was", "yes", "whereas",
];

/// Words that end as one thing does and are several.
const PLURAL: [&str; 26] = [
    "apis",
    "children",
    "cpus",
    "criteria",
    "feet",
    "geese",
    "gpus",
    "gurus",
    "guis",
    "indices",
    "matrices",
    "men",
    "menus",
    "mice",
    "people",
    "phenomena",
    "pois",
    "rabbis",
    "skis",
    "taxis",
    "teeth",
    "tpus",
    "uis",
    "vertices",
    "wikis",
    "women",
];

/// Whether the last word of a name is a plural.
pub(super) fn is_plural(name: &str) -> bool {
    let word = last_word(name);
    let is_one = ["ss", "us", "is"].iter().any(|end| word.ends_with(end))
        || SINGULAR.contains(&word.as_str());
    PLURAL.contains(&word.as_str()) || word.len() > 2 && word.ends_with('s') && !is_one
}

/// The last word of `log_levels`, `log.levels` or `logLevels`, without digits behind it.
fn last_word(name: &str) -> String {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '.'));
    let part = name.rsplit(['_', '.', '-']).next().unwrap_or(name);
    let is_shouted = !part.chars().any(char::is_lowercase);
    let start = part.rfind(char::is_uppercase).filter(|_| !is_shouted).unwrap_or(0);
    part[start..].to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::is_plural;

    #[test]
    fn a_final_s_is_not_enough() {
        for name in [
            "status",
            "axis",
            "class",
            "basis",
            "bias",
            "mode",
            "series",
            "x",
            "is",
            "kind",
            "file_status",
            "bus",
            "address",
        ] {
            assert!(!is_plural(name), "{name}");
        }
        for name in [
            "modes",
            "kinds",
            "log_levels",
            "logLevels",
            "axes",
            "indices",
            "criteria",
            "children",
            "col.names",
            "LEVELS",
            "types2",
        ] {
            assert!(is_plural(name), "{name}");
        }
    }
}
