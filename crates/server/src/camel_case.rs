//! Camel-case methods: `listResources`, `readResource`, `listResourceTemplates`, `listTools` and
//! `callTool`.
//!
//! Clients of R Markdown servers use them without handshake, metadata or headers. Such a request is
//! translated to a self-contained request of 2026-07-28, answered like any other, and its response
//! is translated back: fewer members, and error codes of their own.

use catalog::{ErrorType, arguments};
use rmcp::{
    ErrorData,
    model::{ErrorCode, RequestId},
};
use serde_json::{Map, Value, json};

use crate::{Snapshot, resources::MALFORMED};

/// The revision of translated requests.
pub(crate) const REVISION: &str = "2026-07-28";

/// The code for a resource or document that does not exist.
const NOT_FOUND: ErrorCode = ErrorCode(-32002);

/// Failures that the caller can correct, reported as invalid parameters.
const CALLER_ERRORS: [ErrorType; 6] = [
    ErrorType::InvalidArguments,
    ErrorType::InvalidFilename,
    ErrorType::AlreadyExists,
    ErrorType::Conflict,
    ErrorType::TooLarge,
    ErrorType::InvalidRange,
];

/// The camel-case methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    ListResources,
    ReadResource,
    ListResourceTemplates,
    ListTools,
    CallTool,
}

/// A translated request, for translating its response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CamelCaseRequest {
    id: RequestId,
    method: Method,
    /// The name of the tool or the URI of the resource.
    subject: Option<String>,
}

/// Whether a method is a camel-case one.
pub(crate) fn is_camel_case(method: &str) -> bool {
    Method::from_name(method).is_some()
}

/// Translates a request to one of the protocol. Fails if its parameters are invalid.
pub(crate) fn translate(
    id: &RequestId,
    method: &str,
    params: Option<Value>,
) -> Result<(CamelCaseRequest, Value), ErrorData> {
    let method = Method::from_name(method)
        .ok_or_else(|| ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "unknown method", None))?;
    let params = match params {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(invalid("params must be an object")),
    };
    let (subject, mut params) = method.pick_params(params)?;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": REVISION,
        // No capabilities: these clients can neither show forms nor follow tasks.
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params.insert("_meta".to_owned(), meta);
    let message =
        json!({"jsonrpc": "2.0", "id": id, "method": method.protocol_name(), "params": params});
    Ok((CamelCaseRequest { id: id.clone(), method, subject }, message))
}

impl CamelCaseRequest {
    /// The name of the method in the protocol.
    pub(crate) fn protocol_method(&self) -> &'static str {
        self.method.protocol_name()
    }

    /// The name of the tool or the URI of the resource.
    pub(crate) fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// Translates the response of the protocol.
    pub(crate) fn translate_response(&self, mut response: Value, snapshot: &Snapshot) -> Value {
        let translated = match response.get_mut("error").map(Value::take) {
            Some(error) => Err(self.translate_error(error, snapshot)),
            None => self.translate_result(response["result"].take()),
        };
        match translated {
            Ok(result) => json!({"jsonrpc": "2.0", "id": self.id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": self.id, "error": error}),
        }
    }

    fn translate_result(&self, mut result: Value) -> Result<Value, Value> {
        let (list, members): (&str, &[&str]) = match self.method {
            Method::ListResources => ("resources", &["uri", "mimeType", "name", "description"]),
            Method::ListResourceTemplates => {
                ("resourceTemplates", &["uriTemplate", "mimeType", "name", "description"])
            }
            Method::ListTools => ("tools", &["name", "description", "inputSchema"]),
            Method::ReadResource => ("contents", &["uri", "mimeType", "text", "blob"]),
            Method::CallTool => return translate_call_result(result),
        };
        let items = match result[list].take() {
            Value::Array(items) => {
                items.into_iter().map(|item| keep_members(item, members)).collect()
            }
            other => other,
        };
        let mut kept = Map::from_iter([(list.to_owned(), items)]);
        kept.extend(
            result.get_mut("nextCursor").map(|cursor| ("nextCursor".to_owned(), cursor.take())),
        );
        Ok(Value::Object(kept))
    }

    fn translate_error(&self, mut error: Value, snapshot: &Snapshot) -> Value {
        let subject = self.subject().unwrap_or_default();
        let code = error["code"].as_i64().and_then(|code| i32::try_from(code).ok()).map(ErrorCode);
        let (is_unknown, is_malformed) =
            (error["data"]["uri"].is_string(), error["data"]["error_type"] == MALFORMED);
        let code = match (self.method, code) {
            // These clients expect an unknown tool to be an unknown method.
            (Method::CallTool, Some(ErrorCode::INVALID_PARAMS))
                if snapshot.find(subject).is_none() =>
            {
                ErrorCode::METHOD_NOT_FOUND
            }
            (Method::ReadResource, _) if is_malformed => ErrorCode::INVALID_REQUEST,
            (Method::ReadResource, _) if is_unknown => NOT_FOUND,
            (Method::ReadResource, Some(ErrorCode::INVALID_PARAMS)) => ErrorCode::INTERNAL_ERROR,
            (_, Some(code @ (ErrorCode::INVALID_PARAMS | ErrorCode::INVALID_REQUEST))) => code,
            // Clients of these methods know no other codes.
            _ => ErrorCode::INTERNAL_ERROR,
        };
        error["code"] = code.0.into();
        error
    }
}

impl Method {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "listResources" => Self::ListResources,
            "readResource" => Self::ReadResource,
            "listResourceTemplates" => Self::ListResourceTemplates,
            "listTools" => Self::ListTools,
            "callTool" => Self::CallTool,
            _ => return None,
        })
    }

    fn protocol_name(self) -> &'static str {
        match self {
            Self::ListResources => "resources/list",
            Self::ReadResource => "resources/read",
            Self::ListResourceTemplates => "resources/templates/list",
            Self::ListTools => "tools/list",
            Self::CallTool => "tools/call",
        }
    }

    /// Picks the subject and the parameters that the protocol has.
    fn pick_params(
        self,
        mut given: Map<String, Value>,
    ) -> Result<(Option<String>, Map<String, Value>), ErrorData> {
        let (subject_key, kept): (Option<&str>, &[&str]) = match self {
            Self::ListResources | Self::ListResourceTemplates | Self::ListTools => {
                (None, &["cursor"])
            }
            Self::ReadResource => (Some("uri"), &["uri"]),
            Self::CallTool => (Some("name"), &["name", "arguments"]),
        };
        // `null` counts as absent; the protocol would reject it.
        given.retain(|key, value| kept.contains(&key.as_str()) && !value.is_null());
        if given.get("arguments").is_some_and(|arguments| !arguments.is_object()) {
            return Err(invalid("arguments must be an object"));
        }
        let Some(key) = subject_key else {
            return Ok((None, given));
        };
        match given.get(key) {
            Some(Value::String(subject)) => Ok((Some(subject.clone()), given)),
            Some(_) => Err(invalid(&format!("{key} must be a string"))),
            None => Err(invalid(&format!("{key} is required"))),
        }
    }
}

fn invalid(why: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Invalid params: {why}"), None)
}

fn keep_members(object: Value, members: &[&str]) -> Value {
    let Value::Object(mut object) = object else {
        return object;
    };
    Value::Object(members.iter().filter_map(|member| object.swap_remove_entry(*member)).collect())
}

/// Translates the result of a call to its content, or to an error if it failed.
fn translate_call_result(mut result: Value) -> Result<Value, Value> {
    let mut content = match result["content"].take() {
        Value::Array(content) => content,
        _ => Vec::new(),
    };
    remove_links(&mut content);
    // There is no second round trip without a handshake.
    if result["resultType"] == "input_required" {
        let message = "this call has to ask its user first, which `callTool` does not support; use `tools/call`";
        return Err(json!({"code": ErrorCode::INTERNAL_ERROR.0, "message": message}));
    }
    if result["isError"] != true {
        return Ok(json!({"content": content}));
    }
    let structured = result["structuredContent"].take();
    let kind = structured["error_type"].as_str().and_then(ErrorType::from_text);
    let code = match kind {
        Some(ErrorType::NotFound) => NOT_FOUND,
        Some(kind) if CALLER_ERRORS.contains(&kind) => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    let message = match kind {
        Some(ErrorType::InvalidArguments) => first_argument_error(&structured),
        _ => None,
    };
    let first_text = || {
        content
            .iter()
            .find_map(|block| block["text"].as_str())
            .unwrap_or("the call failed")
            .to_owned()
    };
    Err(json!({"code": code.0, "message": message.unwrap_or_else(first_text), "data": structured}))
}

/// Removes resource links, which clients of these methods do not support, and the text with their
/// URIs.
fn remove_links(content: &mut Vec<Value>) {
    let to_address = |block: &Value| match (block["name"].as_str(), block["uri"].as_str()) {
        (Some(name), Some(uri)) => Some(format!("{name}: {uri}")),
        _ => None,
    };
    let addresses: Vec<_> = content.iter().filter_map(to_address).collect();
    let is_address = |line: &str| addresses.iter().any(|address| address == line);
    content.retain(|block| {
        block["type"] != "resource_link"
            && !block["text"].as_str().is_some_and(|text| text.lines().all(is_address))
    });
}

/// The first invalid argument in the standard wording, whatever the tool's own is. The others are in
/// the error data.
fn first_argument_error(structured: &Value) -> Option<String> {
    let details = structured.get("error_details").or_else(|| structured.get("error_data"))?;
    let errors: Vec<arguments::ArgumentError> =
        serde_json::from_value(details["details"].clone()).ok()?;
    arguments::first_message(&errors)
}
