//! Help texts in all layouts, with the names, values, choices and subcommands that they list.
//!
//! The programs are invented, and each text has the traps of its layout: names in descriptions and examples,
//! texts that begin in the column of names, long names that leave one blank before their text.

use std::{collections::BTreeSet, fs, path::Path};

use import::read_help;

/// What a text lists, or what was read from it.
#[derive(Default)]
struct Listed {
    commands: BTreeSet<String>,
    names: BTreeSet<String>,
    /// The name of each option, with `=` if it takes a value.
    values: BTreeSet<String>,
    choices: BTreeSet<String>,
}

/// Reads a truth: the subcommands, then the names of an option a line, `=` behind one that takes a value,
/// and its choices.
fn read_truth(text: &str) -> Listed {
    let mut listed = Listed::default();
    for line in text.lines() {
        if !line.starts_with('-') {
            listed.commands.extend(line.split_whitespace().map(str::to_owned));
            continue;
        }
        let (names, choices): (Vec<&str>, Vec<&str>) =
            line.split_whitespace().partition(|word| word.starts_with('-'));
        let takes_value = names.iter().any(|name| name.ends_with('='));
        for name in &names {
            let name = name.trim_end_matches('=');
            listed.names.insert(name.to_owned());
            if !name.starts_with("--no-") {
                listed.values.insert(format!("{name}{}", if takes_value { "=" } else { "" }));
            }
        }
        if !choices.is_empty() {
            listed.choices.insert(format!("{} {}", names[names.len() - 1], choices.join(" ")));
        }
    }
    listed
}

fn read_layout(name: &str, text: &[u8]) -> Listed {
    let words: &[&str] = match name {
        "kubectl" | "git_sub" => &["shelf", "list"],
        "npm_sub" => &["shelf", "add"],
        _ => &["shelf"],
    };
    let path: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let command = read_help(text, "shelf --help", &path).command;
    let mut listed = Listed::default();
    listed.commands.extend(command.subcommands.into_iter().map(|command| command.name));
    for flag in command.options {
        for name in &flag.names {
            listed.names.insert(name.clone());
            if !name.starts_with("--no-") {
                listed
                    .values
                    .insert(format!("{name}{}", if flag.value.is_some() { "=" } else { "" }));
            }
        }
        listed.names.extend(flag.negation);
        if let Some(choices) = flag.choices {
            let long = flag.names.iter().rfind(|name| name.starts_with("--"));
            listed.choices.insert(format!(
                "{}= {}",
                long.map_or("", String::as_str),
                choices.value.join(" ")
            ));
        }
    }
    listed
}

#[derive(Default)]
struct Figure {
    expected: usize,
    found: usize,
    right: usize,
    differences: Vec<String>,
}

impl Figure {
    fn add(&mut self, layout: &str, expected: &BTreeSet<String>, found: &BTreeSet<String>) {
        self.expected += expected.len();
        self.found += found.len();
        self.right += expected.intersection(found).count();
        self.differences
            .extend(expected.difference(found).map(|name| format!("{layout}: missing {name}")));
        self.differences
            .extend(found.difference(expected).map(|name| format!("{layout}: false {name}")));
    }

    fn check(&self, what: &str, recall: f64, precision: f64) {
        let share = |of: usize| self.right as f64 / of.max(1) as f64;
        let (is_recall, is_precision) = (share(self.expected), share(self.found));
        assert!(
            is_recall >= recall && is_precision >= precision,
            "{what}: recall {is_recall:.3}, precision {is_precision:.3}\n{}",
            self.differences.join("\n")
        );
    }
}

#[test]
fn all_layouts_are_read_completely() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/layouts");
    let entries =
        fs::read_dir(folder).expect("layouts").map(|entry| entry.expect("an entry").path());
    let texts: BTreeSet<_> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    assert_eq!(texts.len(), 18);
    let (mut names, mut commands, mut values, mut choices) =
        (Figure::default(), Figure::default(), Figure::default(), Figure::default());
    for path in texts {
        let layout = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let truth = read_truth(&fs::read_to_string(path.with_extension("truth")).expect("a truth"));
        let read = read_layout(layout, &fs::read(&path).expect("a text"));
        names.add(layout, &truth.names, &read.names);
        commands.add(layout, &truth.commands, &read.commands);
        values.add(layout, &truth.values, &read.values);
        choices.add(layout, &truth.choices, &read.choices);
    }
    names.check("names of options", 1.0, 1.0);
    commands.check("subcommands", 1.0, 1.0);
    values.check("options with and without a value", 1.0, 1.0);
    choices.check("choices", 1.0, 1.0);
}
