//! Documents that fail, exceed limits or try to escape the sandbox.

use std::{fs, time::Duration};

use catalog::{ErrorType, Failure};
use render::{Backend, Format};
use testing::{SmallDisk, is_command_running, skip_without, wait_until};

use crate::render_fixture::{RenderFixture, job, with_backend};

const MIB: u64 = 1024 * 1024;

fn chunk(code: &str) -> String {
    format!("Before.\n\n```{{r trouble}}\n{code}\n```\n")
}

async fn render_failing(fixture: &RenderFixture, code: &str) -> Failure {
    fixture.render(&chunk(code), Format::Html).await.unwrap_err()
}

#[tokio::test]
async fn reports_chunk_and_lines_of_an_error_and_its_warnings() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let text = "One.\n\n```{r fine}\nwarning('hm')\n```\n\n```{r broken}\nx <- 1\nstop('no such thing')\n```\n";
    let failure = fixture.render(text, Format::Html).await.unwrap_err();
    assert_eq!(failure.error_type, ErrorType::RenderFailed);
    assert_eq!(
        failure.message,
        "`report.Rmd` could not be rendered (chunk `broken`, lines 8-10): no such thing"
    );
    let found = &failure.details["diagnostics"][0];
    assert_eq!(
        (&found["label"], &found["first_line"], &found["message"]),
        (&"broken".into(), &8.into(), &"no such thing".into())
    );
    assert_eq!(failure.details["warnings"][0]["message"], "hm");
    assert!(failure.details["log"].as_str().is_some_and(|log| log.contains("Quitting")));
}

#[tokio::test]
async fn reports_warnings_of_a_failed_chunk() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let failure = render_failing(&fixture, "warning('careful')\nreadLines('nowhere')").await;
    let warnings = &failure.details["warnings"];
    assert_eq!(
        (&warnings[0]["message"], &warnings[0]["label"]),
        (&"careful".into(), &"trouble".into()),
        "{failure:?}"
    );
    assert!(
        failure.message.contains("cannot open file 'nowhere': No such file or directory"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn compose_reports_an_unreachable_daemon() {
    skip_without!("docker-compose");
    let fixture = RenderFixture::new(|settings| {
        settings.sockets = vec!["unix:///nowhere/docker.sock".to_owned()]
    });
    let failure = fixture
        .run(with_backend(job("Text.\n", Format::Html), Backend::Compose))
        .await
        .unwrap_err();
    assert!(
        failure.message.contains("Docker does not answer: tried unix:///nowhere/docker.sock"),
        "{failure:?}"
    );
    assert!(!failure.message.contains("Exited"), "{failure:?}");
}

#[tokio::test]
async fn reports_the_line_of_broken_front_matter() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let failure = fixture
        .render("---\ntitle: a: b: c\nother: [1\n---\n\nText.\n", Format::Html)
        .await
        .unwrap_err();
    assert_eq!(failure.error_type, ErrorType::RenderFailed);
    assert!(
        failure.details["diagnostics"][0]["first_line"]
            .as_u64()
            .is_some_and(|line| (2..=3).contains(&line)),
        "{failure:?}"
    );
}

#[tokio::test]
async fn kills_an_endless_loop_and_its_child_processes() {
    let Some(fixture) = RenderFixture::local(|settings| settings.timeout = Duration::from_secs(3))
    else {
        return;
    };
    let failure = render_failing(&fixture, "system('setsid sleep 9601 &'); while (TRUE) {}").await;
    assert_eq!(failure.error_type, ErrorType::TimedOut);
    assert!(
        failure.message.contains("(chunk `trouble`): it was stopped after 3 seconds"),
        "{}",
        failure.message
    );
    assert_eq!(failure.details["diagnostics"][0]["label"], "trouble");
    assert!(!is_command_running("sleep 9601"), "its child processes were killed");
}

#[tokio::test]
async fn enforces_the_memory_limit() {
    let Some(fixture) = RenderFixture::local(|settings| settings.memory_bytes = 400 * MIB) else {
        return;
    };
    let failure =
        render_failing(&fixture, "x <- list(); while (TRUE) x[[length(x) + 1]] <- rnorm(1e6)")
            .await;
    assert_eq!(failure.error_type, ErrorType::OutOfMemory, "{failure:?}");
    assert!(failure.message.contains("`memory_mib`"), "{}", failure.message);
}

#[tokio::test]
async fn the_memory_limit_covers_all_processes() {
    let Some(fixture) = RenderFixture::local(|settings| settings.memory_bytes = 600 * MIB) else {
        return;
    };
    let code =
        "for (i in 1:6) parallel::mcparallel({ x <- rnorm(2e7); Sys.sleep(60) }); Sys.sleep(60)";
    let failure = render_failing(&fixture, code).await;
    assert_eq!(failure.error_type, ErrorType::OutOfMemory, "{failure:?}");
}

#[tokio::test]
async fn enforces_the_process_limit() {
    let Some(fixture) = RenderFixture::local(|settings| settings.processes = 20) else {
        return;
    };
    let failure = render_failing(
        &fixture,
        "for (i in 1:60) system('sleep 9602', wait = FALSE); Sys.sleep(60)",
    )
    .await;
    assert_eq!(failure.error_type, ErrorType::TooManyProcesses, "{failure:?}");
    assert!(!is_command_running("sleep 9602"), "its child processes were killed");
}

#[tokio::test]
async fn recognizes_a_refused_fork() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    // The messages of a shell and of R in a container that reached its process limit.
    let failure = render_failing(
        &fixture,
        "cat('sh: 0: Cannot fork\\n', file = stderr()); stop('argument is of length zero')",
    )
    .await;
    assert_eq!(failure.error_type, ErrorType::TooManyProcesses, "{failure:?}");
    assert!(failure.message.contains("raise `processes`"), "{}", failure.message);
}

#[tokio::test]
async fn enforces_the_disk_limit() {
    let Some(fixture) = RenderFixture::local(|settings| settings.disk_bytes = 20 * MIB) else {
        return;
    };
    let code = "f <- file('big', 'wb'); while (TRUE) { writeBin(raw(1e6), f); flush(f) }";
    let failure = render_failing(&fixture, code).await;
    assert_eq!(failure.error_type, ErrorType::TooMuchDisk, "{failure:?}");
}

#[tokio::test]
async fn r_cannot_access_files_outside_its_copy_or_the_network() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let outside = fixture.folder.path("outside");
    fs::write(outside.join("secret"), "the secret").unwrap();
    fs::write(fixture.folder.path("beside").join("other"), "the secret").unwrap();
    let write = format!("writeLines('gotcha', '{}')", outside.join("made").display());
    let failure = render_failing(&fixture, &write).await;
    assert_eq!(failure.error_type, ErrorType::RenderFailed);
    assert_eq!(failure.details["diagnostics"][0]["label"], "trouble");
    assert!(!outside.join("made").exists());
    for secret in [outside.join("secret"), fixture.folder.path("beside").join("other")] {
        render_failing(&fixture, &format!("readLines('{}')", secret.display())).await;
    }
    let network = render_failing(&fixture, "socketConnection('127.0.0.1', 9, timeout = 1)").await;
    assert_eq!(network.error_type, ErrorType::RenderFailed);
}

#[tokio::test]
async fn a_document_that_quits_r_fails() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let failure = render_failing(&fixture, "quit(status = 0)").await;
    assert_eq!(failure.error_type, ErrorType::RenderFailed);
    assert!(failure.message.contains("quit()"), "{}", failure.message);
}

#[tokio::test]
async fn rejects_a_result_that_is_a_symlink() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let code = "out <- file.path('..', 'out'); file.symlink('/etc/hostname', file.path(out, 'document.html'))\n\
                writeLines('{\"ok\": true}', file.path(out, 'result.json')); quit()";
    let failure = render_failing(&fixture, code).await;
    assert_eq!(failure.error_type, ErrorType::RenderFailed);
}

#[tokio::test]
async fn rejects_output_over_the_size_limit() {
    let Some(fixture) = RenderFixture::local(|settings| settings.output_bytes = 1000) else {
        return;
    };
    let failure = render_failing(&fixture, "1").await;
    assert_eq!(failure.error_type, ErrorType::OutputTooLarge);
}

#[tokio::test]
async fn dropping_a_render_kills_its_processes() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let given = job(&chunk("system('sleep 9603')"), Format::Html);
    let render = fixture.run(given);
    tokio::select! {
        _ = render => panic!("the render was not interrupted"),
        () = wait_until("the program starts", || is_command_running("sleep 9603")) => {}
    }
    wait_until("the program is killed", || !is_command_running("sleep 9603")).await;
}

#[tokio::test]
async fn reports_a_full_disk() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let temp = fixture.folder.path("temp");
    let Some(_disk) = SmallDisk::mount(&temp, 64) else {
        return;
    };
    let failure = fixture.render(&"long ".repeat(100_000), Format::Html).await;
    assert_eq!(failure.unwrap_err().error_type, ErrorType::DiskFull);
}
