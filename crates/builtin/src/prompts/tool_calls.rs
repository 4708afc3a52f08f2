//! Tools that a prompt calls while it is made: only such as change nothing and need nobody's approval.

use std::{fmt, sync::Arc};

use minijinja::{
    Environment, Error, ErrorKind, Value,
    value::{Object, ObjectRepr, Serde},
};
use serde_json::Map;
use tokio::runtime::Handle;
use toolkit::{Arguments, Content, Context, Outcome, Tool};

/// Lets templates write `call("tool", {"name": "value"})`. It waits, so that it must not be used on a
/// thread that others wait for.
pub(super) fn add(environment: &mut Environment<'_>, context: Context) {
    let driver = Handle::current();
    environment.add_function("call", move |name: &str, given: Option<Serde<Arguments>>| {
        let arguments = given.map_or_else(Map::new, |given| given.0);
        let called = refusal(&context, name)
            .map_or_else(|| driver.block_on(call(&context, name, arguments)), Err);
        called.map_err(|why| Error::new(ErrorKind::InvalidOperation, why))
    });
}

/// Why a tool may not be called, if it may not.
fn refusal(context: &Context, name: &str) -> Option<String> {
    let Some(tool) = context.tool(name) else {
        return Some(format!("there is no tool `{name}`"));
    };
    let Tool { annotations, consent, .. } = &*tool;
    let asks = annotations.dangerous == Some(true)
        || annotations.requires_approval == Some(true)
        || consent.is_some();
    match (asks, annotations.is_read_only()) {
        (true, _) => {
            Some(format!("`{name}` needs a person's approval, so a prompt cannot call it"))
        }
        (false, false) => Some(format!(
            "`{name}` does not say that it changes nothing, so a prompt cannot call it"
        )),
        (false, true) => None,
    }
}

async fn call(context: &Context, name: &str, arguments: Arguments) -> Result<Value, String> {
    let outcome = context
        .call(name, arguments)
        .await
        .map_err(|_| format!("`{name}` could not be called without asking"))?;
    let text = text(&outcome);
    match outcome.failed {
        true => Err(format!("`{name}` failed: {}", error(&outcome).unwrap_or(&text))),
        false => Ok(Value::from_object(Called {
            text,
            structured: Value::from(Serde(outcome.structured)),
        })),
    }
}

/// What went wrong, in whichever form the tool writes its failures.
fn error(outcome: &Outcome) -> Option<&str> {
    let failure = outcome.structured.as_ref()?;
    failure.get("error_message").or(failure.get("error"))?.as_str()
}

fn text(outcome: &Outcome) -> String {
    let texts = outcome.content.iter().filter_map(|content| match content {
        Content::Text(text) | Content::Resource { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// What a tool answered: prints as its text, and has its structured result as `structured`.
struct Called {
    text: String,
    structured: Value,
}

impl fmt::Debug for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Object for Called {
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
