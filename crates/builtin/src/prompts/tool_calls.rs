//! The template function `call`: lets a prompt call tools while it is rendered. Only tools that are
//! read-only and need no approval.

use std::{fmt, sync::Arc};

use minijinja::{
    Environment, Error, ErrorKind, Value,
    value::{Object, ObjectRepr, Serde},
};
use serde_json::Map;
use tokio::runtime::Handle;
use toolkit::{Arguments, Content, Context, Outcome, Tool};

/// Adds `call("tool", {"name": "value"})` to an environment. It blocks, so the template must be
/// rendered on a blocking thread.
pub(super) fn add(environment: &mut Environment<'_>, context: Context) {
    let runtime = Handle::current();
    environment.add_function("call", move |name: &str, given: Option<Serde<Arguments>>| {
        let arguments = given.map_or_else(Map::new, |given| given.0);
        let called = find_call_obstacle(&context, name)
            .map_or_else(|| runtime.block_on(call(&context, name, arguments)), Err);
        called.map_err(|why| Error::new(ErrorKind::InvalidOperation, why))
    });
}

/// Why a prompt may not call a tool; `None` if it may.
fn find_call_obstacle(context: &Context, name: &str) -> Option<String> {
    let Some(tool) = context.tool(name) else {
        return Some(format!("there is no tool `{name}`"));
    };
    let Tool { annotations, consent, .. } = &*tool;
    let needs_approval = annotations.dangerous == Some(true)
        || annotations.requires_approval == Some(true)
        || consent.is_some();
    if needs_approval {
        return Some(format!("`{name}` needs a person's approval, so a prompt cannot call it"));
    }
    // A prompt is rendered when a user opens it, before anything could be confirmed.
    if !annotations.is_read_only() {
        return Some(format!("`{name}` is not declared read-only, so a prompt cannot call it"));
    }
    None
}

async fn call(context: &Context, name: &str, arguments: Arguments) -> Result<Value, String> {
    let outcome = context
        .call(name, arguments)
        .await
        .map_err(|_| format!("`{name}` asked a question, which a prompt cannot answer"))?;
    let text = join_texts(&outcome);
    if outcome.failed {
        return Err(format!("`{name}` failed: {}", error_message(&outcome).unwrap_or(&text)));
    }
    let structured = Value::from(Serde(outcome.structured));
    Ok(Value::from_object(CallResult { text, structured }))
}

/// The error message of a failed call, in either form of failures.
fn error_message(outcome: &Outcome) -> Option<&str> {
    let failure = outcome.structured.as_ref()?;
    failure.get("error_message").or(failure.get("error"))?.as_str()
}

fn join_texts(outcome: &Outcome) -> String {
    let texts = outcome.content.iter().filter_map(|content| match content {
        Content::Text(text) | Content::Resource { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// The result of a tool in a template: prints as its text, and has the attributes `text` and
/// `structured`.
struct CallResult {
    text: String,
    structured: Value,
}

impl fmt::Debug for CallResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Object for CallResult {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "text" => Some(Value::from(self.text.as_str())),
            "structured" => Some(self.structured.clone()),
            _ => None,
        }
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
