//! Documents in containers: by the API of Docker, and by Compose.

use catalog::ErrorType;
use std::{
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use render::{Backend, Format, Preference, RenderJob, RenderSettings};

use crate::fixture::{
    REPORT, RenderFixture, assert_is_report, file, job, skip, until, with_backend, words,
};

const MIB: u64 = 1024 * 1024;

/// One that renders in containers of an engine that is there for tests alone; none, loudly, without that.
fn fixture(change: impl FnOnce(&mut RenderSettings)) -> Option<RenderFixture> {
    let (Ok(socket), Ok(image)) =
        (std::env::var("TOOLCRIB_TEST_DOCKER"), std::env::var("TOOLCRIB_TEST_IMAGE"))
    else {
        return skip("there is no Docker for tests (scripts/engine starts one)");
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

/// Our containers, in whatever state.
fn containers() -> Vec<String> {
    docker(&["ps", "-aq", "--filter", "label=io.toolcrib.render"])
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Whether volumes went with their containers.
fn no_volume_is_left() -> bool {
    docker(&["volume", "ls", "-q", "--filter", "dangling=true"]).is_empty()
}

fn chunk(code: &str) -> String {
    format!("```{{r trouble}}\n{code}\n```\n")
}

#[tokio::test]
async fn docker_renders_html_pdf_and_word_and_leaves_nothing() {
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
    let told: Vec<_> = fixture.told().into_iter().map(|told| told.chunk).collect();
    assert_eq!(told, [1, 2, 1, 2, 1, 2]);
    assert!(fixture.render(REPORT, Format::Html).await.unwrap().cached);
    until(|| containers().is_empty()).await;
    until(no_volume_is_left).await;
}

#[tokio::test]
async fn compose_renders_html_pdf_and_word_and_leaves_nothing() {
    let Some(fixture) = fixture(|_| {}) else { return };
    for format in Format::ALL {
        let rendered =
            fixture.run(with_backend(job(REPORT, format), Backend::Compose)).await.unwrap();
        assert_is_report(&rendered, format);
        assert_eq!(
            (rendered.backend, rendered.reason.as_str()),
            (Backend::Compose, "the call asks for it")
        );
        assert!(rendered.versions["compose"].contains("compose"), "{:?}", rendered.versions);
        assert_eq!(rendered.log, "", "what Compose says is not in the log");
    }
    until(|| containers().is_empty()).await;
    until(no_volume_is_left).await;
}

/// Where the documents lie in a container, as R sees it.
const PLACE: &str = "cat('in', getwd(), 'on', system(\"stat -f -c %T .\", intern = TRUE))";

#[tokio::test]
async fn documents_lie_in_a_volume_by_compose_and_in_memory_where_an_image_has_no_room_for_one() {
    let Some(first) = fixture(|_| {}) else { return };
    let rendered =
        first.run(with_backend(job(&chunk(PLACE), Format::Html), Backend::Compose)).await.unwrap();
    let text = words(&rendered.bytes, Format::Html);
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
    let rendered =
        bare.run(with_backend(job(&chunk(PLACE), Format::Html), Backend::Compose)).await.unwrap();
    let text = words(&rendered.bytes, Format::Html);
    docker(&["rmi", &other]);
    assert!(text.contains("in /tmp/job/source on tmpfs"), "{text}");
}

#[tokio::test]
async fn auto_takes_docker_if_it_answers_and_says_so() {
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
async fn auto_takes_this_machine_if_docker_does_not_answer_and_says_so() {
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
async fn a_container_is_held_to_little() {
    let Some(fixture) = fixture(|_| {}) else { return };
    let text = chunk(
        "status <- readLines('/proc/self/status')\n\
         say <- function(...) cat(..., '\\n')\n\
         try_write <- function(path) tryCatch({ suppressWarnings(writeLines('x', path)); 'written' }, error = function(e) 'refused')\n\
         say('user', system('id -u', intern = TRUE))\n\
         say(gsub('[[:space:]]+', ' ', grep('^(CapEff|CapBnd|NoNewPrivs)', status, value = TRUE)))\n\
         say('root', try_write('/usr/x'), 'tmp', try_write('/tmp/x'))\n\
         say('links', list.files('/sys/class/net'))\n\
         say('mounts', length(grep('^/dev/.* /(home|root|work)', readLines('/proc/mounts'))))",
    );
    for backend in [Backend::Docker, Backend::Compose] {
        let rendered = fixture.run(with_backend(job(&text, Format::Html), backend)).await.unwrap();
        let words = words(&rendered.bytes, Format::Html);
        let expected =
            ["user 10001", "CapEff: 0000000000000000", "CapBnd: 0000000000000000", "NoNewPrivs: 1"];
        for expected in
            expected.into_iter().chain(["root refused tmp written", "links lo", "mounts 0"])
        {
            assert!(words.contains(expected), "{backend:?}: {expected} is not in it");
        }
    }
}

#[tokio::test]
async fn errors_are_told_by_chunk_and_line_from_containers_too() {
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
async fn time_memory_and_processes_are_limited_in_containers() {
    let Some(fixture) = fixture(|settings| {
        settings.timeout = Duration::from_secs(8);
        settings.memory_bytes = 300 * MIB;
        settings.processes = 30;
    }) else {
        return;
    };
    for backend in [Backend::Docker, Backend::Compose] {
        let fails = async |code: &str| {
            let failure = fixture
                .run(with_backend(job(&chunk(code), Format::Html), backend))
                .await
                .unwrap_err();
            (failure.error_type, failure.message)
        };
        let (kind, message) =
            fails("x <- list(); while (TRUE) x[[length(x) + 1]] <- rnorm(1e6)").await;
        assert_eq!(kind, ErrorType::OutOfMemory, "{backend:?}: {message}");
        let (kind, message) =
            fails("system('for i in $(seq 60); do sleep 9610 & done; wait')\nstop('limited')")
                .await;
        assert_eq!(kind, ErrorType::TooManyProcesses, "{backend:?}: {message}");
    }
    until(|| containers().is_empty()).await;
}

#[tokio::test]
async fn a_document_that_is_too_long_is_refused_from_containers_too() {
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
async fn a_quarto_document_is_refused_before_its_code_runs_where_the_image_has_no_quarto() {
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
        assert!(failure.message.contains("or name it .Rmd"), "{}", failure.message);
    }
}

#[tokio::test]
async fn time_that_is_over_is_told_alike_by_docker_and_compose() {
    let Some(fixture) = fixture(|settings| settings.timeout = Duration::from_secs(5)) else {
        return;
    };
    let code = "cat('heard\\n', file = stderr())\nwhile (TRUE) {}";
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
        assert_eq!(log.trim(), "heard", "{backend:?} has nothing else in its log");
    }
}

#[tokio::test]
async fn a_render_that_is_dropped_leaves_no_container() {
    let Some(fixture) = fixture(|_| {}) else { return };
    for backend in [Backend::Docker, Backend::Compose] {
        let before = containers();
        let new = || containers().into_iter().find(|id| !before.contains(id));
        tokio::select! {
            _ = fixture.run(with_backend(job(&chunk("Sys.sleep(300)"), Format::Html), backend)) => panic!("it ended by itself"),
            () = until(|| new().is_some_and(|id| docker(&["inspect", "-f", "{{.State.Running}}", &id]) == "true")) => {}
        }
        until(|| new().is_none()).await;
        until(no_volume_is_left).await;
    }
}

#[tokio::test]
async fn containers_of_a_server_that_was_killed_are_swept() {
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
    assert!(!all.contains(&orphan), "it was left behind");
    assert!(all.contains(&other), "others' containers are left alone");
    until(no_volume_is_left).await;
}

#[tokio::test]
async fn an_image_is_built_once_and_again_when_it_is_made_of_something_else() {
    let Some(_) = fixture(|_| {}) else { return };
    let base = std::env::var("TOOLCRIB_TEST_IMAGE").unwrap();
    // Two names for one base that has everything, and that nothing was built on yet.
    let bases = [1, 2].map(|number| format!("toolcrib-base-{number}:{}", std::process::id()));
    bases.iter().for_each(|name| drop(docker(&["tag", &base, name])));
    let on = |base: &str| {
        fixture(|settings| (settings.image, settings.base) = (None, Some(base.to_owned()))).unwrap()
    };
    let is_building = |fixture: &RenderFixture| {
        fixture.told().iter().any(|told| told.message.starts_with("building the image, once: Step"))
    };
    let first = on(&bases[0]);
    let rendered = first.render("Text.\n", Format::Html).await.unwrap();
    assert!(is_building(&first));
    let again = on(&bases[0]);
    let same = again.render("Other text.\n", Format::Html).await.unwrap();
    assert!(!is_building(&again) && same.image == rendered.image, "it is there already");
    let composed =
        again.run(with_backend(job("Text.\n", Format::Html), Backend::Compose)).await.unwrap();
    assert_eq!(composed.image, rendered.image, "Compose renders in the same image");
    let other = on(&bases[1]);
    let elsewhere = other.render("Text.\n", Format::Html).await.unwrap();
    assert!(is_building(&other), "it is made of something else");
    for image in [rendered.image, elsewhere.image] {
        docker(&["rmi", "-f", &image.unwrap()]);
    }
    bases.iter().for_each(|name| drop(docker(&["rmi", name])));
}

#[tokio::test]
async fn an_image_that_is_not_there_or_cannot_be_built_is_told() {
    let Some(studio_) = fixture(|settings| settings.image = Some("no-such-image:1".to_owned()))
    else {
        return;
    };
    let failure = studio_.render("Text.\n", Format::Html).await.unwrap_err();
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
async fn a_missing_daemon_is_told_by_where_it_was_looked_for() {
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
async fn documents_in_folders_and_files_beside_them_go_into_containers() {
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
        assert!(words(&rendered.bytes, Format::Html).contains("near one and far"));
    }
}

/// A daemon of its own, so that it can be stopped.
struct Daemon {
    folder: tempfile::TempDir,
    child: std::process::Child,
}

impl Daemon {
    fn start() -> Self {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let child = Self::run(folder.path());
        Self { folder, child }
    }

    fn run(folder: &Path) -> std::process::Child {
        let at = |name: &str| folder.join(name).display().to_string();
        let mut child = Command::new("dockerd")
            .args([
                "-H",
                &format!("unix://{}", at("docker.sock")),
                "--data-root",
                &at("data"),
                "--exec-root",
                &at("exec"),
            ])
            .args([
                "--pidfile",
                &at("pid"),
                "--storage-driver=overlay2",
                "--iptables=false",
                "--ip6tables=false",
                "--bridge=none",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        for _ in 0..200 {
            let answers = Command::new("docker")
                .arg("version")
                .env("DOCKER_HOST", format!("unix://{}", at("docker.sock")))
                .output();
            if answers.is_ok_and(|output| output.status.success()) {
                return child;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        child.kill().unwrap();
        panic!("dockerd does not start: {:?}", child.wait());
    }

    fn socket(&self) -> String {
        format!("unix://{}", self.folder.path().join("docker.sock").display())
    }

    fn end(&mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end();
    }
}

#[tokio::test]
async fn docker_that_stops_in_the_middle_is_told_and_the_next_render_works() {
    let Some(_) = fixture(|_| {}) else { return };
    let mut daemon = Daemon::start();
    // The image is handed over from the other engine, without a registry.
    let image = std::env::var("TOOLCRIB_TEST_IMAGE").unwrap();
    let mut save = Command::new("docker")
        .args(["save", &image])
        .env("DOCKER_HOST", std::env::var("TOOLCRIB_TEST_DOCKER").unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let loaded = Command::new("docker")
        .arg("load")
        .env("DOCKER_HOST", daemon.socket())
        .stdin(save.stdout.take().unwrap())
        .output()
        .unwrap();
    assert!(loaded.status.success() && save.wait().unwrap().success());
    let fixture = RenderFixture::new(|settings| {
        settings.backend = Preference::Docker;
        settings.sockets = vec![daemon.socket()];
        settings.image = Some(image);
    });
    let render = fixture.render("```{r}\nSys.sleep(120)\n```\n", Format::Html);
    let stop = async {
        until(|| !fixture.told().is_empty()).await;
        daemon.end();
    };
    let (result, ()) = tokio::join!(render, stop);
    let failure = result.unwrap_err();
    assert!(
        [ErrorType::DockerFailed, ErrorType::OutOfMemory].contains(&failure.error_type),
        "{failure:?}"
    );
    assert!(failure.message.contains("Docker"), "{}", failure.message);
    daemon.child = Daemon::run(daemon.folder.path());
    let rendered = fixture.render("Text.\n", Format::Html).await.unwrap();
    assert_eq!(rendered.backend, Backend::Docker);
}
