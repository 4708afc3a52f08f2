//! References in a schema: each must stay inside it, resolve, and not form a loop.

use std::collections::HashMap;

use catalog::pointer;

use crate::{
    json::{Node, Value},
    report::Report,
    rules::schema::{REFERENCE_LOOP, REMOTE_REFERENCE, UNRESOLVED_REFERENCE},
};

/// Maximum number of references followed to find a type.
const MAX_HOPS: usize = 8;

/// A reference and the schema that contains it.
pub(crate) struct Reference<'n> {
    pub(crate) holder: &'n Node<'n>,
    pub(crate) target: &'n str,
    /// The JSON pointer to the reference.
    pub(crate) pointer: String,
}

/// Follows the references of a schema to the schema that they refer to.
pub(crate) fn follow<'n>(node: &'n Node<'n>, root: &'n Node<'n>) -> &'n Node<'n> {
    let mut found = node;
    // Bounded, because this also runs on schemas whose references form a loop.
    for _ in 0..MAX_HOPS {
        match found.get("$ref").and_then(Node::as_str).and_then(|target| resolve(target, root)) {
            Some(next) => found = next,
            None => break,
        }
    }
    found
}

/// Reports references that leave the schema, do not resolve, or form a loop.
pub(crate) fn check(references: &[Reference<'_>], root: &Node<'_>, report: &mut Report) {
    let mut targets = Vec::with_capacity(references.len());
    for reference in references {
        let found = resolve(reference.target, root);
        targets.push(found);
        // Nothing is fetched: a definition must not make the server send requests, and its meaning
        // must not depend on a remote file.
        if !reference.target.starts_with('#') {
            let message = format!("the reference `{}` leaves the definition", reference.target);
            let problem = report.at_pointer(&REMOTE_REFERENCE, &reference.pointer, message);
            let problem = problem.with_expected("`#/$defs/…`").with_received(reference.target);
            report.push(problem.hint("nothing is fetched: copy the schema into `$defs`"));
        } else if found.is_none() {
            let message = format!("the reference `{}` does not resolve", reference.target);
            let problem = report.at_pointer(&UNRESOLVED_REFERENCE, &reference.pointer, message);
            report.push(
                problem
                    .with_received(reference.target)
                    .hint("add it to `$defs`, or correct the pointer"),
            );
        }
    }
    for index in find_loops(references, &targets) {
        let reference = &references[index];
        let message = format!("the reference `{}` leads back to itself", reference.target);
        let problem = report.at_pointer(&REFERENCE_LOOP, &reference.pointer, message);
        report.push(
            problem
                .with_received(reference.target)
                .hint("a schema may contain itself in a property or item, but not be itself"),
        );
    }
}

fn resolve<'n>(target: &str, root: &'n Node<'n>) -> Option<&'n Node<'n>> {
    let fragment = target.strip_prefix('#')?;
    if fragment.is_empty() {
        return Some(root);
    }
    let Some(pointer) = fragment.strip_prefix('/') else {
        return find_anchor(fragment, root);
    };
    let mut node = root;
    for token in pointer.split('/') {
        let token = decode_percent(token)?;
        let token = pointer::unescape(&token);
        node = match &node.value {
            Value::Array(items) => items.get(token.parse::<usize>().ok()?)?,
            _ => node.get(&token)?,
        };
    }
    Some(node)
}

/// Decodes percent-encoding: a reference is a URI, so its fragment may be encoded.
fn decode_percent(token: &str) -> Option<String> {
    if !token.contains('%') {
        return Some(token.to_owned());
    }
    let mut bytes = Vec::new();
    let mut rest = token.as_bytes();
    while let [byte, tail @ ..] = rest {
        rest = tail;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
}

fn find_anchor<'n>(anchor: &str, node: &'n Node<'n>) -> Option<&'n Node<'n>> {
    let is_named = |key: &str| node.get(key).and_then(Node::as_str) == Some(anchor);
    if is_named("$anchor") || is_named("$dynamicAnchor") {
        return Some(node);
    }
    let members = node.members().iter().map(|member| &member.value);
    members.chain(node.items()).find_map(|child| find_anchor(anchor, child))
}

/// The references that lead back to themselves without descending into a part of the value. Only
/// those are loops: a schema of a tree refers to itself through `properties` or `items`.
fn find_loops(references: &[Reference<'_>], targets: &[Option<&Node<'_>>]) -> Vec<usize> {
    // Nodes are identified by the offset at which they begin, which is unique among the
    // objects of a file.
    let by_holder: HashMap<usize, Vec<usize>> =
        references.iter().enumerate().fold(HashMap::new(), |mut map, (index, reference)| {
            map.entry(reference.holder.span.start()).or_insert_with(Vec::new).push(index);
            map
        });
    let next: Vec<Vec<usize>> = targets
        .iter()
        .map(|target| {
            let mut found = Vec::new();
            target.iter().for_each(|target| collect_in_place(target, &by_holder, &mut found));
            found
        })
        .collect();
    (0..references.len()).filter(|start| is_circular(*start, &next)).collect()
}

/// Collects the references that apply to the same value as `node` does.
fn collect_in_place(
    node: &Node<'_>,
    by_holder: &HashMap<usize, Vec<usize>>,
    found: &mut Vec<usize>,
) {
    found.extend(by_holder.get(&node.span.start()).into_iter().flatten());
    for member in node.members() {
        match &*member.key {
            "allOf" | "anyOf" | "oneOf" => member
                .value
                .items()
                .iter()
                .for_each(|item| collect_in_place(item, by_holder, found)),
            "not" | "if" | "then" | "else" => collect_in_place(&member.value, by_holder, found),
            "dependentSchemas" => member
                .value
                .members()
                .iter()
                .for_each(|member| collect_in_place(&member.value, by_holder, found)),
            _ => {}
        }
    }
}

fn is_circular(start: usize, next: &[Vec<usize>]) -> bool {
    let mut seen = vec![false; next.len()];
    let mut pending = next[start].clone();
    while let Some(index) = pending.pop() {
        if index == start {
            return true;
        }
        if !std::mem::replace(&mut seen[index], true) {
            pending.extend(&next[index]);
        }
    }
    false
}
