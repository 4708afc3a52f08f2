//! The README and the pages of the book: every command in them runs, and prints what they show.
//!
//! A `console` block has commands after `$ ` and what they print; `…` stands for any text. A command
//! whose output is not shown must succeed. Each line of a `sh` block is a command that must succeed.
//! The commands of a page run in order, in one folder that [`fixtures`] prepares.
//! [`not_run::COMMANDS`] lists those that cannot run here, with reasons.

mod book;
mod commands;
mod examples_of_files;
mod fixtures;
mod not_run;
mod output;
mod page_session;
mod site_links;

use std::fs;

use commands::Documented;
use page_session::PageSession;
use testing::{repository, skip_without};

/// Runs all commands of a page.
fn run_page(page: &str) {
    let text = fs::read_to_string(repository().join(page)).expect("the page");
    let commands = commands::find(&text);
    assert!(!commands.is_empty(), "{page} has no commands: remove its test");
    let mut session = PageSession::new(page);
    for command in commands.iter().filter(|command| not_run::find_reason(page, command).is_none()) {
        session.run(command);
    }
}

/// One test for each page with commands, so that they run side by side.
macro_rules! pages {
    ($($test:ident: $page:literal $(, needs $($program:literal)+)?;)+) => {
        $(#[test] fn $test() {
            $(skip_without!($($program),+);)?
            run_page($page);
        })+

        const PAGES: &[&str] = &[$($page),+];
    };
}

pages! {
    commands_of_the_readme_run: "README.md", needs "git" "make";
    commands_of_the_tutorial_run: "docs/tutorial.md", needs "git" "make";
    commands_of_approval_run: "docs/approval.md";
    commands_of_ci_run: "docs/ci.md";
    commands_of_clients_run: "docs/clients.md";
    commands_of_confinement_run: "docs/confinement.md";
    commands_of_content_run: "docs/content.md";
    commands_of_converting_run: "docs/converting.md";
    commands_of_flags_run: "docs/flags.md";
    commands_of_http_run: "docs/http.md";
    commands_of_importing_run: "docs/importing.md", needs "git";
    commands_of_installing_run: "docs/installing.md";
    commands_of_log_run: "docs/log.md";
    commands_of_mtdf_run: "docs/mtdf.md", needs "strace";
    commands_of_operations_run: "docs/operations.md";
    commands_of_packages_run: "docs/packages.md";
    commands_of_python_run: "docs/python.md", needs "python3";
    commands_of_r_run: "docs/r.md", needs "Rscript";
    commands_of_results_run: "docs/results.md";
    commands_of_rmarkdown_run: "docs/rmarkdown.md", needs "Rscript" "pandoc";
    commands_of_specifications_run: "docs/specifications.md", needs "python3";
    commands_of_teams_run: "docs/teams.md", needs "git";
    commands_of_troubleshooting_run: "docs/troubleshooting.md";
    commands_of_versions_run: "docs/versions.md", needs "git";
}

/// The README and all pages of the book that are written by hand, with their text.
fn read_pages() -> Vec<(String, String)> {
    let mut pages = vec!["README.md".to_owned()];
    for entry in fs::read_dir(repository().join("docs")).expect("the pages") {
        let name = entry.expect("a page").file_name().into_string().expect("a name");
        pages.extend(name.ends_with(".md").then(|| format!("docs/{name}")));
    }
    pages.sort_unstable();
    let read = |page: &String| fs::read_to_string(repository().join(page)).expect("a page");
    pages.into_iter().map(|page| (page.clone(), read(&page))).collect()
}

#[test]
fn every_page_with_commands_has_a_test() {
    for (page, text) in read_pages() {
        let hidden = commands::find_outside_blocks(&text);
        assert!(hidden.is_empty(), "{page}: write these as `console` or `sh` blocks: {hidden:?}");
        let has_test = PAGES.contains(&page.as_str());
        assert_eq!(has_test, !commands::find(&text).is_empty(), "{page}: add it to `pages!`");
    }
}

/// A command that changed or vanished must not leave its entry behind.
#[test]
fn every_command_that_is_not_run_is_in_its_page() {
    for (page, start, reason) in not_run::COMMANDS {
        let text = fs::read_to_string(repository().join(page)).expect("the page");
        let is_it = |command: &Documented| command.text.starts_with(start);
        let found = commands::find(&text).iter().filter(|command| is_it(command)).count();
        assert_eq!(found, 1, "{page} has `{start}` {found} times");
        assert!(!reason.is_empty(), "{page}: why is `{start}` not run?");
    }
}
