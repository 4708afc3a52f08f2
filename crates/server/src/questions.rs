//! Questions to the client on the wire: inside a result for modern clients, as server requests for
//! legacy ones.

#![expect(deprecated, reason = "sampling and roots are deprecated, but legacy clients use them")]

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

/// The failure for a form whose schema is not allowed in an elicitation.
pub(crate) const UNSUPPORTED_FORM: &str = "the form has a schema that clients cannot show";

/// Describes a capability as the end of "this needs a client that can …".
pub(crate) fn describe_capability(capability: Capability) -> &'static str {
    match capability {
        Capability::Forms => "show its user a form (elicitation)",
        Capability::Sampling => "generate text with its model (sampling)",
        Capability::Roots => "list the folders it works on (roots)",
        Capability::Tasks => "follow operations (tasks)",
    }
}

/// A capability as a client would declare it.
pub(crate) fn to_client_capabilities(capability: Capability) -> ClientCapabilities {
    let builder = ClientCapabilities::builder();
    match capability {
        Capability::Forms => builder.enable_elicitation().build(),
        Capability::Sampling => builder.enable_sampling().build(),
        Capability::Roots => builder.enable_roots().build(),
        Capability::Tasks => builder.enable_tasks().build(),
    }
}

/// Whether a value is a valid answer to a question. Clients are not trusted to send one.
pub(crate) fn is_answer(question: &Question, answer: &Value) -> bool {
    match question {
        Question::Form { schema, .. } => match answer.get("action").and_then(Value::as_str) {
            Some("accept") => {
                answer.get("content").is_some_and(|content| matches_schema(schema, content))
            }
            Some("decline" | "cancel") => true,
            _ => false,
        },
        Question::Sample { .. } => {
            // One block until 2025-06-18, a list of blocks since 2025-11-25.
            answer.get("content").is_some_and(|content| content.is_object() || content.is_array())
        }
        Question::Roots => answer.get("roots").is_some_and(Value::is_array),
    }
}

fn matches_schema(schema: &Value, content: &Value) -> bool {
    let Value::Object(schema) = schema else {
        return false;
    };
    arguments::validate(&Schema::new(schema.clone()), content).is_ok_and(|errors| errors.is_empty())
}

/// A question as a modern client gets it, inside a result. `None` for a form whose schema is not
/// allowed in an elicitation.
pub(crate) fn to_input_request(question: &Question) -> Option<InputRequest> {
    Some(match question {
        Question::Form { message, schema } => {
            InputRequest::Elicitation(ElicitRequest::new(elicitation(message, schema)?))
        }
        Question::Sample { prompt, max_tokens } => {
            InputRequest::CreateMessage(CreateMessageRequest::new(sampling(prompt, *max_tokens)))
        }
        Question::Roots => InputRequest::ListRoots(ListRootsRequest::default()),
    })
}

/// Asks a legacy client and waits for its answer. Fails with the reason.
pub(crate) async fn ask_client(
    peer: &Peer<RoleServer>,
    question: &Question,
) -> Result<Value, String> {
    match question {
        Question::Form { message, schema } => {
            let form = elicitation(message, schema).ok_or(UNSUPPORTED_FORM)?;
            to_value(peer.create_elicitation(form).await)
        }
        Question::Sample { prompt, max_tokens } => {
            to_value(peer.create_message(sampling(prompt, *max_tokens)).await)
        }
        Question::Roots => to_value(peer.list_roots().await),
    }
}

fn to_value<T: Serialize>(answer: Result<T, ServiceError>) -> Result<Value, String> {
    let answer = answer.map_err(|error| match error {
        ServiceError::McpError(error) => {
            format!("the client answered with an error: {}", error.message)
        }
        other => other.to_string(),
    })?;
    serde_json::to_value(answer).map_err(|error| error.to_string())
}

fn elicitation(message: &str, schema: &Value) -> Option<ElicitRequestParams> {
    // Forms allow only flat objects of scalars and enums; the wire type accepts exactly those.
    let requested_schema = serde_json::from_value(schema.clone()).ok()?;
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema,
    })
}

fn sampling(prompt: &str, max_tokens: u32) -> CreateMessageRequestParams {
    CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], max_tokens)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolkit::Question;

    use super::is_answer;

    #[test]
    fn accepts_only_answers_that_match_the_question() {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
        let form = Question::Form { message: "who?".into(), schema };
        assert!(is_answer(&form, &json!({"action": "accept", "content": {"name": "Ada"}})));
        assert!(is_answer(&form, &json!({"action": "decline"})));
        for wrong in [
            json!(12345),
            json!({}),
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {"name": 1}}),
        ] {
            assert!(!is_answer(&form, &wrong), "{wrong}");
        }
        let sample = Question::Sample { prompt: "go on".into(), max_tokens: 5 };
        assert!(is_answer(
            &sample,
            &json!({"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"})
        ));
        assert!(!is_answer(&sample, &json!({"roots": []})));
        assert!(is_answer(&Question::Roots, &json!({"roots": []})));
        assert!(!is_answer(&Question::Roots, &json!({"roots": 3})));
    }
}
