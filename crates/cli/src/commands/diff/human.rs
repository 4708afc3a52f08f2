//! Changes for people: a paragraph for each changed tool, and a summary.

use compat::{Change, Class, Effect, ToolComparison};
use host::count;

use crate::terminal::{self, Paint, paint};

/// Maximum number of non-breaking changes of one rule that are shown for a tool.
const SHOWN: usize = 3;

/// Prints the changes and a summary.
pub(super) fn print(tools: &[ToolComparison]) {
    for tool in tools.iter().filter(|tool| !tool.changes.is_empty()) {
        terminal::print_line(&render_heading(tool));
        print_changes(&tool.changes);
        terminal::print("\n");
    }
    let colour = if super::is_ok(tools) { Paint::Green } else { Paint::Red };
    let (changes, verdict) = summarize(tools);
    terminal::print_line(&format!("{changes}; {}", paint(&verdict, colour)));
}

/// Prints changes grouped by rule. Of harmless ones a few show the kind; a long list would hide the
/// others.
fn print_changes(changes: &[Change]) {
    let mut kinds: Vec<(Effect, &str)> = Vec::new();
    for kind in changes.iter().map(|change| (change.effect, change.rule.name)) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    for (effect, rule) in kinds {
        let alike: Vec<&Change> = changes
            .iter()
            .filter(|change| (change.effect, change.rule.name) == (effect, rule))
            .collect();
        // Changes that may break a caller are never folded.
        let shown = if effect <= Effect::Behavioural { SHOWN } else { alike.len() };
        alike.iter().take(shown).for_each(|change| terminal::print_line(&render_line(change)));
        let more = alike.len().saturating_sub(shown);
        if more > 0 {
            terminal::print_line(&paint(
                &format!("  {:11}  … and {more} more of {rule} (`--format json` lists them)", ""),
                Paint::Dim,
            ));
        }
    }
}

fn render_heading(tool: &ToolComparison) -> String {
    let class = tool.class();
    let mut parts =
        vec![paint(&display_name(tool), Paint::Bold), paint(class.as_str(), colour(class))];
    parts.extend(render_versions(tool));
    let verdict = tool.check_version();
    let mark = if verdict.ok { Paint::Yellow } else { Paint::Red };
    parts.extend(verdict.message.map(|remark| paint(&remark, mark)));
    parts.join("  ")
}

/// The name, and the new one of a renamed tool.
pub(super) fn display_name(tool: &ToolComparison) -> String {
    match &tool.new_name {
        Some(new) => format!("{} -> {new}", tool.name),
        None => tool.name.clone(),
    }
}

/// The versions that the tool declares, if it declares any.
pub(super) fn render_versions(tool: &ToolComparison) -> Option<String> {
    match (&tool.old_version, &tool.new_version) {
        (None, None) => None,
        (Some(old), Some(new)) if old == new => Some(old.clone()),
        (old, new) => {
            let shown = |version: &Option<String>| {
                version.clone().unwrap_or_else(|| "no version".to_owned())
            };
            Some(format!("{} -> {}", shown(old), shown(new)))
        }
    }
}

fn render_line(change: &Change) -> String {
    let (word, colour) = match (&change.allowed, change.effect) {
        (Some(_), _) => ("allowed", Paint::Dim),
        (None, Effect::Undecided) => ("undecided", Paint::Red),
        (None, effect) => (effect.class().as_str(), colour(effect.class())),
    };
    let allowed = change.allowed.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let place = match change.pointer.as_str() {
        "" => change.rule.name.to_owned(),
        pointer => format!("{} {pointer}", change.rule.name),
    };
    format!(
        "  {}  {}{allowed}  {}",
        paint(&format!("{word:11}"), colour),
        change.message,
        paint(&format!("[{place}]"), Paint::Dim)
    )
}

fn colour(class: Class) -> Paint {
    match class {
        Class::Breaking => Paint::Red,
        Class::Behavioural => Paint::Yellow,
        Class::Compatible => Paint::Green,
        Class::Metadata | Class::None => Paint::Dim,
    }
}

/// How many tools changed, and whether the versions are high enough.
pub(super) fn summarize(tools: &[ToolComparison]) -> (String, String) {
    let of = |class: Class| tools.iter().filter(|tool| tool.class() == class).count();
    let classes = [Class::Breaking, Class::Compatible, Class::Behavioural, Class::Metadata];
    let mut parts: Vec<String> = classes
        .into_iter()
        .filter(|class| of(*class) > 0)
        .map(|class| format!("{} {}", of(class), class.as_str()))
        .collect();
    let same = of(Class::None);
    if same > 0 || parts.is_empty() {
        parts.push(format!("{same} unchanged"));
    }
    let low = tools.iter().filter(|tool| !tool.check_version().ok).count();
    let verdict = match low {
        0 => "every version is high enough".to_owned(),
        1 => "1 version is too low".to_owned(),
        low => format!("{low} versions are too low"),
    };
    (format!("{}: {}", count(tools.len(), "tool"), parts.join(", ")), verdict)
}
