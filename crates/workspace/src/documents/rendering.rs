//! How documents are rendered in a crib: what `[documents]` says of it, and where Docker listens.

use std::time::Duration;

use render::{Preference, RenderSettings};

use super::{DocumentsConfig, RenderBackend};
use crate::{Crib, Environment};

/// Where Docker listens if nothing else is said.
const DOCKER: &str = "unix:///var/run/docker.sock";
/// Where Podman does for the whole machine.
const PODMAN: &str = "unix:///run/podman/podman.sock";

impl Crib {
    /// How documents are rendered here.
    pub fn render_settings(&self) -> RenderSettings {
        let mut settings = RenderSettings::new(self.state_folder().join("renders"));
        settings.sockets = sockets(self.environment());
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
        settings.cpus = documents.cpus.unwrap_or(settings.cpus);
        settings.processes = documents.processes.unwrap_or(settings.processes);
        settings.timeout = documents.timeout_seconds.map_or(settings.timeout, Duration::from_secs);
        settings
    }
}

/// The limits with which nothing could be rendered, each with where it stands.
pub(super) fn impossible(config: &DocumentsConfig) -> Vec<(&'static str, usize)> {
    let limits = [
        (
            "memory_mib",
            config.memory_mib.as_ref().map(|limit| (*limit.get_ref() > 0, limit.span().start)),
        ),
        ("cpus", config.cpus.as_ref().map(|limit| (*limit.get_ref() > 0.0, limit.span().start))),
        (
            "processes",
            config.processes.as_ref().map(|limit| (*limit.get_ref() > 0, limit.span().start)),
        ),
        (
            "timeout_seconds",
            config.timeout_seconds.as_ref().map(|limit| (*limit.get_ref() > 0, limit.span().start)),
        ),
    ];
    limits
        .into_iter()
        .filter_map(|(name, limit)| {
            limit.filter(|(is_possible, _)| !is_possible).map(|(_, at)| (name, at))
        })
        .collect()
}

/// Where Docker or Podman may listen: where `DOCKER_HOST` says, else in the usual places.
fn sockets(environment: &Environment) -> Vec<String> {
    if let Some(host) = environment.get("DOCKER_HOST").filter(|host| !host.is_empty()) {
        return vec![host.to_owned()];
    }
    let own = environment.get("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    let own = own.map(|folder| {
        [format!("unix://{folder}/docker.sock"), format!("unix://{folder}/podman/podman.sock")]
    });
    let desktop =
        environment.get("HOME").map(|home| format!("unix://{home}/.docker/run/docker.sock"));
    let usual = [DOCKER, PODMAN].map(str::to_owned);
    usual.into_iter().chain(own.into_iter().flatten()).chain(desktop).collect()
}

#[cfg(test)]
mod tests {
    use super::sockets;

    #[test]
    fn docker_is_looked_for_where_the_environment_says() {
        let named = [("DOCKER_HOST".to_owned(), "unix:///x.sock".to_owned())].into_iter().collect();
        assert_eq!(sockets(&named), ["unix:///x.sock"]);
        let usual =
            [("XDG_RUNTIME_DIR".to_owned(), "/run/user/1".to_owned())].into_iter().collect();
        assert!(sockets(&usual).contains(&"unix:///run/user/1/podman/podman.sock".to_owned()));
    }
}
