//! The image that documents are rendered in: one that the operator names, or the default.
//!
//! The tag of the default image is a digest of its build files, so it is rebuilt exactly when they
//! change.

use std::collections::HashMap;

use bollard::{
    body_full,
    errors::Error,
    models::BuildInfo,
    query_parameters::{BuildImageOptions, BuilderVersion},
};
use catalog::{ErrorType, Failure};
use futures_util::StreamExt;
use serde_json::json;

use super::{
    super::{Inner, ProgressCallback, RenderProgress, RenderSettings, exchange},
    Engine, docker_failure,
};
use crate::digest::of_parts;

const DOCKERFILE: &str = include_str!("../image/Dockerfile");
const INSTALL: &str = include_str!("../image/install.sh");
/// The repository name of default images.
const TAG: &str = "toolcrib-render";
/// Characters of the digest in the tag.
const DIGEST_CHARS: usize = 12;
/// Lines of the build log that a failure includes.
const BUILD_LOG_LINES: usize = 20;
const NOT_FOUND: u16 = 404;

/// An existing image.
#[derive(Clone, Debug)]
pub(in super::super) struct Image {
    /// The name.
    pub(in super::super) reference: String,
    /// The digest.
    pub(in super::super) digest: String,
}

/// The build files of the default image.
pub(in super::super) fn build_files() -> [(&'static str, &'static str); 3] {
    [("Dockerfile", DOCKERFILE), ("install.sh", INSTALL), (exchange::SCRIPT_FILE, exchange::SCRIPT)]
}

/// The name of the image to render in.
pub(in super::super) fn reference(settings: &RenderSettings) -> String {
    settings.image.clone().unwrap_or_else(|| {
        let parts = build_files().map(|(name, text)| format!("{name}\n{text}\n"));
        let packages = build_argument(&settings.packages);
        let all = parts.iter().map(String::as_str).chain(settings.base.as_deref());
        let all = all.chain((!packages.is_empty()).then_some(packages.as_str()));
        format!("{TAG}:{}", &of_parts(all)[..DIGEST_CHARS])
    })
}

/// The build arguments of the default image.
pub(in super::super) fn build_arguments(settings: &RenderSettings) -> HashMap<String, String> {
    let packages = build_argument(&settings.packages);
    let packages = (!packages.is_empty()).then(|| ("PACKAGES".to_owned(), packages));
    let base = settings.base.clone().map(|base| ("BASE".to_owned(), base));
    base.into_iter().chain(packages).collect()
}

/// Joins the packages, sorted, so that their order in the configuration does not cause another
/// image to be built.
fn build_argument(packages: &[String]) -> String {
    let mut packages = packages.to_vec();
    packages.sort();
    packages.dedup();
    packages.join(" ")
}

impl Inner {
    /// The image to render in; the default image is built if it does not exist.
    pub(in super::super) async fn image(
        &self,
        engine: &Engine,
        on_progress: &ProgressCallback,
    ) -> Result<Image, Failure> {
        let reference = reference(&self.settings);
        if let Some(image) = find(engine, &reference).await? {
            return Ok(image);
        }
        // A configured image is never built or pulled: the operator may provide it in another way.
        if self.settings.image.is_some() {
            let message = format!(
                "the image `{reference}` does not exist; run `docker pull {reference}`, then call again"
            );
            return Err(Failure::new(ErrorType::ImageMissing, message));
        }
        // Concurrent renders wait here and then find the image.
        let _building = self.building.lock().await;
        if let Some(image) = find(engine, &reference).await? {
            return Ok(image);
        }
        build(engine, &reference, &self.settings, on_progress).await?;
        let missing = || {
            Failure::new(
                ErrorType::DockerFailed,
                format!("the image `{reference}` was built but cannot be found"),
            )
        };
        find(engine, &reference).await?.ok_or_else(missing)
    }
}

async fn find(engine: &Engine, reference: &str) -> Result<Option<Image>, Failure> {
    match engine.docker.inspect_image(reference).await {
        Ok(found) => Ok(Some(Image {
            reference: reference.to_owned(),
            digest: found.id.unwrap_or_else(|| reference.to_owned()),
        })),
        Err(Error::DockerResponseServerError { status_code: NOT_FOUND, .. }) => Ok(None),
        Err(error) => Err(docker_failure("could not inspect the image", &error)),
    }
}

async fn build(
    engine: &Engine,
    reference: &str,
    settings: &RenderSettings,
    on_progress: &ProgressCallback,
) -> Result<(), Failure> {
    let context = exchange::archive(
        build_files().map(|(name, text)| (name.to_owned(), text.as_bytes().into())),
    )
    .map_err(|error| {
        Failure::new(ErrorType::RenderFailed, format!("the image could not be prepared: {error}"))
    })?;
    let options = BuildImageOptions {
        t: Some(reference.to_owned()),
        rm: true,
        forcerm: true,
        buildargs: Some(build_arguments(settings)).filter(|arguments| !arguments.is_empty()),
        version: BuilderVersion::BuilderV1,
        ..BuildImageOptions::default()
    };
    let mut steps =
        std::pin::pin!(engine.docker.build_image(options, None, Some(body_full(context.into()))));
    let mut printed = Vec::new();
    while let Some(step) = steps.next().await {
        match step {
            Ok(BuildInfo { error_detail: Some(error), .. }) => {
                return Err(build_failed(&error.message.unwrap_or_default(), &printed));
            }
            Ok(BuildInfo { stream: Some(text), .. }) => {
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    on_progress(RenderProgress::before(format!(
                        "building the image, once: {line}"
                    )));
                    printed.push(line.to_owned());
                }
            }
            Ok(_) => {}
            Err(error) => return Err(build_failed(&error.to_string(), &printed)),
        }
    }
    Ok(())
}

fn build_failed(why: &str, printed: &[String]) -> Failure {
    let tail = printed[printed.len().saturating_sub(BUILD_LOG_LINES)..].join("\n");
    let message = format!(
        "the image could not be built: {why}; building needs the network; to use an existing image, set `image` in the \
         `[documents]` section"
    );
    Failure::new(ErrorType::ImageBuildFailed, message).details(json!({"log": tail}))
}
