//! The top-level modules of every crate depend on each other without cycles.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use testing::repository;

#[test]
fn top_level_modules_have_no_cycles() {
    for source in crate_sources() {
        let name = source.parent().and_then(Path::file_name).expect("a crate").to_string_lossy();
        let graph = ModuleGraph::read(&source);
        let cycles = graph.cycles();
        assert!(cycles.is_empty(), "modules of {name} depend on each other: {cycles:?}");
    }
}

#[test]
fn finds_references_in_every_form() {
    let text = "use crate::{a, b::{c, d}, E};\nuse super::super::f;\nlet g = crate::g::h();\n\
                // crate::comment\n#[cfg(test)]\nuse crate::i;\n\
                #[cfg(test)]\nmod tests {\n use crate::i; }";
    assert_eq!(referenced_names(text, 2), ["E", "a", "b", "f", "g"].map(str::to_owned).into());
}

fn crate_sources() -> Vec<PathBuf> {
    let crates = fs::read_dir(repository().join("crates")).expect("the crates");
    let sources = crates.map(|entry| entry.expect("a crate").path().join("src"));
    let mut sources: Vec<_> = sources.filter(|source| source.is_dir()).collect();
    sources.sort();
    sources
}

/// Which top-level modules use which others.
struct ModuleGraph(BTreeMap<String, BTreeSet<String>>);

impl ModuleGraph {
    fn read(source: &Path) -> Self {
        let root = ["lib.rs", "main.rs"].map(|name| source.join(name));
        let root = root.iter().find(|root| root.is_file()).expect("a crate root");
        let root = product_code(&fs::read_to_string(root).expect("a source file"));
        let declared = root.lines().filter_map(|line| line.trim().strip_suffix(';'));
        let modules = declared.filter_map(|line| line.rsplit_once("mod ").map(|(_, name)| name));
        let mut graph: BTreeMap<_, _> =
            modules.map(|name| (name.to_owned(), BTreeSet::new())).collect();
        let reexports = reexports(&root, &graph);
        for file in source_files(source) {
            let path = file.strip_prefix(source).expect("a file of the crate").with_extension("");
            let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
            if !graph.contains_key(&*names[0]) {
                continue;
            }
            let text = fs::read_to_string(&file).expect("a source file");
            let used = referenced_names(&text, names.len()).into_iter().filter_map(|name| {
                if graph.contains_key(&name) { Some(name) } else { reexports.get(&name).cloned() }
            });
            let used: Vec<_> = used.filter(|name| *name != names[0]).collect();
            graph.get_mut(&*names[0]).expect("a module").extend(used);
        }
        Self(graph)
    }

    /// The sets of modules that reach each other.
    fn cycles(&self) -> BTreeSet<BTreeSet<&str>> {
        let reached: BTreeMap<_, _> =
            self.0.keys().map(|module| (module.as_str(), self.reachable(module))).collect();
        let in_cycle = |module: &&str| reached[module].contains(module);
        let cycle = |module: &str| {
            let all = reached[module].iter().copied();
            all.filter(|other| reached[other].contains(module)).collect()
        };
        self.0.keys().map(String::as_str).filter(in_cycle).map(cycle).collect()
    }

    fn reachable(&self, from: &str) -> BTreeSet<&str> {
        let (mut found, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            for next in &self.0[module] {
                if found.insert(next.as_str()) {
                    open.push(next);
                }
            }
        }
        found
    }
}

/// Items that the crate root imports from a module: naming one of them uses that module.
fn reexports<T>(root: &str, modules: &BTreeMap<String, T>) -> BTreeMap<String, String> {
    let uses = root.split("use ").skip(1).filter_map(|rest| rest.split_once(';'));
    let items = uses.filter_map(|(tree, _)| {
        let (module, items) = tree.split_once("::")?;
        modules.contains_key(module).then(|| (module.to_owned(), items.to_owned()))
    });
    let named = items.flat_map(|(module, items)| {
        let names: Vec<_> = words(&items).map(str::to_owned).collect();
        names.into_iter().map(move |name| (name, module.clone()))
    });
    named.collect()
}

/// The names below the crate root that a file refers to; `depth` is the number of its modules.
fn referenced_names(text: &str, depth: usize) -> BTreeSet<String> {
    let code = product_code(text);
    let supers = "super::".repeat(depth);
    let from_root = code.match_indices("crate::").map(|(at, name)| at + name.len());
    let from_parent = code.match_indices(&supers).filter_map(|(at, name)| {
        let is_whole = !code[..at].ends_with(':') && !code[at + name.len()..].starts_with("super");
        is_whole.then_some(at + name.len())
    });
    from_root.chain(from_parent).flat_map(|at| first_names(&code[at..])).collect()
}

/// The first name of a path, or those of each path in a group: `a` and `b` of `{a, b::{c, d}}`.
fn first_names(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else {
        return words(path).next().map(str::to_owned).into_iter().collect();
    };
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.extend(words(&group[start..at]).next().map(str::to_owned));
                start = at + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The code without comments and tests.
pub(crate) fn product_code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // A test module is the last item of a file; any other such item has one line.
            if lines.next().is_none_or(|item| item.starts_with("mod ") && item.ends_with('{')) {
                break;
            }
            continue;
        }
        code.push_str(line.split("//").next().unwrap_or_default());
        code.push('\n');
    }
    code
}

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let files =
        entries.flat_map(|path| if path.is_dir() { source_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}
