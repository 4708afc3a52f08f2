//! Long outputs as resources, in pieces that a client can take.

use std::{fs::File, io, os::unix::fs::FileExt, sync::Arc};

use toolkit::{
    Body, BoxFuture, Context, Interrupt, Resource, ResourceContent, ResourceTemplate, Resources,
};

use super::{OutputKind, OutputStore, SCHEME, is_id, is_owned, is_random};
use crate::operation::Owner;

/// Maximum bytes that one read returns.
const PIECE_BYTES: u64 = 1024 * 1024;

/// The resource provider. A URI is a capability: it cannot be guessed and is not listed.
pub(crate) struct OutputResources(pub(crate) Arc<OutputStore>);

impl Resources for OutputResources {
    fn list(&self) -> BoxFuture<'_, Vec<Resource>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = |uri: &str, name: &str, description: &str| ResourceTemplate {
            uri_template: format!("{SCHEME}{uri}"),
            name: name.to_owned(),
            description: Some(description.to_owned()),
            mime_type: "text/plain".to_owned(),
        };
        vec![
            template(
                "{id}/{stream}",
                "output",
                "A long output of a call, from its beginning: stream is stdout, stderr, value or text",
            ),
            template(
                "{id}/{stream}/{piece}",
                "output piece",
                "A piece of a long output, at most 1 MiB, counted from 0",
            ),
        ]
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        context: Context,
    ) -> BoxFuture<'a, Result<Option<ResourceContent>, Interrupt>> {
        let (outputs, uri) = (Arc::clone(&self.0), uri.to_owned());
        let owner = Owner(context.owner().to_string());
        Box::pin(async move {
            Ok(tokio::task::spawn_blocking(move || read_content(&outputs, &uri, &owner))
                .await
                .ok()
                .flatten())
        })
    }
}

fn read_content(outputs: &OutputStore, uri: &str, owner: &Owner) -> Option<ResourceContent> {
    let (id, stream, piece) = parse(uri)?;
    // Ids of operations are unguessable, too, but do not contain their owner.
    if is_random(id) && !is_owned(id, owner) {
        return None;
    }
    let file = File::open(outputs.path(id, stream)).ok()?;
    let pieces = file.metadata().ok()?.len().div_ceil(PIECE_BYTES).max(1);
    let bytes = read_piece(&file, piece.unwrap_or(0)).ok()?;
    let body = match (piece, String::from_utf8(bytes)) {
        (Some(_), Ok(text)) => Body::Text(text),
        (Some(_), Err(bytes)) => Body::Bytes(bytes.into_bytes()),
        (None, text) => {
            let mut text =
                text.unwrap_or_else(|bytes| String::from_utf8_lossy(bytes.as_bytes()).into_owned());
            if pieces > 1 {
                text.push_str(&format!(
                    "\n[piece 0 of {pieces}; the next is {uri}/1, the last {uri}/{}]\n",
                    pieces - 1
                ));
            }
            Body::Text(text)
        }
    };
    let mime_type = match body {
        // A part of JSON is not JSON.
        Body::Text(_) if stream == "value" && pieces == 1 => "application/json",
        Body::Text(_) => "text/plain",
        Body::Bytes(_) => "application/octet-stream",
    };
    // Beyond the end there is no resource, rather than an endless supply of empty pieces.
    (piece.unwrap_or(0) < pieces).then(|| ResourceContent {
        uri: uri.to_owned(),
        mime_type: mime_type.to_owned(),
        body,
    })
}

fn parse(uri: &str) -> Option<(&str, &str, Option<u64>)> {
    let mut parts = uri.strip_prefix(SCHEME)?.split('/');
    let (id, stream, piece) = (parts.next()?, parts.next()?, parts.next());
    let is_known = is_id(id)
        && OutputKind::ALL.iter().any(|known| known.name() == stream)
        && parts.next().is_none();
    let piece = piece.map(str::parse).transpose().ok()?;
    is_known.then_some((id, stream, piece))
}

/// One piece, extended to complete characters, so that the pieces add up to the whole exactly.
fn read_piece(file: &File, piece: u64) -> io::Result<Vec<u8>> {
    let Some(start) = piece.checked_mul(PIECE_BYTES) else {
        return Ok(Vec::new());
    };
    // A UTF-8 character has at most three continuation bytes.
    let mut bytes = vec![0; PIECE_BYTES as usize + 3];
    let mut length = 0;
    loop {
        match file.read_at(&mut bytes[length..], start + length as u64)? {
            0 => break,
            more => length += more,
        }
    }
    bytes.truncate(length);
    let continuations = |from: usize| {
        bytes
            .iter()
            .skip(from)
            .take(3)
            .take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000)
            .count()
    };
    let end = length.min(PIECE_BYTES as usize + continuations(PIECE_BYTES as usize));
    // The bytes skipped here belong to the last character of the piece before.
    let begin = if piece == 0 { 0 } else { continuations(0).min(end) };
    Ok(bytes[begin..end].to_vec())
}
