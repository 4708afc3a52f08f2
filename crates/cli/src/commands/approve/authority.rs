//! Makes sure that a person approves: at a terminal, with the passphrase if there is one.

use std::{
    io::{self, BufRead, IsTerminal, stdin},
    process::ExitCode,
};

use host::{Approver, Assembly};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::{commands::CommandResult, error::CommandError, terminal};

/// The decision about a call, and who made it.
pub(super) enum Decision {
    /// Approved by a person at a `terminal`, or by a script with the `credential`.
    Approve(&'static str),
    Deny,
}

/// Asks the person who may approve.
pub(super) struct Authority<'a> {
    approver: Approver,
    assembly: &'a Assembly,
}

impl<'a> Authority<'a> {
    /// The authority over the calls of a crib.
    pub(super) fn new(assembly: &'a Assembly) -> Self {
        Self { approver: Approver::new(assembly.crib()), assembly }
    }

    /// Asks for a decision; with `is_confirmed`, only for what proves that a person made it.
    pub(super) fn decide(&self, is_confirmed: bool) -> Result<Decision, CommandError> {
        if !stdin().is_terminal() {
            return self.decide_without_terminal(is_confirmed);
        }
        if self.approver.has_passphrase() {
            return self.ask_passphrase("Passphrase to approve this, or nothing to deny it:");
        }
        let is_approved = is_confirmed || confirm()?;
        Ok(if is_approved { Decision::Approve("terminal") } else { Decision::Deny })
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
        let (settings, tools) = (self.assembly.settings(), &self.assembly.loaded().catalog);
        self.approver.check_credential(&settings, tools).map_err(|error| {
            CommandError::machine(format!("`--yes` without a terminal: {error}"))
                .hint("run the command in a terminal; docs/approval.md describes scripts")
        })?;
        Ok(Decision::Approve("credential"))
    }

    /// Sets, changes or removes the passphrase. A change needs the current one.
    pub(super) fn set_passphrase(&self) -> CommandResult {
        require_terminal()?;
        if self.approver.has_passphrase()
            && let Decision::Deny = self.ask_passphrase("Current passphrase:")?
        {
            return Err(CommandError::machine("the passphrase was not changed"));
        }
        let new = read_hidden("New passphrase, or nothing to approve without one:")?;
        if read_hidden("The same again:")? != new {
            return Err(CommandError::machine("the two passphrases differ; nothing was changed"));
        }
        if !new.is_empty() || self.approver.has_passphrase() {
            self.approver.set_passphrase(&new).map_err(cannot_write)?;
        }
        terminal::note(if new.is_empty() {
            "approvals need no passphrase"
        } else {
            "every approval needs the passphrase from now on"
        });
        Ok(ExitCode::SUCCESS)
    }

    /// Creates the credential for scripts.
    pub(super) fn create_credential(&self) -> CommandResult {
        require_terminal()?;
        let path = self.approver.create_credential().map_err(cannot_write)?;
        terminal::note(&format!(
            "every program that can read {} can approve calls with `--yes` from now on; delete the file to stop that",
            path.display()
        ));
        Ok(ExitCode::SUCCESS)
    }

    fn ask_passphrase(&self, question: &str) -> Result<Decision, CommandError> {
        let given = read_hidden(question)?;
        if given.is_empty() {
            return Ok(Decision::Deny);
        }
        let is_right = self.approver.is_passphrase(&given).map_err(|error| {
            CommandError::machine(format!("cannot read the stored passphrase: {error}"))
        })?;
        if is_right {
            Ok(Decision::Approve("terminal"))
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

fn confirm() -> Result<bool, CommandError> {
    terminal::note("Approve this? [y/N]");
    Ok(matches!(read_line()?.trim(), "y" | "Y" | "yes"))
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

fn cannot_write(error: io::Error) -> CommandError {
    CommandError::machine(format!("cannot write to the state folder: {error}"))
}
