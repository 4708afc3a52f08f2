//! Decodes a sequence of replies without a worker, for tests and fuzzing.

use futures_util::{FutureExt, future::BoxFuture};
use process::{OutputFile, OutputSink, OutputStream};

use super::{collect::ValueCollector, decode::decode, json::Expected, message::Message};
use crate::results::ResultSink;

/// Maximum bytes of the value that are returned.
const MAX_BYTES: usize = 1 << 16;

/// Decodes the chunks of a value, as an R worker sends them, to JSON; `None` if one of them is
/// rejected.
pub fn decode_replies(replies: &[&[u8]]) -> Option<String> {
    let collect = async {
        let mut collector = ValueCollector::new(&NoFiles, MAX_BYTES, Expected::ANYTHING);
        for reply in replies {
            let message = Message::new(decode(reply).ok()?)?;
            collector.add_chunk(message).await.ok()?;
        }
        Some(collector.finish().await.value.to_string())
    };
    collect.now_or_never().expect("nothing to wait for without files")
}

/// Keeps no files, so that long values are truncated.
struct NoFiles;

impl OutputSink for NoFiles {
    fn open(&self, _: OutputStream) -> BoxFuture<'_, Option<OutputFile>> {
        Box::pin(std::future::ready(None))
    }
}

impl ResultSink for NoFiles {
    fn open_value(&self) -> BoxFuture<'_, Option<OutputFile>> {
        Box::pin(std::future::ready(None))
    }
}

#[cfg(test)]
mod tests {
    use super::decode_replies;
    use crate::r::{
        encode::encode,
        value::{Data, RValue},
    };

    fn reply(kind: &str, field: Option<RValue>) -> Vec<u8> {
        let fields = std::iter::once(RValue::text(kind)).chain(field);
        encode(&RValue::list(fields.collect()))
    }

    fn decode_all(replies: &[Vec<u8>]) -> Option<String> {
        decode_replies(&replies.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    #[test]
    fn bounds_the_depth_and_the_size_of_forged_values() {
        let (open, close) = (reply("open", Some(RValue::text("array"))), reply("close", None));
        assert_eq!(decode_all(&[open.clone(), close.clone()]).as_deref(), Some("[]"));
        assert_eq!(decode_all(&vec![open.clone(); 100_000]), None, "too deep");
        let pairs: Vec<_> = (0..100_000).flat_map(|_| [open.clone(), close.clone()]).collect();
        let siblings = decode_all(&[vec![open.clone()], pairs, vec![close.clone()]].concat());
        assert!(siblings.is_some_and(|value| value.len() < 200_000));
    }

    #[test]
    fn bounds_the_members_that_a_schema_may_require() {
        let list = reply("open", Some(RValue::text("list")));
        let (key, close) =
            (|name: String| reply("key", Some(RValue::text(name))), reply("close", None));
        let long = reply("piece", Some(RValue::text("x".repeat(1 << 17))));
        let mut replies = vec![list.clone(), key("long".to_owned()), long];
        for outer in 0..30 {
            replies.extend([key(format!("o{outer}")), list.clone()]);
            for inner in 0..900 {
                let number = Data::Integer(vec![inner]).into();
                replies.extend([key(format!("i{inner}")), reply("piece", Some(number))]);
            }
            replies.push(close.clone());
        }
        replies.push(close);
        let value = decode_all(&replies).expect("a value");
        assert!(value.matches(':').count() < 11_000, "{}", value.matches(':').count());
    }
}
