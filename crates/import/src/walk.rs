//! Decides which help texts to ask a program for. It runs nothing: the caller runs each request in a
//! sandbox and returns the output.
//!
//! A program may act on any word, so words are added with care: `--help` first, subcommands only of
//! programs that show how to get their help, and further calls only if a text names them literally.

use std::collections::VecDeque;

use crate::{
    help::{Ask, Help, read_help},
    only::Only,
    program::Command,
};

/// Maximum number of runs. The largest program that was seen needs 184.
const MAX_RUNS: usize = 500;

/// Maximum number of leaves.
const MAX_LEAVES: usize = 2_000;

/// A run of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Identifies the reply.
    pub id: usize,
    /// The arguments after the program.
    pub arguments: Vec<String>,
}

/// The result of a run: its output, or why it has no output.
pub type Reply = Result<Output, String>;

/// The output of a run.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Whether it exited with 0.
    pub is_success: bool,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// What was found.
#[derive(Debug)]
pub struct Found {
    /// The program.
    pub program: Command,
    /// What could not be read and why, for people.
    pub notes: Vec<String>,
    /// The number of runs.
    pub runs: usize,
}

/// Texts that name a further call with the rest of the help.
const FURTHER: [(&str, &[&str]); 7] = [
    ("--help all", &["--help", "all"]),
    ("--help=#all", &["--help=#all"]),
    ("--help --all", &["--help", "--all"]),
    ("--long-help", &["--long-help"]),
    ("-h full", &["-h", "full"]),
    ("help -a'", &["help", "-a"]),
    ("commands with --list", &["--list"]),
];

/// Asks for the help of a program and its subcommands.
#[derive(Debug)]
pub struct Walk {
    /// The program and the first words of the command line.
    path: Vec<String>,
    depth: usize,
    only: Only,
    root: Command,
    /// The text of the parent of a level is needed to recognize a repetition of it.
    pending: VecDeque<Task>,
    running: Vec<(usize, Task)>,
    next_id: usize,
    /// How subcommands print their help, as learned so far.
    ask: Option<Ask>,
    notes: Vec<String>,
}

#[derive(Clone, Debug)]
struct Task {
    /// The words of the subcommand; empty for the program itself.
    words: Vec<String>,
    kind: TaskKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TaskKind {
    /// `--help` of the program.
    Root,
    /// `-h` of the program.
    RootShort,
    /// `help` of the program.
    RootCommand,
    /// A further call that the text of the program names.
    Further(usize),
    /// A subcommand.
    Sub(Ask),
}

impl Walk {
    /// Starts with a program, and the words of a subcommand if only that one is wanted.
    pub fn new(program: &str, words: &[String], depth: usize, only: Only) -> Self {
        let path: Vec<String> =
            std::iter::once(program.to_owned()).chain(words.iter().cloned()).collect();
        let root = Command { name: program.to_owned(), ..Command::default() };
        let pending = VecDeque::from([Task { words: Vec::new(), kind: TaskKind::Root }]);
        Self {
            path,
            depth,
            only,
            root,
            pending,
            running: Vec::new(),
            next_id: 0,
            ask: None,
            notes: Vec::new(),
        }
    }

    /// The next run; none if the caller has to return a reply first or the walk has ended.
    pub fn next_request(&mut self) -> Option<Request> {
        if self.next_id >= MAX_RUNS && !self.pending.is_empty() {
            self.notes.push(format!(
                "stopped after {MAX_RUNS} runs; {} subcommands were not read",
                self.pending.len()
            ));
            self.pending.clear();
        }
        let mut task = self.pending.pop_front()?;
        // What was learned from the first subcommand saves a run of each further one.
        if let (TaskKind::Sub(_), Some(ask)) = (task.kind, self.ask) {
            task.kind = TaskKind::Sub(ask);
        }
        let id = self.next_id;
        self.next_id += 1;
        let arguments = self.arguments(&task);
        self.running.push((id, task));
        Some(Request { id, arguments })
    }

    /// The number of levels that are still to be read.
    pub fn remaining(&self) -> usize {
        self.pending.len() + self.running.len()
    }

    fn arguments(&self, task: &Task) -> Vec<String> {
        let words = self.path[1..].iter().chain(&task.words).cloned();
        let owned =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let last = match task.kind {
            TaskKind::Root | TaskKind::Sub(Ask::LongFlag) => owned(&["--help"]),
            TaskKind::RootShort | TaskKind::Sub(Ask::ShortFlag) => owned(&["-h"]),
            TaskKind::RootCommand => owned(&["help"]),
            TaskKind::Further(index) => owned(FURTHER[index].1),
            TaskKind::Sub(Ask::HelpCommand) => {
                return std::iter::once("help".to_owned()).chain(words).collect();
            }
        };
        words.chain(last).collect()
    }

    /// Takes the result of a run.
    pub fn answer(&mut self, id: usize, reply: Reply) {
        let Some(index) = self.running.iter().position(|(known, _)| *known == id) else { return };
        let (_, task) = self.running.swap_remove(index);
        let arguments = self.arguments(&task);
        let source = shell_words(&self.path[0], &arguments);
        let output = match reply {
            Ok(output) => output,
            Err(reason) => {
                self.notes.push(format!("`{source}`: {reason}"));
                Output::default()
            }
        };
        let path: Vec<String> = self.path.iter().chain(&task.words).cloned().collect();
        let (text, help) = best_stream(&output, &source, &path);
        match task.kind {
            TaskKind::Root | TaskKind::RootShort | TaskKind::RootCommand => {
                self.take_root(task.kind, &output, text, help)
            }
            TaskKind::Further(_) => self.root.merge(help.command),
            TaskKind::Sub(ask) => self.take_sub(&task.words, ask, &output, help),
        }
    }

    fn take_root(&mut self, kind: TaskKind, output: &Output, text: &[u8], help: Help) {
        let is_refused = !output.is_success && is_refusal(text);
        let next = match kind {
            TaskKind::Root if is_refused || !help.is_useful() || help.is_man_page => {
                Some(TaskKind::RootShort)
            }
            TaskKind::Root | TaskKind::RootShort
                if help.wants_command
                    && help.command.subcommands.is_empty()
                    && names_help(text) =>
            {
                Some(TaskKind::RootCommand)
            }
            _ => None,
        };
        let lists_commands = !help.command.subcommands.is_empty();
        self.ask = self.ask.or(help.ask);
        // A text that refuses a flag may still have a usage, which is better than nothing.
        let known = std::mem::take(&mut self.root);
        let (first, second) = if count(&known) >= count(&help.command) {
            (known, help.command)
        } else {
            (help.command, known)
        };
        self.root = first;
        self.root.merge(second);
        if let Some(kind) = next {
            return self.pending.push_back(Task { words: Vec::new(), kind });
        }
        let shown = String::from_utf8_lossy(text);
        for (index, (marker, _)) in FURTHER.iter().enumerate() {
            if shown.contains(marker) && (lists_commands || !marker.contains("list")) {
                self.pending.push_back(Task { words: Vec::new(), kind: TaskKind::Further(index) });
            }
        }
        self.descend(&[]);
    }

    /// Plans the subcommands of a level.
    fn descend(&mut self, words: &[String]) {
        let only = self.only.clone();
        let Some(level) = find(&mut self.root, words) else { return };
        // A list may be incomplete: that of `git --help` lacks `remote`.
        if !level.subcommands.is_empty() && words.len() < self.depth && self.ask.is_some() {
            let path: Vec<&str> = words.iter().map(String::as_str).collect();
            for name in only.names_below(&path) {
                if level.subcommands.iter().all(|command| command.name != name) {
                    level.subcommands.push(Command { name: name.to_owned(), ..Command::default() });
                }
            }
        }
        level.subcommands.retain(|command| {
            let path: Vec<&str> =
                words.iter().map(String::as_str).chain([command.name.as_str()]).collect();
            only.may_contain(&path)
        });
        if words.len() >= self.depth || level.subcommands.is_empty() {
            return;
        }
        let Some(ask) = self.ask else {
            let reason = "its help does not show how to get that of subcommands";
            return self.notes.push(format!("the options of subcommands were not read: {reason}"));
        };
        // `help` lists this level again.
        let names = level
            .subcommands
            .iter()
            .map(|command| command.name.clone())
            .filter(|name| name != "help");
        let tasks = names.map(|name| Task {
            words: words.iter().cloned().chain([name]).collect(),
            kind: TaskKind::Sub(ask),
        });
        self.pending.extend(tasks.collect::<Vec<_>>());
    }

    fn take_sub(&mut self, words: &[String], ask: Ask, output: &Output, help: Help) {
        let is_usable = help.is_useful()
            && !help.is_man_page
            && (output.is_success || !help.command.options.is_empty());
        if !is_usable && ask != Ask::ShortFlag && (help.is_man_page || ask == Ask::HelpCommand) {
            // The short help of such programs is a list, as that of `git SUB -h`.
            self.ask = Some(Ask::ShortFlag);
            return self
                .pending
                .push_front(Task { words: words.to_vec(), kind: TaskKind::Sub(Ask::ShortFlag) });
        }
        let (parent, name) = (&words[..words.len() - 1], &words[words.len() - 1]);
        let leaves = self.root.leaves();
        let Some(above) = find(&mut self.root, parent) else { return };
        let repeats = repeats_level(above, &help.command);
        let Some(level) = above.subcommands.iter_mut().find(|command| command.name == *name) else {
            return;
        };
        if repeats || !help.is_useful() {
            let unlisted = Command { name: name.clone(), ..Command::default() };
            above.subcommands.retain(|command| *command != unlisted);
            return;
        }
        let found = Command { name: name.clone(), ..help.command };
        let listed = level.description.take();
        level.merge(found);
        // Lists cut long texts; the text of the level itself is whole.
        level.description = match (level.description.take(), listed) {
            (Some(own), Some(listed))
                if listed.value.ends_with("...") || listed.value.ends_with('…') =>
            {
                Some(own)
            }
            (own, listed) => listed.or(own),
        };
        if leaves > MAX_LEAVES {
            level.subcommands.clear();
            let note = format!("stopped at {MAX_LEAVES} subcommands; use `--only` to select some");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
            return;
        }
        self.descend(words);
    }

    /// The program, when there are no more requests.
    pub fn finish(mut self) -> Found {
        if self.path.len() > 1 {
            self.root.name = self.path.join("-");
        }
        let only = self.only.clone();
        prune(&mut self.root, &mut Vec::new(), &only);
        Found { program: self.root, notes: self.notes, runs: self.next_id }
    }
}

/// Removes the commands that were not selected.
fn prune(command: &mut Command, path: &mut Vec<String>, only: &Only) {
    command.subcommands.retain_mut(|sub| {
        path.push(sub.name.clone());
        prune(sub, path, only);
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        let keeps = only.selects(&words) || !sub.subcommands.is_empty();
        path.pop();
        keeps
    });
}

fn find<'c>(command: &'c mut Command, words: &[String]) -> Option<&'c mut Command> {
    let Some((first, rest)) = words.split_first() else { return Some(command) };
    find(command.subcommands.iter_mut().find(|sub| sub.name == *first)?, rest)
}

/// Whether the help of a subcommand is that of the level above: its commands again.
fn repeats_level(above: &Command, below: &Command) -> bool {
    let names = |command: &Command| {
        command.subcommands.iter().map(|sub| sub.name.clone()).collect::<Vec<_>>()
    };
    let (above_names, below_names) = (names(above), names(below));
    below_names.len() > 1 && below_names.iter().all(|name| above_names.contains(name))
}

fn count(command: &Command) -> usize {
    command.options.len() + command.subcommands.len()
}

/// Reads both streams and returns the one that is more of a help.
fn best_stream<'o>(output: &'o Output, source: &str, path: &[String]) -> (&'o [u8], Help) {
    let read = |text: &'o [u8]| (text, read_help(text, source, path));
    let (first, second) = (read(&output.stdout), read(&output.stderr));
    if count(&second.1.command) > count(&first.1.command) || first.0.is_empty() {
        second
    } else {
        first
    }
}

/// Whether a program rejects the flag that asks for its help.
fn is_refusal(text: &[u8]) -> bool {
    const WORDS: [&str; 6] =
        ["unknown", "invalid", "unrecognized", "illegal", "not recognized", "unexpected"];
    let text = String::from_utf8_lossy(text).to_lowercase();
    let first: Vec<&str> = text.lines().take(3).collect();
    WORDS.iter().any(|word| first.iter().any(|line| line.contains(word)))
}

/// Whether a text mentions a command `help`.
fn names_help(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    text.lines().any(|line| line.trim_start().starts_with("help "))
        || text.contains(" help'")
        || text.contains(" help`")
}

fn shell_words(program: &str, arguments: &[String]) -> String {
    std::iter::once(program)
        .chain(arguments.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(" ")
}
