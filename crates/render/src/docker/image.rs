//! The image that documents are rendered in: one that the operator names, or ours.
//!
//! Ours is known by what it is made of, so it is built when that changes, and only then.

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
    super::{Inner, RenderProgress, RenderSettings, Tell, exchange},
    Engine, failed,
};
use crate::digest::of_parts;

const DOCKERFILE: &str = include_str!("../image/Dockerfile");
const INSTALL: &str = include_str!("../image/install.sh");
/// What our images are called.
const TAG: &str = "toolcrib-render";
/// How much of the digest is in the name.
const DIGITS: usize = 12;
/// How many of the last lines of a build are told if it fails.
const LINES: usize = 20;
const NOT_FOUND: u16 = 404;

/// An image that is there.
#[derive(Clone, Debug)]
pub(in super::super) struct Image {
    /// Its name.
    pub(in super::super) reference: String,
    /// Exactly which it is.
    pub(in super::super) digest: String,
}

/// What an image of ours is built of.
pub(in super::super) fn ingredients() -> [(&'static str, &'static str); 3] {
    [("Dockerfile", DOCKERFILE), ("install.sh", INSTALL), (exchange::SCRIPT_FILE, exchange::SCRIPT)]
}

/// The name of the image to render in.
pub(in super::super) fn reference(settings: &RenderSettings) -> String {
    settings.image.clone().unwrap_or_else(|| {
        let parts = ingredients().map(|(name, text)| format!("{name}\n{text}\n"));
        let all = parts.iter().map(String::as_str).chain(settings.base.as_deref());
        format!("{TAG}:{}", &of_parts(all)[..DIGITS])
    })
}

impl Inner {
    /// The image to render in; ours is built if it is not there.
    pub(in super::super) async fn image(
        &self,
        engine: &Engine,
        tell: &Tell,
    ) -> Result<Image, Failure> {
        let reference = reference(&self.settings);
        if let Some(image) = find(engine, &reference).await? {
            return Ok(image);
        }
        if self.settings.image.is_some() {
            let message = format!(
                "the image `{reference}` is not there; fetch it (docker pull {reference}), then call again"
            );
            return Err(Failure::new(ErrorType::ImageMissing, message));
        }
        // Whoever comes while it is built waits, and then finds it.
        let _building = self.building.lock().await;
        if let Some(image) = find(engine, &reference).await? {
            return Ok(image);
        }
        build(engine, &reference, &self.settings, tell).await?;
        let lost = || {
            Failure::new(
                ErrorType::DockerFailed,
                format!("the image `{reference}` was built and is not there"),
            )
        };
        find(engine, &reference).await?.ok_or_else(lost)
    }
}

async fn find(engine: &Engine, reference: &str) -> Result<Option<Image>, Failure> {
    match engine.docker.inspect_image(reference).await {
        Ok(found) => Ok(Some(Image {
            reference: reference.to_owned(),
            digest: found.id.unwrap_or_else(|| reference.to_owned()),
        })),
        Err(Error::DockerResponseServerError { status_code: NOT_FOUND, .. }) => Ok(None),
        Err(error) => Err(failed("the image could not be looked up", &error)),
    }
}

async fn build(
    engine: &Engine,
    reference: &str,
    settings: &RenderSettings,
    tell: &Tell,
) -> Result<(), Failure> {
    let context = exchange::archive(
        ingredients().map(|(name, text)| (name.to_owned(), text.as_bytes().into())),
    )
    .map_err(|error| {
        Failure::new(ErrorType::RenderFailed, format!("the image could not be prepared: {error}"))
    })?;
    let options = BuildImageOptions {
        t: Some(reference.to_owned()),
        rm: true,
        forcerm: true,
        buildargs: settings.base.clone().map(|base| HashMap::from([("BASE".to_owned(), base)])),
        version: BuilderVersion::BuilderV1,
        ..BuildImageOptions::default()
    };
    let mut steps =
        std::pin::pin!(engine.docker.build_image(options, None, Some(body_full(context.into()))));
    let mut said = Vec::new();
    while let Some(step) = steps.next().await {
        match step {
            Ok(BuildInfo { error_detail: Some(error), .. }) => {
                return Err(not_built(&error.message.unwrap_or_default(), &said));
            }
            Ok(BuildInfo { stream: Some(text), .. }) => {
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    tell(RenderProgress::before(format!("building the image, once: {line}")));
                    said.push(line.to_owned());
                }
            }
            Ok(_) => {}
            Err(error) => return Err(not_built(&error.to_string(), &said)),
        }
    }
    Ok(())
}

fn not_built(why: &str, said: &[String]) -> Failure {
    let tail = said[said.len().saturating_sub(LINES)..].join("\n");
    let message = format!(
        "the image could not be built: {why}; it is built once and needs the network for that; a ready one can be named by `image` \
         in the `[documents]` section"
    );
    Failure::new(ErrorType::ImageBuildFailed, message).details(json!({"log": tail}))
}
