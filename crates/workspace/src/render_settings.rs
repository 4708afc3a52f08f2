//! The settings for rendering the documents of a crib.

use std::time::Duration;

use render::{Preference, RenderSettings};

use crate::{Crib, Environment, RenderBackend};

/// The default socket of Docker.
const DOCKER: &str = "unix:///var/run/docker.sock";
/// The default system-wide socket of Podman.
const PODMAN: &str = "unix:///run/podman/podman.sock";

impl Crib {
    /// The settings for rendering documents, from `[documents]` and `DOCKER_HOST`.
    pub fn render_settings(&self) -> RenderSettings {
        let mut settings = RenderSettings::new(self.state_folder().join("renders"));
        settings.sockets = find_sockets(self.environment());
        let Some(documents) = &self.documents else {
            return settings;
        };
        settings.backend = match documents.backend {
            RenderBackend::Auto => Preference::Auto,
            RenderBackend::Docker => Preference::Docker,
            RenderBackend::Compose => Preference::Compose,
            RenderBackend::Local => Preference::Local,
        };
        settings.allow_local = documents.allow_local;
        settings.image.clone_from(&documents.image);
        settings.base.clone_from(&documents.base);
        settings.memory_bytes = documents.memory_mib.map_or(settings.memory_bytes, |mib| mib << 20);
        settings.packages.clone_from(&documents.packages);
        let mib = |limit: Option<u64>, default: u64| limit.map_or(default, |mib| mib << 20);
        settings.disk_bytes = mib(documents.disk_mib, settings.disk_bytes);
        settings.output_bytes = mib(documents.output_mib, settings.output_bytes);
        settings.cache_bytes = mib(documents.cache_mib, settings.cache_bytes);
        settings.cpus = documents.cpus.unwrap_or(settings.cpus);
        settings.processes = documents.processes.unwrap_or(settings.processes);
        settings.timeout = documents.timeout_seconds.map_or(settings.timeout, Duration::from_secs);
        settings
    }
}

/// The sockets on which Docker or Podman may listen, in the order in which they are tried. An
/// explicit `DOCKER_HOST` disables the defaults, as for Docker's own command line.
fn find_sockets(environment: &Environment) -> Vec<String> {
    if let Some(host) = environment.get("DOCKER_HOST").filter(|host| !host.is_empty()) {
        return vec![host.to_owned()];
    }
    let rootless = environment.get("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    let rootless = rootless.map(|folder| {
        [format!("unix://{folder}/docker.sock"), format!("unix://{folder}/podman/podman.sock")]
    });
    let docker_desktop =
        environment.get("HOME").map(|home| format!("unix://{home}/.docker/run/docker.sock"));
    let system = [DOCKER, PODMAN].map(str::to_owned);
    // The system-wide Docker first, as its own command line does.
    system.into_iter().chain(rootless.into_iter().flatten()).chain(docker_desktop).collect()
}

#[cfg(test)]
mod tests {
    use super::find_sockets;

    #[test]
    fn docker_sockets_come_from_the_environment() {
        let named = [("DOCKER_HOST".to_owned(), "unix:///x.sock".to_owned())].into_iter().collect();
        assert_eq!(find_sockets(&named), ["unix:///x.sock"]);
        let rootless =
            [("XDG_RUNTIME_DIR".to_owned(), "/run/user/1".to_owned())].into_iter().collect();
        assert_eq!(
            find_sockets(&rootless),
            [
                "unix:///var/run/docker.sock",
                "unix:///run/podman/podman.sock",
                "unix:///run/user/1/docker.sock",
                "unix:///run/user/1/podman/podman.sock",
            ]
        );
    }
}
