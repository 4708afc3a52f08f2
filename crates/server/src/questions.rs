//! Questions on the wire: in a result for modern clients, as requests for those who shook hands.

#![expect(
    deprecated,
    reason = "sampling, roots and logging are on their way out, but older clients have them"
)]

use catalog::{Schema, arguments};
use rmcp::{
    Peer, RoleServer,
    model::{
        ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams, ElicitRequest,
        ElicitRequestParams, InputRequest, ListRootsRequest, SamplingMessage,
    },
    service::ServiceError,
};
use serde::Serialize;
use serde_json::Value;
use toolkit::{Capability, Question};

/// A capability in words.
pub(crate) fn in_words(capability: Capability) -> &'static str {
    match capability {
        Capability::Forms => "show its user a form (elicitation)",
        Capability::Sampling => "let its model continue a text (sampling)",
        Capability::Roots => "name the folders it works on (roots)",
        Capability::Tasks => "follow work that goes on after its answer (tasks)",
    }
}

/// A capability as a client declares it.
pub(crate) fn declaration(capability: Capability) -> ClientCapabilities {
    let builder = ClientCapabilities::builder();
    match capability {
        Capability::Forms => builder.enable_elicitation().build(),
        Capability::Sampling => builder.enable_sampling().build(),
        Capability::Roots => builder.enable_roots().build(),
        Capability::Tasks => builder.enable_tasks().build(),
    }
}

/// Whether this is an answer to that question, rather than anything else a client may send.
pub(crate) fn answers(question: &Question, answer: &Value) -> bool {
    match question {
        Question::Form { schema, .. } => match answer.get("action").and_then(Value::as_str) {
            Some("accept") => answer.get("content").is_some_and(|content| fits(schema, content)),
            Some("decline" | "cancel") => true,
            _ => false,
        },
        Question::Sample { .. } => {
            answer.get("content").is_some_and(|content| content.is_object() || content.is_array())
        }
        Question::Roots => answer.get("roots").is_some_and(Value::is_array),
    }
}

fn fits(schema: &Value, content: &Value) -> bool {
    let Value::Object(schema) = schema else {
        return false;
    };
    arguments::validate(&Schema::new(schema.clone()), content).is_ok_and(|faults| faults.is_empty())
}

/// The question inside a result; `None` if it is a form that cannot be shown.
pub(crate) fn inside_a_result(question: &Question) -> Option<InputRequest> {
    Some(match question {
        Question::Form { message, schema } => {
            InputRequest::Elicitation(ElicitRequest::new(form(message, schema)?))
        }
        Question::Sample { prompt, max_tokens } => {
            InputRequest::CreateMessage(CreateMessageRequest::new(sample(prompt, *max_tokens)))
        }
        Question::Roots => InputRequest::ListRoots(ListRootsRequest::default()),
    })
}

/// Asks a client that shook hands, now; says why if there is no answer.
pub(crate) async fn ask(peer: &Peer<RoleServer>, question: &Question) -> Result<Value, String> {
    match question {
        Question::Form { message, schema } => {
            let form =
                form(message, schema).ok_or("the form has a schema that no client can show")?;
            plain(peer.create_elicitation(form).await)
        }
        Question::Sample { prompt, max_tokens } => {
            plain(peer.create_message(sample(prompt, *max_tokens)).await)
        }
        Question::Roots => plain(peer.list_roots().await),
    }
}

fn plain<T: Serialize>(answer: Result<T, ServiceError>) -> Result<Value, String> {
    let answer = answer.map_err(|error| match error {
        ServiceError::McpError(error) => format!("the client refused: {}", error.message),
        other => other.to_string(),
    })?;
    serde_json::to_value(answer).map_err(|error| error.to_string())
}

fn form(message: &str, schema: &Value) -> Option<ElicitRequestParams> {
    let requested_schema = serde_json::from_value(schema.clone()).ok()?;
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema,
    })
}

fn sample(prompt: &str, max_tokens: u32) -> CreateMessageRequestParams {
    CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], max_tokens)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolkit::Question;

    use super::answers;

    #[test]
    fn takes_only_answers_that_fit_the_question() {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
        let form = Question::Form { message: "who?".into(), schema };
        assert!(answers(&form, &json!({"action": "accept", "content": {"name": "Ada"}})));
        assert!(answers(&form, &json!({"action": "decline"})));
        for wrong in [
            json!(12345),
            json!({}),
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {"name": 1}}),
        ] {
            assert!(!answers(&form, &wrong), "{wrong}");
        }
        let sample = Question::Sample { prompt: "go on".into(), max_tokens: 5 };
        assert!(answers(
            &sample,
            &json!({"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"})
        ));
        assert!(!answers(&sample, &json!({"roots": []})));
        assert!(answers(&Question::Roots, &json!({"roots": []})));
        assert!(!answers(&Question::Roots, &json!({"roots": 3})));
    }
}
