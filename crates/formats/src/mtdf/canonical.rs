//! The canonical form of a definition: one layout for all files, the fields that identify a node
//! first, and everything else in the author's order.

use serde_json::{Map, Value, json};

/// Maximum length of a line that can be broken.
const WIDTH: usize = 100;

/// The fields that come first in a node, in this order.
const FIRST: [&str; 6] = ["$schema", "mtdf", "name", "title", "description", "command"];

/// The lists of a node whose items are put in order, too.
const LISTS: [&str; 3] = ["subcommand", "options", "positional_args"];

/// Renders a definition in canonical form.
pub(super) fn render(mut definition: Value) -> String {
    order_node(&mut definition);
    let mut text = String::new();
    write_broken(&definition, 0, &mut text);
    text.push('\n');
    text
}

/// Rewrites fields of older versions, and leaves out a `subcommand` that only wraps the tool.
pub(super) fn migrate(definition: &mut Value) {
    let Value::Object(root) = definition else { return };
    rename(root, "input_schema", "inputSchema");
    unwrap_default(root);
    migrate_node(root);
    root.insert("mtdf".to_owned(), json!("2"));
}

fn migrate_node(node: &mut Map<String, Value>) {
    rename(node, "force_synchronous", "synchronous");
    if let Some(Value::Bool(is_asynchronous)) = node.get("asynchronous")
        && !node.contains_key("synchronous")
    {
        let is_synchronous = !is_asynchronous;
        rename(node, "asynchronous", "synchronous");
        node["synchronous"] = is_synchronous.into();
    }
    for key in ["options", "positional_args"] {
        for parameter in objects(node.get_mut(key)) {
            rename(parameter, "min", "minimum");
            rename(parameter, "max", "maximum");
        }
    }
    objects(node.get_mut("subcommand")).for_each(migrate_node);
}

fn objects(list: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Renames a field without moving it, unless the new name already exists.
fn rename(object: &mut Map<String, Value>, old: &str, new: &str) {
    if object.contains_key(new) || !object.contains_key(old) {
        return;
    }
    let members = std::mem::take(object);
    let key = |name: String| if name == old { new.to_owned() } else { name };
    *object = members.into_iter().map(|(name, value)| (key(name), value)).collect();
}

/// A single leaf named `default` is the tool itself.
fn unwrap_default(root: &mut Map<String, Value>) {
    let Some([Value::Object(leaf)]) =
        root.get("subcommand").and_then(Value::as_array).map(Vec::as_slice)
    else {
        return;
    };
    let is_plain = leaf.get("name") == Some(&json!("default")) && !leaf.contains_key("subcommand");
    // The text above is not served, but it must not be lost: the leaf's has to contain it.
    let text = |node: &Map<String, Value>| {
        let text = node.get("description").and_then(Value::as_str).unwrap_or_default();
        text.trim().trim_end_matches('.').to_owned()
    };
    let is_repeated = text(leaf).contains(&text(root));
    // The fields of both levels would have to be merged.
    if !is_plain
        || !is_repeated
        || ["options", "positional_args", "fixed_args", "hints"]
            .iter()
            .any(|key| root.contains_key(*key))
    {
        return;
    }
    let mut leaf = leaf.clone();
    leaf.shift_remove("name");
    root.shift_remove("subcommand");
    // What the leaf declares overrides what it would inherit.
    root.extend(leaf);
}

fn order_node(node: &mut Value) {
    let Value::Object(members) = node else { return };
    let mut rest = std::mem::take(members);
    for key in FIRST {
        members.extend(rest.shift_remove(key).map(|value| (key.to_owned(), value)));
    }
    members.extend(rest);
    for key in LISTS {
        let items = members.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten();
        items.for_each(order_node);
    }
}

/// Writes a value, on one line if it fits after the `used` columns.
fn write(value: &Value, indent: usize, used: usize, out: &mut String) {
    let line = to_line(value);
    if used + line.chars().count() <= WIDTH || is_flat(value) {
        out.push_str(&line);
    } else {
        write_broken(value, indent, out);
    }
}

fn write_broken(value: &Value, indent: usize, out: &mut String) {
    let inner = indent + 2;
    let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
    if is_flat(value) {
        return out.push_str(&to_line(value));
    }
    out.push(open);
    let items = value.as_array().into_iter().flatten().map(|item| (String::new(), item));
    let members = value.as_object().into_iter().flatten();
    let members = members.map(|(name, value)| (format!("{}: ", json!(name)), value));
    for (index, (prefix, item)) in items.chain(members).enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(inner));
        out.push_str(&prefix);
        // One column is left for a comma.
        write(item, inner, inner + prefix.chars().count() + 1, out);
    }
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push(close);
}

/// Whether a value cannot be broken into lines.
fn is_flat(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => true,
    }
}

fn to_line(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(to_line).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) if !members.is_empty() => {
            let members =
                members.iter().map(|(name, value)| format!("{}: {}", json!(name), to_line(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
