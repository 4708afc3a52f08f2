//! The block style of YAML that goose writes, edited line by line. Anything else is left alone: a
//! general editor for YAML is larger than the rest of this crate.

use std::ops::Range;

use serde_json::{Map, Value};

use super::EditError;

pub(super) fn entry(text: &str, servers: &str, name: &str) -> Result<Option<Value>, EditError> {
    let Some(block) = find_block(text, servers)? else {
        return Ok(None);
    };
    let lines: Vec<_> = text.lines().collect();
    let Some(range) = find_entry(&lines, &block, name) else {
        // The entry may be on one line, or have a comment or an anchor.
        let is_named = |line: &&str| {
            let key = line.trim().split_once(':').map(|(key, _)| unquote(key.trim()));
            indentation(line) == block.indent && key.as_deref() == Some(name)
        };
        return match lines[block.lines.clone()].iter().any(is_named) {
            true => Err(EditError::Unsupported(name.to_owned())),
            false => Ok(None),
        };
    };
    let fields = lines[range].iter().skip(1).filter_map(|line| {
        let (key, value) = line.trim().split_once(':')?;
        Some((key.to_owned(), parse_scalar(value.trim())))
    });
    Ok(Some(Value::Object(fields.collect::<Map<_, _>>())))
}

pub(super) fn insert(
    text: &str,
    servers: &str,
    name: &str,
    entry: &Value,
) -> Result<String, EditError> {
    let block = find_block(text, servers)?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if let Some(block) = block.as_ref().filter(|block| block.is_flow) {
        // The table is empty, so only its braces are replaced by lines.
        let key = &mut lines[block.lines.start - 1];
        *key = key.replacen("{}", "", 1).trim_end().to_owned();
    }
    let (block, indent) = match block {
        Some(block) => {
            let indent = block.indent;
            (block, indent)
        }
        None => {
            lines.push(format!("{servers}:"));
            let end = lines.len();
            (Block { lines: end..end, indent: 2, is_flow: false }, 2)
        }
    };
    let range = {
        let borrowed: Vec<_> = lines.iter().map(String::as_str).collect();
        find_entry(&borrowed, &block, name).unwrap_or(block.lines.end..block.lines.end)
    };
    lines.splice(range, to_lines(name, entry, indent));
    Ok(join(&lines, line_ending(text)))
}

pub(super) fn remove(text: &str, servers: &str, name: &str) -> Result<String, EditError> {
    let Some(block) = find_block(text, servers)? else {
        return Ok(text.to_owned());
    };
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    let borrowed: Vec<_> = text.lines().collect();
    if let Some(range) = find_entry(&borrowed, &block, name) {
        let is_content = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with('#');
        let remaining =
            borrowed[block.lines.clone()].iter().filter(|line| is_content(line)).count();
        let removed = borrowed[range.clone()].iter().filter(|line| is_content(line)).count();
        lines.drain(range);
        if remaining == removed {
            // A key without a value is null, which is not a table.
            let key = &mut lines[block.lines.start - 1];
            *key = key.replacen(':', ": {}", 1);
        }
    }
    Ok(join(&lines, line_ending(text)))
}

/// The lines of a table of servers, without its key and without blank lines at the end.
struct Block {
    lines: Range<usize>,
    /// The indentation of the names of servers.
    indent: usize,
    /// Whether the table is written as `{}` behind its key.
    is_flow: bool,
}

fn find_block(text: &str, servers: &str) -> Result<Option<Block>, EditError> {
    // `str::lines` accepts both line endings, but one of them would be lost in a file with both.
    let mixed_endings = text.contains('\r') && text.replace("\r\n", "").contains(['\r', '\n']);
    if text.contains('\t') || mixed_endings || text.lines().any(|line| line.trim_end() == "---") {
        return Err(EditError::Unsupported("the file".to_owned()));
    }
    // Requires plain keys at the margin, because a key in another notation may already define the
    // servers.
    let is_plain = |line: &str| {
        let key = line.split_once(':').map(|(key, _)| key);
        let is_safe = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        line.is_empty()
            || line.starts_with([' ', '#'])
            || key.is_some_and(|key| key.chars().all(is_safe))
    };
    if !text.lines().all(is_plain) {
        return Err(EditError::Unsupported("the file".to_owned()));
    }
    let lines: Vec<_> = text.lines().collect();
    let key = |line: &str| line.strip_prefix(servers)?.strip_prefix(':').map(str::to_owned);
    let Some(start) = lines.iter().position(|line| key(line).is_some()) else {
        return Ok(None);
    };
    let rest = key(lines[start]).unwrap_or_default();
    let (value, comment) = rest.trim().split_at(rest.trim().find('#').unwrap_or(rest.trim().len()));
    // In YAML, `#` begins a comment only at the start of a line or after a space.
    let is_flow = value.trim() == "{}" && (comment.is_empty() || value.ends_with(' '));
    // An inline table with entries, an anchor or a tag: edits of lines would break it.
    if !value.trim().is_empty() && !is_flow {
        return Err(EditError::Unsupported(servers.to_owned()));
    }
    if is_flow {
        return Ok(Some(Block { lines: start + 1..start + 1, indent: 2, is_flow }));
    }
    let is_inside = |line: &&str| line.is_empty() || line.starts_with([' ', '#']);
    let inside = lines[start + 1..].iter().take_while(|line| is_inside(line)).count();
    let mut end = start + 1 + inside;
    // Blank lines and comments at the margin belong to the next key.
    while end > start + 1 && !lines[end - 1].starts_with(' ') {
        end -= 1;
    }
    let names = lines[start + 1..end].iter().filter(|line| !line.trim_start().starts_with('#'));
    let indent = names.filter(|line| !line.trim().is_empty()).map(|line| indentation(line)).next();
    Ok(Some(Block { lines: start + 1..end, indent: indent.unwrap_or(2), is_flow }))
}

/// The lines of one server.
fn find_entry(lines: &[&str], block: &Block, name: &str) -> Option<Range<usize>> {
    let is_name = |line: &str| {
        indentation(line) == block.indent
            && line.trim().strip_suffix(':').map(unquote).as_deref() == Some(name)
    };
    let start = block.lines.clone().find(|&number| is_name(lines[number]))?;
    let is_below = |number: &usize| {
        lines[*number].trim().is_empty() || indentation(lines[*number]) > block.indent
    };
    let below = (start + 1..block.lines.end).take_while(is_below).count();
    Some(start..start + 1 + below)
}

fn to_lines(name: &str, entry: &Value, indent: usize) -> Vec<String> {
    let mut lines = vec![format!("{:indent$}{name}:", "")];
    let fields = entry.as_object().into_iter().flatten();
    // A JSON value is also a YAML value.
    lines.extend(fields.map(|(key, value)| format!("{:1$}{key}: {value}", "", indent + 2)));
    lines
}

fn parse_scalar(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| unquote(text).into())
}

fn unquote(text: &str) -> String {
    text.trim_matches(['"', '\'']).to_owned()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn line_ending(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn join<T: AsRef<str>>(lines: &[T], ending: &str) -> String {
    lines.iter().map(|line| format!("{}{ending}", line.as_ref())).collect()
}
