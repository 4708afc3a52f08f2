//! References inside a written schema: they must stay inside it, find something, and not go in circles.

use std::collections::HashMap;

use catalog::pointer;

use crate::{
    json::{Node, Value},
    report::Report,
    rules::schema::{REFERENCE_LOOP, REMOTE_REFERENCE, UNRESOLVED_REFERENCE},
};

/// How many references in a row are followed to find a type.
const HOPS: usize = 8;

/// A `$ref` and the schema it stands in.
pub(crate) struct Reference<'n> {
    pub(crate) holder: &'n Node<'n>,
    pub(crate) target: &'n str,
    /// The JSON pointer to the reference.
    pub(crate) pointer: String,
}

/// The schema that `node` is, with references followed as far as they lead.
pub(crate) fn target<'n>(node: &'n Node<'n>, root: &'n Node<'n>) -> &'n Node<'n> {
    let mut found = node;
    for _ in 0..HOPS {
        match found.get("$ref").and_then(Node::as_str).and_then(|target| resolve(target, root)) {
            Some(next) => found = next,
            None => break,
        }
    }
    found
}

/// Reports references that lead out, nowhere, or round in a circle.
pub(crate) fn check(references: &[Reference<'_>], root: &Node<'_>, report: &mut Report) {
    let mut targets = Vec::with_capacity(references.len());
    for reference in references {
        let found = resolve(reference.target, root);
        targets.push(found);
        if !reference.target.starts_with('#') {
            let message = format!("`{}` leads out of the definition", reference.target);
            let problem = report.pointer(&REMOTE_REFERENCE, &reference.pointer, message);
            let problem = problem.expected("`#/$defs/…`").received(reference.target);
            report.push(problem.hint("nothing is fetched: copy what it refers to into `$defs`"));
        } else if found.is_none() {
            let message = format!("`{}` refers to nothing", reference.target);
            let problem = report.pointer(&UNRESOLVED_REFERENCE, &reference.pointer, message);
            report.push(
                problem
                    .received(reference.target)
                    .hint("add it to `$defs`, or correct the pointer"),
            );
        }
    }
    for index in loops(references, &targets) {
        let reference = &references[index];
        let message = format!("`{}` leads back to itself", reference.target);
        let problem = report.pointer(&REFERENCE_LOOP, &reference.pointer, message);
        report.push(
            problem
                .received(reference.target)
                .hint("a schema may contain itself in a property or item, not be itself"),
        );
    }
}

fn resolve<'n>(target: &str, root: &'n Node<'n>) -> Option<&'n Node<'n>> {
    let fragment = target.strip_prefix('#')?;
    if fragment.is_empty() {
        return Some(root);
    }
    let Some(pointer) = fragment.strip_prefix('/') else {
        return anchored(fragment, root);
    };
    let mut node = root;
    for token in pointer.split('/') {
        let token = decode(token)?;
        let token = pointer::unescape(&token);
        node = match &node.value {
            Value::Array(items) => items.get(token.parse::<usize>().ok()?)?,
            _ => node.get(&token)?,
        };
    }
    Some(node)
}

/// Undoes percent-encoding, which fragments of an address have.
fn decode(token: &str) -> Option<String> {
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

fn anchored<'n>(anchor: &str, node: &'n Node<'n>) -> Option<&'n Node<'n>> {
    let is_named = |key: &str| node.get(key).and_then(Node::as_str) == Some(anchor);
    if is_named("$anchor") || is_named("$dynamicAnchor") {
        return Some(node);
    }
    let members = node.members().iter().map(|member| &member.value);
    members.chain(node.items()).find_map(|child| anchored(anchor, child))
}

/// The references from which one comes back to the same reference without entering a part of the value.
fn loops(references: &[Reference<'_>], targets: &[Option<&Node<'_>>]) -> Vec<usize> {
    let by_holder: HashMap<usize, Vec<usize>> =
        references.iter().enumerate().fold(HashMap::new(), |mut map, (index, reference)| {
            map.entry(reference.holder.span.start()).or_insert_with(Vec::new).push(index);
            map
        });
    let next: Vec<Vec<usize>> = targets
        .iter()
        .map(|target| {
            let mut found = Vec::new();
            target.iter().for_each(|target| in_place(target, &by_holder, &mut found));
            found
        })
        .collect();
    (0..references.len()).filter(|start| returns(*start, &next)).collect()
}

/// The references that apply to the same value as `node` does.
fn in_place(node: &Node<'_>, by_holder: &HashMap<usize, Vec<usize>>, found: &mut Vec<usize>) {
    found.extend(by_holder.get(&node.span.start()).into_iter().flatten());
    for member in node.members() {
        match &*member.key {
            "allOf" | "anyOf" | "oneOf" => {
                member.value.items().iter().for_each(|item| in_place(item, by_holder, found))
            }
            "not" | "if" | "then" | "else" => in_place(&member.value, by_holder, found),
            "dependentSchemas" => member
                .value
                .members()
                .iter()
                .for_each(|member| in_place(&member.value, by_holder, found)),
            _ => {}
        }
    }
}

fn returns(start: usize, next: &[Vec<usize>]) -> bool {
    let mut seen = vec![false; next.len()];
    let mut open = next[start].clone();
    while let Some(index) = open.pop() {
        if index == start {
            return true;
        }
        if !std::mem::replace(&mut seen[index], true) {
            open.extend(&next[index]);
        }
    }
    false
}
