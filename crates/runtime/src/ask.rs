//! A question to a program of the machine, outside of any tool: what it prints is the answer.
//!
//! It goes through the same door as every call: no shell, a chosen environment, confined, and ended when its time is over.

use std::{sync::Arc, time::Duration};

use catalog::{ErrorType, Failure};
use futures_util::future::join3;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    time::timeout,
};

use crate::{Plan, Settings, spawn::Door};

/// A question is no work.
const LIMIT: Duration = Duration::from_secs(120);
/// As much of a complaint as anybody reads.
const COMPLAINT_BYTES: u64 = 16 * 1024;

/// What is asked.
pub struct Question<'a> {
    /// The name of the program.
    pub program: &'a str,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What it reads.
    pub stdin: Option<String>,
    /// No more than this is taken for an answer.
    pub most_bytes: u64,
}

/// What the program said.
#[derive(Debug)]
pub struct Answer {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained about.
    pub stderr: String,
}

/// Asks a program, which can change nothing and reaches no network.
pub async fn ask(settings: &Settings, question: Question<'_>) -> Result<Answer, Failure> {
    let plan = Plan::of_question(settings, question.program, &question.arguments, question.stdin)?;
    let name = question.program;
    let failed = |error: std::io::Error| {
        Failure::new(ErrorType::CannotStart, format!("`{name}` could not be asked: {error}"))
    };
    let mut running =
        Arc::new(Door::new(settings)).start(&Arc::new(plan.clone()), None).await.map_err(failed)?;
    let (input, out, err) =
        (running.child.stdin.take(), running.child.stdout.take(), running.child.stderr.take());
    let feed = async {
        if let (Some(mut pipe), Some(text)) = (input, plan.stdin.as_deref()) {
            // A program that does not read it all is within its rights.
            let _ = pipe.write_all(text.as_bytes()).await;
        }
    };
    let streams =
        join3(feed, all(out, question.most_bytes.saturating_add(1)), all(err, COMPLAINT_BYTES));
    let Ok((_, stdout, stderr)) = timeout(LIMIT, streams).await else {
        running.kill().await;
        return Err(Failure::new(
            ErrorType::TimedOut,
            format!("`{name}` did not answer within {} seconds", LIMIT.as_secs()),
        ));
    };
    if stdout.len() as u64 > question.most_bytes {
        running.kill().await;
        return Err(Failure::new(
            ErrorType::TooLong,
            format!("`{name}` answered more than {} bytes", question.most_bytes),
        ));
    }
    let status = running.child.wait().await.map_err(failed)?;
    running.over().await;
    Ok(Answer {
        code: status.code(),
        stdout,
        stderr: String::from_utf8_lossy(&stderr).trim().to_owned(),
    })
}

async fn all(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // What was read before an error is what there is.
        let _ = pipe.take(most).read_to_end(&mut bytes).await;
    }
    bytes
}
