//! A Docker daemon that stops during a render.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use catalog::ErrorType;
use render::{Backend, Format, Preference};
use testing::{wait_until, wait_until_blocking};

use crate::{containers::fixture, render_fixture::RenderFixture};

/// A Docker daemon of its own, so that a test can stop it.
struct Daemon {
    folder: tempfile::TempDir,
    child: std::process::Child,
}

impl Daemon {
    fn start() -> Self {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let child = Self::spawn(folder.path());
        Self { folder, child }
    }

    fn spawn(folder: &Path) -> std::process::Child {
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
        wait_until_blocking("dockerd is ready", || {
            assert!(child.try_wait().unwrap().is_none(), "dockerd exited");
            let version = Command::new("docker")
                .arg("version")
                .env("DOCKER_HOST", format!("unix://{}", at("docker.sock")))
                .output();
            version.is_ok_and(|output| output.status.success())
        });
        child
    }

    fn socket(&self) -> String {
        format!("unix://{}", self.folder.path().join("docker.sock").display())
    }

    fn stop(&mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.stop();
    }
}

#[tokio::test]
async fn reports_a_daemon_that_stops_and_renders_after_a_restart() {
    let Some(_) = fixture(|_| {}) else { return };
    let mut daemon = Daemon::start();
    // Copies the image from the other engine, because there is no registry.
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
        wait_until("progress is reported", || !fixture.progress().is_empty()).await;
        daemon.stop();
    };
    let (result, ()) = tokio::join!(render, stop);
    let failure = result.unwrap_err();
    assert!(
        [ErrorType::DockerFailed, ErrorType::OutOfMemory].contains(&failure.error_type),
        "{failure:?}"
    );
    assert!(failure.message.contains("Docker"), "{}", failure.message);
    daemon.child = Daemon::spawn(daemon.folder.path());
    let rendered = fixture.render("Text.\n", Format::Html).await.unwrap();
    assert_eq!(rendered.backend, Backend::Docker);
}
