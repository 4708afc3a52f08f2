//! Prompts from files: their arguments, rendering and descriptions.
//!
//! How to write one: crates/toolkit/templates/prompt.md.

mod description;
mod input;
mod tool_calls;

use std::sync::Arc;

use formats::{Prompt as Definition, PromptArguments, PromptBody, PromptSegment};
use minijinja::Value;
use parking_lot::RwLock;
use toolkit::{
    Arguments, BoxFuture, Content, Context, Interrupt, Message, Prompt, PromptArgument, Prompts,
    Role,
};

use crate::{
    Project,
    template::{self, TemplateError},
};
use input::PromptInput;

/// The level of detail of prompt descriptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Four sections: description, schema, usage and examples.
    #[default]
    Full,
    /// The description only.
    Concise,
    /// All sections but the schema: clients get the arguments anyway.
    SchemaLess,
}

/// The prompts that are served at the moment. Clones are handles on the same set, which is replaced
/// when the files are read again.
#[derive(Clone)]
pub struct PromptSet {
    prompts: Arc<RwLock<Arc<Vec<Definition>>>>,
    project: Project,
    detail: Detail,
}

impl PromptSet {
    /// Creates a set of prompts with unique names.
    pub fn new(prompts: Vec<Definition>, project: Project, detail: Detail) -> Self {
        Self { prompts: Arc::new(RwLock::new(Arc::new(prompts))), project, detail }
    }

    /// Replaces the prompts. Returns whether any of them changed.
    pub fn replace(&self, prompts: Vec<Definition>) -> bool {
        let mut current = self.prompts.write();
        let is_changed = **current != prompts;
        *current = Arc::new(prompts);
        is_changed
    }

    /// The prompts as a provider for a server.
    pub fn provider(&self) -> Arc<dyn Prompts> {
        Arc::new(self.clone())
    }

    fn find(&self, name: &str) -> Option<Definition> {
        self.all().iter().find(|prompt| prompt.name == name).cloned()
    }

    fn all(&self) -> Arc<Vec<Definition>> {
        self.prompts.read().clone()
    }
}

impl Prompts for PromptSet {
    fn list(&self) -> BoxFuture<'_, Vec<Prompt>> {
        let to_prompt = |prompt: &Definition| Prompt {
            name: prompt.name.clone(),
            description: description::describe(prompt, self.detail),
            arguments: list_arguments(&prompt.arguments),
        };
        Box::pin(std::future::ready(self.all().iter().map(to_prompt).collect()))
    }

    fn get<'a>(
        &'a self,
        name: &'a str,
        arguments: Arguments,
        context: Context,
    ) -> BoxFuture<'a, Result<Option<Vec<Message>>, Interrupt>> {
        Box::pin(async move {
            let Some(prompt) = self.find(name) else {
                return Ok(None);
            };
            let input = input::parse(&prompt.arguments, &arguments).map_err(Interrupt::Invalid)?;
            let text = match input {
                PromptInput::Help => description::describe(&prompt, Detail::Full),
                PromptInput::Values(values) => self.render(prompt, values, context).await?,
            };
            Ok(Some(vec![Message { role: Role::User, content: Content::Text(text) }]))
        })
    }

    fn complete<'a>(
        &'a self,
        name: &'a str,
        argument: &'a str,
        value: &'a str,
    ) -> BoxFuture<'a, Option<Vec<String>>> {
        let completed = self.find(name).map(|prompt| match &prompt.arguments {
            PromptArguments::Named(arguments) => {
                let choices = arguments
                    .iter()
                    .filter(|known| known.name == argument)
                    .flat_map(|known| known.choices.clone());
                choices.filter(|choice| choice.starts_with(value)).collect()
            }
            // `Some` and not `None`: the prompt exists, there is just nothing to suggest.
            PromptArguments::CommandLine(_) => Vec::new(),
        });
        Box::pin(std::future::ready(completed))
    }
}

impl PromptSet {
    async fn render(
        &self,
        prompt: Definition,
        values: Value,
        context: Context,
    ) -> Result<String, Interrupt> {
        match prompt.body {
            PromptBody::Text(pieces) => {
                Ok(pieces.iter().map(|piece| render_piece(piece, &context)).collect())
            }
            PromptBody::Template { source, lines_before } => {
                let project = self.project.clone();
                // Runs on a blocking thread, because the template may call tools and wait for them.
                let rendered = tokio::task::spawn_blocking(move || {
                    let mut environment =
                        project.build_environment(&project.request_flags(), &context);
                    tool_calls::add(&mut environment, context);
                    template::render(
                        &environment,
                        &prompt.name,
                        &template::pad_lines(&source, lines_before),
                        values,
                    )
                });
                let rendered = rendered
                    .await
                    .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
                rendered.map_err(|error| Interrupt::Invalid(describe_failure(&error)))
            }
        }
    }
}

fn describe_failure(error: &TemplateError) -> String {
    format!("could not render the prompt: {error}")
}

fn render_piece(piece: &PromptSegment, context: &Context) -> String {
    match piece {
        PromptSegment::Text(text) => text.clone(),
        PromptSegment::Tool(name) => context.served_name(name),
    }
}

/// The arguments that clients see. A prompt that takes words lists placeholders, because the
/// protocol has only named arguments.
fn list_arguments(interface: &PromptArguments) -> Vec<PromptArgument> {
    match interface {
        PromptArguments::CommandLine(_) => input::placeholder_names()
            .map(|name| PromptArgument { name, description: None, required: false })
            .collect(),
        PromptArguments::Named(arguments) => arguments
            .iter()
            .map(|argument| PromptArgument {
                name: argument.name.clone(),
                description: argument.description.clone(),
                required: argument.required,
            })
            .collect(),
    }
}
