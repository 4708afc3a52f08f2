//! Prompts from files: what they take, what they say, and how they explain themselves.
//!
//! How to write one: crates/toolkit/templates/prompt.md.

mod description;
mod input;
mod tool_calls;

use std::sync::Arc;

use formats::{Interface, Piece, Prompt as Definition, PromptBody};
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

/// How much the description of a prompt says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Four sections: what it is for, what it takes, how it is used, and examples.
    #[default]
    Full,
    /// What it is for.
    Concise,
    /// The sections but what it takes, which clients are given anyway.
    SchemaLess,
}

/// The prompts that can be chosen now. Clones are the same book; reading the files again fills it anew.
#[derive(Clone)]
pub struct PromptSet {
    prompts: Arc<RwLock<Arc<Vec<Definition>>>>,
    project: Project,
    detail: Detail,
}

impl PromptSet {
    /// A book of these prompts, whose names differ.
    pub fn new(prompts: Vec<Definition>, project: Project, detail: Detail) -> Self {
        Self { prompts: Arc::new(RwLock::new(Arc::new(prompts))), project, detail }
    }

    /// Puts other prompts into it; whether anything is another than before.
    pub fn replace(&self, prompts: Vec<Definition>) -> bool {
        let mut current = self.prompts.write();
        let is_other = **current != prompts;
        *current = Arc::new(prompts);
        is_other
    }

    /// The prompts, for a server.
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
        let listed = |prompt: &Definition| Prompt {
            name: prompt.name.clone(),
            description: description::describe(prompt, self.detail),
            arguments: arguments(&prompt.interface),
        };
        Box::pin(std::future::ready(self.all().iter().map(listed).collect()))
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
            let given = input::read(&prompt.interface, &arguments).map_err(Interrupt::Invalid)?;
            let text = match given {
                PromptInput::Help => description::describe(&prompt, Detail::Full),
                PromptInput::Values(values) => self.text(prompt, values, context).await?,
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
        let completed = self.find(name).map(|prompt| match &prompt.interface {
            Interface::Named(arguments) => {
                let choices = arguments
                    .iter()
                    .filter(|known| known.name == argument)
                    .flat_map(|known| known.choices.clone());
                choices.filter(|choice| choice.starts_with(value)).collect()
            }
            Interface::Words(_) => Vec::new(),
        });
        Box::pin(std::future::ready(completed))
    }
}

impl PromptSet {
    async fn text(
        &self,
        prompt: Definition,
        values: Value,
        context: Context,
    ) -> Result<String, Interrupt> {
        match prompt.body {
            PromptBody::Text(pieces) => {
                Ok(pieces.iter().map(|piece| served(piece, &context)).collect())
            }
            PromptBody::Template { source, lines_before } => {
                let project = self.project.clone();
                // Tools that the template calls are waited for on a thread that may wait.
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
                rendered.map_err(|error| Interrupt::Invalid(failed(&error)))
            }
        }
    }
}

fn failed(error: &TemplateError) -> String {
    format!("the prompt cannot be made: {error}")
}

fn served(piece: &Piece, context: &Context) -> String {
    match piece {
        Piece::Text(text) => text.clone(),
        Piece::Tool(name) => context.served_name(name),
    }
}

/// What clients are told that a prompt takes. They pass words one by one, under names that nobody sees.
fn arguments(interface: &Interface) -> Vec<PromptArgument> {
    match interface {
        Interface::Words(_) => input::hidden_names()
            .map(|name| PromptArgument { name, description: None, required: false })
            .collect(),
        Interface::Named(arguments) => arguments
            .iter()
            .map(|argument| PromptArgument {
                name: argument.name.clone(),
                description: argument.description.clone(),
                required: argument.required,
            })
            .collect(),
    }
}
