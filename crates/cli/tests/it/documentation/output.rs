//! Compares what a command prints with what a page shows.

use regex::Regex;

/// Codes and ids on the pages, which stand for those of the test.
const STAND_INS: [(&str, &str); 1] = [("4m2xk7", "[a-z2-7]{6}")];

/// Values that stand-ins of a page have got so far.
#[derive(Default)]
pub(super) struct StandIns(Vec<(&'static str, String)>);

impl StandIns {
    /// Puts the values into a command.
    pub(super) fn replace(&self, command: &str) -> String {
        let replace = |text: String, (name, value): &(&str, String)| text.replace(name, value);
        self.0.iter().fold(command.to_owned(), replace)
    }

    /// Whether the output is as shown. Remembers the values of stand-ins.
    pub(super) fn matches(&mut self, shown: &str, output: &str) -> bool {
        let mut pattern = pattern_of(shown);
        for (name, form) in STAND_INS.iter().filter(|(name, _)| shown.contains(name)) {
            let known = self.0.iter().find(|(known, _)| known == name);
            let form = known.map_or((*form).to_owned(), |(_, value)| value.clone());
            // A name may occur several times; the first one decides.
            pattern = pattern.replacen(name, &format!("(?P<c{name}>{form})"), 1);
            pattern = pattern.replace(&format!(" {name}"), &format!(" {form}"));
        }
        let pattern = Regex::new(&pattern).expect("a valid pattern");
        let Some(found) = pattern.captures(output.trim_end()) else { return false };
        for (name, _) in STAND_INS {
            let value = found.name(&format!("c{name}")).map(|value| value.as_str().to_owned());
            if let Some(value) = value.filter(|_| !self.0.iter().any(|(known, _)| *known == name)) {
                self.0.push((name, value));
            }
        }
        true
    }
}

/// `…` on a line of its own stands for any lines, elsewhere for any text of a line.
fn pattern_of(shown: &str) -> String {
    let mut pattern = String::from("^");
    for line in shown.trim_end().lines() {
        if line.trim() == "…" {
            pattern.push_str("(?:.*\n)*?");
        } else {
            let parts: Vec<_> = line.trim_end().split('…').map(regex::escape).collect();
            pattern.push_str(&parts.join(".*"));
            pattern.push_str(" *\n");
        }
    }
    // The output has no line break at its end.
    match pattern.strip_suffix("(?:.*\n)*?") {
        Some(before) => format!(
            "{}(?s:.*)$",
            before.trim_end_matches('\n').to_owned()
                + if before.len() > 1 { "(?:\n|$)" } else { "" }
        ),
        None => format!("{}$", pattern.trim_end_matches('\n')),
    }
}

#[test]
fn an_ellipsis_stands_for_text_or_lines() {
    let mut known = StandIns::default();
    assert!(known.matches("a…c\n", "abbc"));
    assert!(!known.matches("a…c\n", "abb"));
    assert!(known.matches("first\n…\nlast\n", "first\nsecond\nthird\nlast\n"));
    assert!(known.matches("first\n…\nlast\n", "first\nlast\n"));
    assert!(known.matches("…\n", "anything\nat all"));
    assert!(known.matches("first\n…\n", "first"));
    assert!(!known.matches("first\n…\n", "second\nthird"));
    assert!(!known.matches("first\n", "first\nsecond"));
}

#[test]
fn a_stand_in_keeps_its_value() {
    let mut known = StandIns::default();
    assert!(known.matches("code 4m2xk7\n", "code abcdef"));
    assert_eq!(known.replace("approve 4m2xk7"), "approve abcdef");
    assert!(!known.matches("code 4m2xk7\n", "code fedcba"));
}
