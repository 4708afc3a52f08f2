//! Notifies the operator of a call that waits for approval, once for each request.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use super::Runtime;
use crate::{
    Approval, Notification,
    plan::{escape_controls, render_command_line},
    programs,
};

/// How long the answer of the call waits for the command. A short one is done by then, also if the
/// process exits with the answer; a longer one continues.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest text, in bytes.
const MAX_TEXT: usize = 1_000;
/// The most requests that are remembered. Afterwards one may be notified of twice.
const MAX_REMEMBERED: usize = 1_000;

impl Runtime {
    pub(super) async fn notify_operator(&self, approval: &Approval) {
        let Some(notification) = self.engine.settings.notification.clone() else { return };
        {
            let mut notified = self.notified.lock();
            if notified.len() >= MAX_REMEMBERED {
                notified.clear();
            }
            // A model repeats a call until it is approved.
            if !notified.insert(approval.id.clone()) {
                return;
            }
        }
        let Notification { command, mut environment } = notification;
        let Some((program, words)) = command.split_first() else { return };
        let title = clean(&format!("Approval needed: {}", approval.tool));
        let runs = clean(&render_command_line(&approval.plan));
        let text = clean(&format!("Request {}: {runs}\n{}", approval.id.code(), approval.reason));
        environment.extend([
            ("TOOLCRIB_TOOL".to_owned(), clean(&approval.tool)),
            ("TOOLCRIB_CODE".to_owned(), approval.id.code().to_owned()),
            ("TOOLCRIB_REASON".to_owned(), clean(&approval.reason)),
            ("TOOLCRIB_RUNS".to_owned(), runs),
            ("TOOLCRIB_CRIB".to_owned(), self.engine.settings.crib.display().to_string()),
        ]);
        let (program, words) = (program.clone(), [words, &[title, text]].concat());
        let (launcher, settings) =
            (Arc::clone(&self.engine.launcher), self.engine.settings.clone());
        let running = tokio::spawn(async move {
            let run =
                programs::run_unrestricted(&launcher, &settings, &program, &words, environment);
            if let Err(error) = run.await {
                tracing::warn!("the command in `[approval] notify` failed: {error}");
            }
        });
        let _ = timeout(PATIENCE, running).await;
    }
}

/// The text comes from a call: bounded, and without control characters.
fn clean(text: &str) -> String {
    let text = escape_controls(text);
    text[..text.floor_char_boundary(MAX_TEXT)].to_owned()
}
