//! The shell in which the commands of a page run.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use tempfile::TempDir;
use testing::toolcrib_path;

use super::{commands::Documented, fixtures, output::StandIns};
use crate::pseudo_terminal;

/// What pages call the home folder.
const HOME: &str = "/home/you";

pub(super) struct PageSession {
    page: String,
    folder: TempDir,
    stand_ins: StandIns,
}

impl PageSession {
    pub(super) fn new(page: &str) -> Self {
        let folder = TempDir::with_prefix("page-").expect("a temporary folder");
        let session = Self { page: page.to_owned(), folder, stand_ins: StandIns::default() };
        let current = session.home().join("shop");
        fs::create_dir_all(&current).expect("a folder");
        fixtures::prepare(page, &current);
        fs::write(session.current_folder_file(), current.to_string_lossy().as_bytes())
            .expect("a file");
        session
    }

    /// Runs a command where the last one ended, and compares what it prints with the page.
    pub(super) fn run(&mut self, documented: &Documented) {
        let Documented { line, text, output: shown } = documented;
        let place = format!("{}:{line}: {text}", self.page);
        let command = self.command(&self.stand_ins.replace(text));
        let question = shown.as_deref().and_then(split_answer);
        let (code, printed) = match &question {
            Some((_, answer)) => pseudo_terminal::run(command, 100, Some(answer)),
            None => run_with_streams(command),
        };
        let home = self.home().to_string_lossy().into_owned();
        let printed = printed.replace(&home, HOME);
        let shown = question.map(|(without_answer, _)| without_answer).or_else(|| shown.clone());
        match shown {
            Some(shown) => assert!(
                self.stand_ins.matches(&shown, &printed),
                "{place}\n--- the page shows\n{shown}--- it prints, with exit code {code}\n{printed}"
            ),
            None => assert_eq!(code, 0, "{place}\n{printed}"),
        }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("a folder").join("you")
    }

    fn current_folder_file(&self) -> PathBuf {
        self.folder.path().join("current-folder")
    }

    fn command(&self, text: &str) -> Command {
        let current = fs::read_to_string(self.current_folder_file()).expect("a folder");
        let mut command = Command::new("bash");
        let script = format!("trap 'printf %s \"$PWD\" > \"$CURRENT_FOLDER_FILE\"' EXIT\n{text}");
        let programs = toolcrib_path();
        let programs = programs.parent().expect("a folder").to_string_lossy().into_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        command.args(["-c", &script]).current_dir(current);
        let removed = ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "TOOLCRIB_LOG", "TMPDIR", "CODEX_HOME"];
        removed.iter().for_each(|name| _ = command.env_remove(name));
        command
            .env("HOME", self.home())
            .env("PATH", format!("{programs}:{path}"))
            .env("CURRENT_FOLDER_FILE", self.current_folder_file())
            .env("NO_COLOR", "1")
            .env("LANG", "C.UTF-8")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs([("GIT_AUTHOR_NAME", "you"), ("GIT_COMMITTER_NAME", "you")])
            .envs([
                ("GIT_AUTHOR_EMAIL", "you@example.org"),
                ("GIT_COMMITTER_EMAIL", "you@example.org"),
            ])
            .stdin(Stdio::null());
        command
    }
}

/// The exit code, and both streams in the order in which they were written.
fn run_with_streams(mut command: Command) -> (i32, String) {
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    command.stdout(writer.try_clone().expect("a pipe")).stderr(writer);
    let mut child = command.spawn().expect("bash starts");
    drop(command);
    let text = std::io::read_to_string(&mut reader).expect("output is UTF-8");
    (child.wait().expect("bash ends").code().unwrap_or(-1), text)
}

/// Splits a shown dialog into the output and the line that a person types after the question.
fn split_answer(shown: &str) -> Option<(String, String)> {
    let (before, after) = shown.split_once("[y/n, Enter decides later]\n")?;
    let (answer, after) = after.split_once('\n')?;
    Some((format!("{before}[y/n, Enter decides later]\n{after}"), format!("{answer}\n")))
}
