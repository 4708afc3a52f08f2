//! Makes sure that a person approves: at a terminal, with the passphrase if there is one.

use std::{
    io::{self, BufRead, IsTerminal, stdin},
    path::Path,
    process::ExitCode,
};

use host::{Approver, Assembly};
use runtime::{Approval, Detail, Rendering, Runtime, render_request};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::{error::CommandError, terminal};

/// The decision about a call, and who made it.
pub(crate) enum Decision {
    /// Approved by a person at a `terminal`, or by a script with the `credential`.
    Approve(&'static str),
    Deny,
    /// Nothing is recorded; the call keeps waiting.
    Later,
}

/// The state of a request for approval after a person was asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestState {
    Approved,
    Denied,
    Waiting,
}

/// Asks the person who may approve.
pub(crate) struct Authority<'a> {
    approver: Approver,
    /// Absent for other cribs, of which only the state folder is known.
    assembly: Option<&'a Assembly>,
}

impl<'a> Authority<'a> {
    /// The authority over the calls of a crib.
    pub(crate) fn new(assembly: &'a Assembly) -> Self {
        Self { approver: Approver::new(assembly.crib()), assembly: Some(assembly) }
    }

    /// The authority over the calls of the crib with this state folder. It works only at a
    /// terminal.
    pub(crate) fn of_state(state: &Path) -> Self {
        Self { approver: Approver::of_state(state), assembly: None }
    }

    /// Shows what a call would do, asks for a decision and records it.
    pub(crate) async fn resolve_request(
        &self,
        runtime: &Runtime,
        approval: &Approval,
        detail: Detail,
        ask: impl FnOnce(&Self) -> Result<Decision, CommandError>,
    ) -> Result<RequestState, CommandError> {
        let rendering = Rendering { detail, ..terminal::stderr_rendering() };
        terminal::note(&render_request(approval, rendering));
        let (approved, by) = match ask(self)? {
            Decision::Approve(by) => (true, by),
            Decision::Deny => (false, "terminal"),
            Decision::Later => return Ok(RequestState::Waiting),
        };
        let recorded = runtime.rule(approval.id.clone(), approved, by).await;
        let recorded = recorded.map_err(|error| CommandError::machine(error.to_string()))?;
        // The process may exit right after this, which would lose the audit line.
        runtime.flush_audit();
        // Read back, because another terminal may have decided first.
        let ruling = recorded.and_then(|recorded| recorded.ruling);
        let is_approved = ruling.is_some_and(|ruling| ruling.approved);
        Ok(if is_approved { RequestState::Approved } else { RequestState::Denied })
    }

    /// Asks for a decision; with `is_confirmed`, only for what proves that a person made it.
    pub(crate) fn decide(&self, is_confirmed: bool) -> Result<Decision, CommandError> {
        if !stdin().is_terminal() {
            return self.decide_without_terminal(is_confirmed);
        }
        if self.approver.has_passphrase() {
            return self
                .ask_passphrase("Passphrase to approve this (n denies it, Enter decides later):");
        }
        if is_confirmed { Ok(Decision::Approve("terminal")) } else { confirm() }
    }

    fn decide_without_terminal(&self, is_confirmed: bool) -> Result<Decision, CommandError> {
        if !is_confirmed {
            return Err(CommandError::machine("approving a call needs a terminal")
                .hint("run the command in a terminal; docs/approval.md describes scripts"));
        }
        if self.approver.has_passphrase() {
            let message = "every approval needs the passphrase, which is read from a terminal";
            return Err(CommandError::machine(message).hint("run the command in a terminal"));
        }
        let Some(assembly) = self.assembly else {
            return Err(CommandError::machine("scripts approve calls of one crib")
                .hint("name the crib with -C"));
        };
        let (settings, tools) = (assembly.settings(), &assembly.loaded().catalog);
        self.approver.check_credential(&settings, tools).map_err(|error| {
            CommandError::machine(format!("`--yes` without a terminal: {error}"))
                .hint("run the command in a terminal; docs/approval.md describes scripts")
        })?;
        Ok(Decision::Approve("credential"))
    }

    /// Sets, changes or removes the passphrase. A change needs the current one.
    pub(crate) fn set_passphrase(&self) -> Result<ExitCode, CommandError> {
        require_terminal()?;
        if self.approver.has_passphrase()
            && !matches!(self.ask_passphrase("Current passphrase:")?, Decision::Approve(_))
        {
            return Err(CommandError::machine("the passphrase was not changed"));
        }
        let new = read_hidden("New passphrase, or nothing to approve without one:")?;
        if read_hidden("The same again:")? != new {
            return Err(CommandError::machine("the two passphrases differ; nothing was changed"));
        }
        if !new.is_empty() || self.approver.has_passphrase() {
            self.approver.set_passphrase(&new).map_err(write_error)?;
        }
        terminal::note(if new.is_empty() {
            "approvals need no passphrase"
        } else {
            "every approval needs the passphrase from now on"
        });
        Ok(ExitCode::SUCCESS)
    }

    /// Creates the credential for scripts.
    pub(crate) fn create_credential(&self) -> Result<ExitCode, CommandError> {
        require_terminal()?;
        let path = self.approver.create_credential().map_err(write_error)?;
        terminal::note(&format!(
            "every program that can read {} can approve calls with `--yes` from now on; delete the file to stop that",
            path.display()
        ));
        Ok(ExitCode::SUCCESS)
    }

    fn ask_passphrase(&self, question: &str) -> Result<Decision, CommandError> {
        let given = read_hidden(question)?;
        if given.is_empty() {
            return Ok(Decision::Later);
        }
        let is_right = self.approver.is_passphrase(&given).map_err(|error| {
            CommandError::machine(format!("cannot read the stored passphrase: {error}"))
        })?;
        if is_right {
            Ok(Decision::Approve("terminal"))
        // Checked after the passphrase, which may itself be `n`.
        } else if given == "n" {
            Ok(Decision::Deny)
        } else {
            Err(CommandError::machine("the passphrase is wrong; nothing was decided"))
        }
    }
}

fn require_terminal() -> Result<(), CommandError> {
    if stdin().is_terminal() {
        return Ok(());
    }
    Err(CommandError::machine("changing this needs a terminal")
        .hint("run the command in a terminal"))
}

/// Only an explicit no is recorded. Enter, EOF and typing errors decide nothing.
fn confirm() -> Result<Decision, CommandError> {
    terminal::note("Approve this? [y/n, Enter decides later]");
    Ok(match read_line()?.trim().to_lowercase().as_str() {
        "y" | "yes" => Decision::Approve("terminal"),
        "n" | "no" => Decision::Deny,
        _ => Decision::Later,
    })
}

/// Reads a line from the terminal without showing it.
fn read_hidden(question: &str) -> Result<String, CommandError> {
    terminal::note(question);
    let failed = |error: rustix::io::Errno| {
        CommandError::machine(format!("cannot hide what is typed: {error}"))
    };
    let former = tcgetattr(stdin()).map_err(failed)?;
    let mut hidden = former.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(stdin(), OptionalActions::Now, &hidden).map_err(failed)?;
    let line = read_line();
    // Restored before a read error is returned; otherwise the terminal would stay without echo.
    tcsetattr(stdin(), OptionalActions::Now, &former).map_err(failed)?;
    Ok(line?.trim_end_matches(['\r', '\n']).to_owned())
}

fn read_line() -> Result<String, CommandError> {
    let mut line = String::new();
    stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| CommandError::machine(format!("cannot read the answer: {error}")))?;
    Ok(line)
}

fn write_error(error: io::Error) -> CommandError {
    CommandError::machine(format!("cannot write to the state folder: {error}"))
}
