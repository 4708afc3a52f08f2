//! The Docker and Compose backends.

use catalog::ErrorType;
use std::{
    process::{Command, Stdio},
    time::Duration,
};

use render::{Backend, Format, Preference, RenderJob, RenderSettings};
use testing::{skip, wait_until};

use crate::render_fixture::{
    REPORT, RenderFixture, assert_is_report, file, job, read_text, with_backend,
};

const MIB: u64 = 1024 * 1024;

/// A renderer with the Docker engine for tests; `None` with a notice without an engine.
pub(crate) fn fixture(change: impl FnOnce(&mut RenderSettings)) -> Option<RenderFixture> {
    let (Ok(socket), Ok(image)) =
        (std::env::var("TOOLCRIB_TEST_DOCKER"), std::env::var("TOOLCRIB_TEST_IMAGE"))
    else {
        skip("there is no Docker engine for tests; `scripts/engine` starts one");
        return None;
    };
    Some(RenderFixture::new(|settings| {
        settings.backend = Preference::Docker;
        settings.sockets = vec![socket];
        settings.image = Some(image);
        change(settings);
    }))
}

fn docker(words: &[&str]) -> String {
    let socket = std::env::var("TOOLCRIB_TEST_DOCKER").unwrap();
    let output = Command::new("docker")
        .args(words)
        .env("DOCKER_HOST", socket)
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The containers of renders, in any state.
fn containers() -> Vec<String> {
    docker(&["ps", "-aq", "--filter", "label=io.toolcrib.render"])
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Whether all volumes were removed with their containers.
fn has_no_volumes() -> bool {
    docker(&["volume", "ls", "-q", "--filter", "dangling=true"]).is_empty()
}

fn chunk(code: &str) -> String {
    format!("```{{r trouble}}\n{code}\n```\n")
}

#[tokio::test]
async fn docker_renders_all_formats_and_cleans_up() {
    let Some(fixture) = fixture(|_| {}) else { return };
    for format in Format::ALL {
        let rendered = fixture.render(REPORT, format).await.unwrap();
        assert_is_report(&rendered, format);
        assert_eq!(rendered.backend, Backend::Docker);
        assert!(
            rendered.image.as_ref().is_some_and(|image| image.starts_with("sha256:")),
            "{:?}",
            rendered.image
        );
        assert!(rendered.versions.contains_key("docker"));
    }
    let chunks: Vec<_> = fixture.progress().iter().map(|report| report.chunk).collect();
    assert_eq!(chunks, [1, 2, 1, 2, 1, 2]);
    assert!(fixture.render(REPORT, Format::Html).await.unwrap().cached);
    wait_until("all containers are removed", || containers().is_empty()).await;
    wait_until("all volumes are removed", has_no_volumes).await;
}

#[tokio::test]
async fn compose_renders_all_formats_and_cleans_up() {
    let Some(fixture) = fixture(|_| {}) else { return };
    for format in Format::ALL {
        let rendered =
            fixture.run(with_backend(job(REPORT, format), Backend::Compose)).await.unwrap();
        assert_is_report(&rendered, format);
        assert_eq!(
            (rendered.backend, rendered.reason.as_str()),
            (Backend::Compose, "the call requests it")
        );
        assert!(rendered.versions["compose"].contains("compose"), "{:?}", rendered.versions);
        assert_eq!(rendered.log, "", "the output of Compose is not in the log");
    }
    wait_until("all containers are removed", || containers().is_empty()).await;
    wait_until("all volumes are removed", has_no_volumes).await;
}

/// R code that prints the working directory and its file system.
const PRINT_FOLDER: &str = "cat('in', getwd(), 'on', system(\"stat -f -c %T .\", intern = TRUE))";

#[tokio::test]
async fn compose_uses_a_volume_or_memory_if_the_image_has_no_job_folder() {
    let Some(first) = fixture(|_| {}) else { return };
    let rendered = first
        .run(with_backend(job(&chunk(PRINT_FOLDER), Format::Html), Backend::Compose))
        .await
        .unwrap();
    let text = read_text(&rendered.bytes, Format::Html);
    assert!(text.contains("in /job/source on ") && !text.contains("tmpfs"), "{text}");
    let other = format!("toolcrib-bare:{}", std::process::id());
    let build = Command::new("docker")
        .args(["build", "-q", "-t", &other, "-"])
        .env("DOCKER_HOST", std::env::var("TOOLCRIB_TEST_DOCKER").unwrap())
        .env("DOCKER_BUILDKIT", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let mut build = build.unwrap();
    let recipe =
        format!("FROM {}\nRUN rmdir /job\n", std::env::var("TOOLCRIB_TEST_IMAGE").unwrap());
    std::io::Write::write_all(&mut build.stdin.take().unwrap(), recipe.as_bytes()).unwrap();
    assert!(build.wait().unwrap().success());
    let bare = fixture(|settings| settings.image = Some(other.clone())).unwrap();
    let rendered = bare
        .run(with_backend(job(&chunk(PRINT_FOLDER), Format::Html), Backend::Compose))
        .await
        .unwrap();
    let text = read_text(&rendered.bytes, Format::Html);
    docker(&["rmi", &other]);
    assert!(text.contains("in /tmp/job/source on tmpfs"), "{text}");
}

#[tokio::test]
async fn auto_selects_docker_if_it_answers() {
    let Some(fixture) =
        fixture(|settings| (settings.backend, settings.allow_local) = (Preference::Auto, true))
    else {
        return;
    };
    let rendered = fixture.render("Text.\n", Format::Html).await.unwrap();
    assert_eq!(rendered.backend, Backend::Docker);
    assert!(rendered.reason.starts_with("auto: Docker answers at unix://"), "{}", rendered.reason);
}

#[tokio::test]
async fn auto_selects_local_if_docker_does_not_answer() {
    let Some(fixture) = RenderFixture::local(|settings| {
        settings.backend = Preference::Auto;
        settings.sockets = vec!["unix:///nowhere/docker.sock".to_owned()];
    }) else {
        return;
    };
    let rendered = fixture.render("Text.\n", Format::Html).await.unwrap();
    assert_eq!(rendered.backend, Backend::Local);
    assert_eq!(
        rendered.reason,
        "auto: neither Docker nor Compose answers, and local rendering is allowed"
    );
}

#[tokio::test]
async fn containers_are_restricted() {
    let Some(fixture) = fixture(|_| {}) else { return };
    let text = chunk(
        "status <- readLines('/proc/self/status')\n\
         show <- function(...) cat(..., '\\n')\n\
         try_write <- function(path) tryCatch({ suppressWarnings(writeLines('x', path)); 'written' }, error = function(e) 'refused')\n\
         show('user', system('id -u', intern = TRUE))\n\
         show(gsub('[[:space:]]+', ' ', grep('^(CapEff|CapBnd|NoNewPrivs)', status, value = TRUE)))\n\
         show('root', try_write('/usr/x'), 'tmp', try_write('/tmp/x'))\n\
         show('links', list.files('/sys/class/net'))\n\
         show('mounts', length(grep('^/dev/.* /(home|root|work)', readLines('/proc/mounts'))))",
    );
    for backend in [Backend::Docker, Backend::Compose] {
        let rendered = fixture.run(with_backend(job(&text, Format::Html), backend)).await.unwrap();
        let words = read_text(&rendered.bytes, Format::Html);
        let expected =
            ["user 10001", "CapEff: 0000000000000000", "CapBnd: 0000000000000000", "NoNewPrivs: 1"];
        for expected in
            expected.into_iter().chain(["root refused tmp written", "links lo", "mounts 0"])
        {
            assert!(words.contains(expected), "{backend:?}: missing {expected}");
        }
    }
}

#[tokio::test]
async fn reports_chunk_and_lines_of_an_error() {
    let Some(fixture) = fixture(|_| {}) else { return };
    for backend in [Backend::Docker, Backend::Compose] {
        let failure = fixture
            .run(with_backend(job(&chunk("stop('no such thing')"), Format::Html), backend))
            .await
            .unwrap_err();
        assert_eq!(
            failure.message,
            "`report.Rmd` could not be rendered (chunk `trouble`, lines 2-3): no such thing"
        );
        assert_eq!(failure.details["backend"], backend.name());
        let quit = fixture
            .run(with_backend(job(&chunk("quit()"), Format::Html), backend))
            .await
            .unwrap_err();
        assert!(quit.message.contains("quit()"), "{}", quit.message);
    }
}

#[tokio::test]
async fn enforces_memory_and_process_limits() {
    let Some(fixture) = fixture(|settings| {
        // Far above what the chunks need, so that memory and processes run out first on a busy machine.
        settings.timeout = Duration::from_secs(60);
        settings.memory_bytes = 300 * MIB;
        settings.processes = 30;
    }) else {
        return;
    };
    for backend in [Backend::Docker, Backend::Compose] {
        let render_failing = async |code: &str| {
            let failure = fixture
                .run(with_backend(job(&chunk(code), Format::Html), backend))
                .await
                .unwrap_err();
            (failure.error_type, failure.message)
        };
        let (error_type, message) =
            render_failing("x <- list(); while (TRUE) x[[length(x) + 1]] <- rnorm(1e6)").await;
        assert_eq!(error_type, ErrorType::OutOfMemory, "{backend:?}: {message}");
        let (error_type, message) = render_failing(
            "system('for i in $(seq 60); do sleep 9610 & done; wait')\nstop('limited')",
        )
        .await;
        assert_eq!(error_type, ErrorType::TooManyProcesses, "{backend:?}: {message}");
    }
    wait_until("all containers are removed", || containers().is_empty()).await;
}

#[tokio::test]
async fn rejects_output_over_the_size_limit() {
    let Some(fixture) = fixture(|settings| settings.output_bytes = 1000) else {
        return;
    };
    for backend in [Backend::Docker, Backend::Compose] {
        let failure =
            fixture.run(with_backend(job("Text.\n", Format::Html), backend)).await.unwrap_err();
        assert_eq!(
            failure.error_type,
            ErrorType::OutputTooLarge,
            "{backend:?}: {}",
            failure.message
        );
    }
}

#[tokio::test]
async fn rejects_a_quarto_document_if_the_image_has_no_quarto() {
    let Some(fixture) = fixture(|_| {}) else { return };
    let text = chunk("stop('it ran')");
    for backend in [Backend::Docker, Backend::Compose] {
        let given = RenderJob {
            document: "a.qmd".to_owned(),
            files: vec![file("a.qmd", &text)],
            ..job(&text, Format::Html)
        };
        let failure = fixture.run(with_backend(given, backend)).await.unwrap_err();
        assert_eq!(
            (failure.error_type, &failure.details["component"]),
            (ErrorType::MissingComponent, &"quarto".into())
        );
        assert!(
            failure.message.contains("which is not in the image; use an image that has it"),
            "{}",
            failure.message
        );
        assert!(failure.message.contains("or rename it to .Rmd"), "{}", failure.message);
    }
}

#[tokio::test]
async fn docker_and_compose_report_timeouts_alike() {
    let Some(fixture) = fixture(|settings| settings.timeout = Duration::from_secs(5)) else {
        return;
    };
    let code = "cat('printed\\n', file = stderr())\nwhile (TRUE) {}";
    for backend in [Backend::Docker, Backend::Compose] {
        let failure =
            fixture.run(with_backend(job(&chunk(code), Format::Html), backend)).await.unwrap_err();
        let why = "it was stopped after 5 seconds, its time limit (`timeout_seconds`)";
        assert_eq!(
            failure.message,
            format!("`report.Rmd` could not be rendered (chunk `trouble`): {why}")
        );
        assert_eq!(
            (failure.error_type, &failure.details["backend"]),
            (ErrorType::TimedOut, &backend.name().into())
        );
        assert_eq!(failure.details["diagnostics"][0]["label"], "trouble");
        let log = failure.details["log"].as_str().unwrap();
        assert_eq!(log.trim(), "printed", "{backend:?} has other lines in its log");
    }
}

#[tokio::test]
async fn dropping_a_render_removes_its_container() {
    let Some(fixture) = fixture(|_| {}) else { return };
    for backend in [Backend::Docker, Backend::Compose] {
        let before = containers();
        let new = || containers().into_iter().find(|id| !before.contains(id));
        tokio::select! {
            _ = fixture.run(with_backend(job(&chunk("Sys.sleep(300)"), Format::Html), backend)) => panic!("the render was not interrupted"),
            () = wait_until("the container runs", || new().is_some_and(|id| docker(&["inspect", "-f", "{{.State.Running}}", &id]) == "true")) => {}
        }
        wait_until("the container is removed", || new().is_none()).await;
        wait_until("all volumes are removed", has_no_volumes).await;
    }
}

#[tokio::test]
async fn removes_containers_of_killed_servers() {
    let Some(fixture) = fixture(|_| {}) else { return };
    let mark = r#"{"server":{"process":{"pid":1,"started":1},"boot":"long ago"},"namespace":null,"until":5}"#;
    let image = std::env::var("TOOLCRIB_TEST_IMAGE").unwrap();
    let orphan = docker(&[
        "create",
        "--network=none",
        "-v",
        "/job",
        "--label",
        &format!("io.toolcrib.render={mark}"),
        &image,
        "true",
    ]);
    let other = docker(&["create", "--network=none", &image, "true"]);
    fixture.render("Text.\n", Format::Html).await.unwrap();
    let all = docker(&["ps", "-aq", "--no-trunc"]);
    docker(&["rm", &other]);
    assert!(!all.contains(&orphan), "the orphan was not removed");
    assert!(all.contains(&other), "other containers are kept");
    wait_until("all volumes are removed", has_no_volumes).await;
}

#[tokio::test]
async fn rebuilds_the_image_only_if_its_base_changes() {
    let Some(_) = fixture(|_| {}) else { return };
    let base = std::env::var("TOOLCRIB_TEST_IMAGE").unwrap();
    // Two new names for one base image, so that no image was built on them before.
    let bases = [1, 2].map(|number| format!("toolcrib-base-{number}:{}", std::process::id()));
    bases.iter().for_each(|name| drop(docker(&["tag", &base, name])));
    let on = |base: &str| {
        fixture(|settings| (settings.image, settings.base) = (None, Some(base.to_owned()))).unwrap()
    };
    let is_building = |fixture: &RenderFixture| {
        fixture
            .progress()
            .iter()
            .any(|report| report.message.starts_with("building the image, once: Step"))
    };
    let first = on(&bases[0]);
    let rendered = first.render("Text.\n", Format::Html).await.unwrap();
    assert!(is_building(&first));
    let again = on(&bases[0]);
    let same = again.render("Other text.\n", Format::Html).await.unwrap();
    assert!(!is_building(&again) && same.image == rendered.image, "the image exists");
    let composed =
        again.run(with_backend(job("Text.\n", Format::Html), Backend::Compose)).await.unwrap();
    assert_eq!(composed.image, rendered.image, "Compose renders in the same image");
    let other = on(&bases[1]);
    let rebuilt = other.render("Text.\n", Format::Html).await.unwrap();
    assert!(is_building(&other), "the base differs");
    // A package that the base has needs no network.
    let packages = |names: &[&str]| {
        fixture(|settings| {
            (settings.image, settings.base) = (None, Some(bases[0].clone()));
            settings.packages = names.iter().map(ToString::to_string).collect();
        })
        .unwrap()
    };
    let with_packages = packages(&["knitr", "ggplot2"]);
    let extended = with_packages.render("Text.\n", Format::Html).await.unwrap();
    assert!(is_building(&with_packages), "the packages differ");
    let missing = packages(&["nopackage"]).render("Text.\n", Format::Html).await.unwrap_err();
    assert_eq!(missing.error_type, ErrorType::ImageBuildFailed);
    let log = missing.details["log"].as_str().unwrap();
    assert!(log.contains("nopackage"), "{log}");
    for image in [rendered.image, rebuilt.image, extended.image] {
        docker(&["rmi", "-f", &image.unwrap()]);
    }
    bases.iter().for_each(|name| drop(docker(&["rmi", name])));
}

#[tokio::test]
async fn reports_a_missing_or_failed_image() {
    let Some(unpulled) = fixture(|settings| settings.image = Some("no-such-image:1".to_owned()))
    else {
        return;
    };
    let failure = unpulled.render("Text.\n", Format::Html).await.unwrap_err();
    assert_eq!(failure.error_type, ErrorType::ImageMissing);
    assert!(failure.message.contains("docker pull no-such-image:1"), "{}", failure.message);
    let unbuilt = fixture(|settings| {
        (settings.image, settings.base) = (None, Some("no-such-base.invalid/x:1".to_owned()))
    })
    .unwrap();
    let failure = unbuilt.render("Text.\n", Format::Html).await.unwrap_err();
    assert_eq!(failure.error_type, ErrorType::ImageBuildFailed, "{failure:?}");
}

#[tokio::test]
async fn reports_the_sockets_that_did_not_answer() {
    let fixture = RenderFixture::new(|settings| {
        settings.backend = Preference::Docker;
        settings.sockets =
            vec!["unix:///nowhere/docker.sock".to_owned(), "tcp://127.0.0.1:1".to_owned()];
    });
    let failure = fixture.render("Text.\n", Format::Html).await.unwrap_err();
    assert_eq!(failure.error_type, ErrorType::DockerUnavailable);
    assert!(
        failure.message.contains("unix:///nowhere/docker.sock (the socket does not exist)"),
        "{}",
        failure.message
    );
    assert!(failure.message.contains("only sockets of this machine"), "{}", failure.message);
}

#[tokio::test]
async fn copies_documents_and_files_into_containers() {
    let Some(fixture) = fixture(|_| {}) else { return };
    let text = "```{r}\ncat(readLines('near.txt'), readLines('../data/far.txt'))\n```\n";
    for backend in [Backend::Docker, Backend::Compose] {
        let files = vec![
            file("reports/q1.Rmd", text),
            file("reports/near.txt", "near one"),
            file("data/far.txt", "and far"),
        ];
        let given =
            RenderJob { document: "reports/q1.Rmd".to_owned(), files, ..job("", Format::Html) };
        let rendered = fixture.run(with_backend(given, backend)).await.unwrap();
        assert!(read_text(&rendered.bytes, Format::Html).contains("near one and far"));
    }
}
