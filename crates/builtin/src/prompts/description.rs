//! Renders the description of a prompt from its front matter.

use formats::{ArgumentDefinition, Prompt, PromptArguments};

use super::Detail;

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
        (
            "Conceptual Schema",
            if detail == Detail::Full { render_schema(prompt) } else { String::new() },
        ),
        ("Usage Instructions", render_usage(prompt)),
        ("Concrete Examples", render_examples(prompt)),
    ];
    let sections = sections.into_iter().filter(|(_, text)| !text.is_empty());
    sections.map(|(label, text)| format!("## {label}\n\n{text}")).collect::<Vec<_>>().join("\n\n")
}

fn render_schema(prompt: &Prompt) -> String {
    let schema = match &prompt.arguments {
        PromptArguments::CommandLine(words) => format!("*args: {words}"),
        PromptArguments::Named(arguments) if arguments.is_empty() => {
            "takes no arguments".to_owned()
        }
        PromptArguments::Named(arguments) => {
            arguments.iter().map(render_argument).collect::<Vec<_>>().join("\n")
        }
    };
    fence(&schema)
}

fn render_argument(argument: &ArgumentDefinition) -> String {
    let must = if argument.required { "required" } else { "optional" };
    let choices = Some(argument.choices.join(", ")).filter(|choices| !choices.is_empty());
    let choices = choices.map(|choices| format!(", one of {choices}")).unwrap_or_default();
    let default =
        argument.default.as_ref().map(|default| format!(", default {default}")).unwrap_or_default();
    let what = argument.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    format!("{} ({must}{choices}{default}){what}", argument.name)
}

fn render_usage(prompt: &Prompt) -> String {
    let shape = match &prompt.arguments {
        PromptArguments::CommandLine(words) => words.clone(),
        PromptArguments::Named(arguments) => {
            let word = |argument: &ArgumentDefinition| {
                if argument.required {
                    format!("<{}>", argument.name)
                } else {
                    format!("[{}]", argument.name)
                }
            };
            arguments.iter().map(word).collect::<Vec<_>>().join(" ")
        }
    };
    let call = render_call(prompt, &shape);
    let more = prompt.usage.as_deref().unwrap_or_default().trim();
    fence(if more.is_empty() { call } else { format!("{call}\n{more}") }.as_str())
}

fn render_examples(prompt: &Prompt) -> String {
    let example = |arguments: &str, explanation: &str| {
        format!("{}\n{}", fence(&render_call(prompt, arguments)), explanation.trim())
    };
    let mut examples: Vec<_> =
        prompt.examples.iter().map(|shown| example(&shown.arguments, &shown.explanation)).collect();
    match &prompt.arguments {
        PromptArguments::Named(arguments) if arguments.is_empty() => {
            if examples.is_empty() {
                examples.push(example("", "It takes no arguments."));
            }
        }
        _ => examples.push(example("--help", "Explains the prompt instead.")),
    }
    examples.join("\n\n")
}

/// A call as a person writes it. Examples may already begin with the name.
fn render_call(prompt: &Prompt, arguments: &str) -> String {
    let name = format!("@{}", prompt.name);
    let arguments = arguments.trim();
    match arguments.strip_prefix(&name) {
        Some(_) => arguments.to_owned(),
        None => format!("{name} {arguments}").trim_end().to_owned(),
    }
}

fn fence(text: &str) -> String {
    format!("```text\n{}\n```", text.trim_end())
}
