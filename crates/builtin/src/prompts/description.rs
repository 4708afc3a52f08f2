//! How a prompt explains itself: four sections, made from its front matter.

use formats::{ArgumentDefinition, Interface, Prompt};

use super::Detail;

/// The description of a prompt.
pub(super) fn describe(prompt: &Prompt, detail: Detail) -> String {
    let about = match prompt.description.trim() {
        "" => prompt.name.clone(),
        text => text.to_owned(),
    };
    if detail == Detail::Concise {
        return about;
    }
    let sections = [
        ("Description", about),
        ("Conceptual Schema", if detail == Detail::Full { schema(prompt) } else { String::new() }),
        ("Usage Instructions", usage(prompt)),
        ("Concrete Examples", examples(prompt)),
    ];
    let sections = sections.into_iter().filter(|(_, text)| !text.is_empty());
    sections.map(|(label, text)| format!("## {label}\n\n{text}")).collect::<Vec<_>>().join("\n\n")
}

fn schema(prompt: &Prompt) -> String {
    let taken = match &prompt.interface {
        Interface::Words(words) => format!("*args: {words}"),
        Interface::Named(arguments) if arguments.is_empty() => "takes nothing".to_owned(),
        Interface::Named(arguments) => {
            arguments.iter().map(argument).collect::<Vec<_>>().join("\n")
        }
    };
    fenced(&taken)
}

fn argument(argument: &ArgumentDefinition) -> String {
    let must = if argument.required { "required" } else { "optional" };
    let choices = Some(argument.choices.join(", ")).filter(|choices| !choices.is_empty());
    let choices = choices.map(|choices| format!(", one of {choices}")).unwrap_or_default();
    let default = argument
        .default
        .as_ref()
        .map(|default| format!(", {default} if not given"))
        .unwrap_or_default();
    let what = argument.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    format!("{} ({must}{choices}{default}){what}", argument.name)
}

fn usage(prompt: &Prompt) -> String {
    let shape = match &prompt.interface {
        Interface::Words(words) => words.clone(),
        Interface::Named(arguments) => {
            let word = |argument: &ArgumentDefinition| match argument.required {
                true => format!("<{}>", argument.name),
                false => format!("[{}]", argument.name),
            };
            arguments.iter().map(word).collect::<Vec<_>>().join(" ")
        }
    };
    let call = written(prompt, &shape);
    let more = prompt.usage.as_deref().unwrap_or_default().trim();
    fenced(if more.is_empty() { call } else { format!("{call}\n{more}") }.as_str())
}

fn examples(prompt: &Prompt) -> String {
    let example = |arguments: &str, explanation: &str| {
        format!("{}\n{}", fenced(&written(prompt, arguments)), explanation.trim())
    };
    let mut examples: Vec<_> =
        prompt.examples.iter().map(|shown| example(&shown.arguments, &shown.explanation)).collect();
    match &prompt.interface {
        Interface::Named(arguments) if arguments.is_empty() => {
            if examples.is_empty() {
                examples.push(example("", "It takes nothing."));
            }
        }
        _ => examples.push(example("--help", "Explains the prompt instead.")),
    }
    examples.join("\n\n")
}

/// A call as a person writes it. An example may have the name already.
fn written(prompt: &Prompt, arguments: &str) -> String {
    let name = format!("@{}", prompt.name);
    let arguments = arguments.trim();
    match arguments.strip_prefix(&name) {
        Some(_) => arguments.to_owned(),
        None => format!("{name} {arguments}").trim_end().to_owned(),
    }
}

fn fenced(text: &str) -> String {
    format!("```text\n{}\n```", text.trim_end())
}
