//! Notifies the operator of a call that waits for approval, once for each request.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use super::Runtime;
use crate::{
    Approval, Notification,
    plan::{escape_controls, render_command_line},
    programs,
};

/// Maximum delay of the call's answer. It lets a quick command finish even if the process exits
/// after the answer; a slower command continues in the background.
const MAX_DELAY: Duration = Duration::from_millis(500);
/// Maximum length of the text, in bytes.
const MAX_TEXT: usize = 1_000;
/// Maximum number of remembered requests. Beyond it, a request may be notified of twice.
const MAX_REMEMBERED: usize = 1_000;

impl Runtime {
    pub(super) async fn notify_operator(&self, approval: &Approval) {
        let Some(notification) = self.engine.settings.notification.clone() else { return };
        {
            let mut notified = self.notified.lock();
            if notified.len() >= MAX_REMEMBERED {
                notified.clear();
            }
            // Models repeat a call until it is approved, so each request is notified of once.
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
        let _ = timeout(MAX_DELAY, running).await;
    }
}

/// Truncates a text and escapes control characters, because it comes from a call.
fn clean(text: &str) -> String {
    let text = escape_controls(text);
    text[..text.floor_char_boundary(MAX_TEXT)].to_owned()
}
