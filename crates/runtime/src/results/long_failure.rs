//! Limits the text of a failure. Of a longer one, Claude Code shows the model only the first and last
//! 5,000 characters, with no way to get the rest. Copilot CLI shows text and structured content together,
//! and only the beginning if they exceed 20 kB.

use catalog::{Content, Outcome};
use serde_json::Value;

use crate::outputs::{LongOutput, OutputKind, SCHEME};

/// Maximum bytes of all texts of a failure together, without notices.
const MAX_BYTES: usize = 6_000;

/// Truncates the longest texts of a failure that exceeds the limit. The full text is stored.
pub(crate) async fn bound_failure(mut outcome: Outcome, stored: &LongOutput<'_>) -> Outcome {
    let texts = || outcome.content.iter().filter_map(to_text);
    if !outcome.failed || texts().map(str::len).sum::<usize>() <= MAX_BYTES {
        return outcome;
    }
    let share = find_share(texts().map(str::len).collect());
    // A text that exceeded the limit of its stream is already stored and contains the URI.
    let is_stored = texts().all(|text| text.len() <= share || find_uri(text).is_some());
    let whole = texts().collect::<Vec<_>>().join("\n\n");
    let uri = if is_stored { None } else { stored.store(OutputKind::Text, &whole).await };
    for content in &mut outcome.content {
        if let Content::Text(text) = content {
            let access = match find_uri(text).or(uri.as_deref()) {
                Some(uri) => stored.access(uri),
                None => "it could not be stored".to_owned(),
            };
            *text = shorten(text, share, &access);
        }
    }
    if let Some(Value::Object(fields)) = &mut outcome.structured {
        for name in ["stdout", "stderr", "printed"] {
            if let Some(Value::String(text)) = fields.get_mut(name) {
                let access = find_uri(text).or(uri.as_deref()).map(|uri| stored.access(uri));
                *text = shorten(text, share, access.as_deref().unwrap_or("it could not be stored"));
            }
        }
        // Output of a program that was too long on its own already has a URI.
        if let Some(uri) = uri {
            fields.entry("output").or_insert(uri.into());
        }
    }
    outcome
}

fn to_text(content: &Content) -> Option<&str> {
    match content {
        Content::Text(text) => Some(text),
        _ => None,
    }
}

/// Finds the URI in the notice of a text that was truncated before.
fn find_uri(text: &str) -> Option<&str> {
    let uri = &text[text.find(SCHEME)?..];
    uri.find('`').map(|end| &uri[..end])
}

/// Maximum bytes per text. Short texts leave their unused share to longer ones.
fn find_share(mut lengths: Vec<usize>) -> usize {
    lengths.sort_unstable();
    let (mut left, mut count) = (MAX_BYTES, lengths.len());
    for length in lengths {
        if length > left / count.max(1) {
            break;
        }
        left -= length;
        count -= 1;
    }
    left / count.max(1)
}

/// Keeps the first and last lines of a text, with a notice between them.
fn shorten(text: &str, max_bytes: usize, access: &str) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let head = &text[..text.floor_char_boundary(max_bytes / 2)];
    let tail = &text[text.ceil_char_boundary(text.len() - max_bytes / 2)..];
    // Cut at line breaks, unless the lines are long.
    let head = head.rsplit_once('\n').map_or(head, |(lines, _)| lines);
    let tail = tail.split_once('\n').map_or(tail, |(_, lines)| lines);
    let omitted = text.len() - head.len() - tail.len();
    format!("{head}\n[… {omitted} of {} bytes left out; {access} …]\n{tail}", text.len())
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, find_share, shorten};

    #[test]
    fn short_texts_stay_whole() {
        assert_eq!(find_share(vec![100, 20_000]), MAX_BYTES - 100);
        assert_eq!(find_share(vec![20_000, 20_000]), MAX_BYTES / 2);
        assert_eq!(shorten("short", 100, ""), "short");
        assert_eq!(
            shorten("one\ntwo\nthree\nfour", 10, "ask"),
            "one\n[… 11 of 18 bytes left out; ask …]\nfour"
        );
    }
}
