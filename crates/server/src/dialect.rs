//! Another way to name the protocol's methods: `listResources`, `callTool` and so on.
//!
//! A request in it needs no handshake, no metadata and no headers. It becomes one of the protocol
//! that says everything itself, takes the same path as any other, and its answer is put back into
//! the dialect's words and error codes.

use catalog::{ErrorType, arguments};
use rmcp::{
    ErrorData,
    model::{ErrorCode, RequestId},
};
use serde_json::{Map, Value, json};

use crate::{Snapshot, resources::MALFORMED};

/// The revision that translated requests are of.
pub(crate) const REVISION: &str = "2026-07-28";

/// The code of something that is not there.
const NOT_FOUND: ErrorCode = ErrorCode(-32002);

/// Kinds of failures that are the caller's.
const CALLER: [ErrorType; 6] = [
    ErrorType::InvalidArguments,
    ErrorType::InvalidFilename,
    ErrorType::AlreadyExists,
    ErrorType::Conflict,
    ErrorType::TooLarge,
    ErrorType::InvalidRange,
];

/// A method of the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    ListResources,
    ReadResource,
    ListResourceTemplates,
    ListTools,
    CallTool,
}

/// A request that was made in the dialect.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    id: RequestId,
    method: Method,
    /// The tool or address that it is about, if it is about one.
    about: Option<String>,
}

/// Whether a method is one of the dialect.
pub(crate) fn speaks(method: &str) -> bool {
    Method::of(method).is_some()
}

/// A request of the dialect as one of the protocol, or why it cannot be one. The method must be one of the dialect's.
pub(crate) fn translate(
    id: &RequestId,
    method: &str,
    params: Option<Value>,
) -> Result<(Asked, Value), ErrorData> {
    let method = Method::of(method)
        .ok_or_else(|| ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "unknown method", None))?;
    let params = match params {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(invalid("params must be an object")),
    };
    let (about, mut params) = method.parameters(params)?;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params.insert("_meta".to_owned(), meta);
    let message =
        json!({"jsonrpc": "2.0", "id": id, "method": method.standard(), "params": params});
    Ok((Asked { id: id.clone(), method, about }, message))
}

impl Asked {
    /// The method of the protocol that it became.
    pub(crate) fn standard(&self) -> &'static str {
        self.method.standard()
    }

    /// The tool or address that it is about, if it is about one.
    pub(crate) fn about(&self) -> Option<&str> {
        self.about.as_deref()
    }

    /// The answer of the protocol in the dialect's words.
    pub(crate) fn answer(&self, mut response: Value, snapshot: &Snapshot) -> Value {
        let answered = match response.get_mut("error").map(Value::take) {
            Some(error) => Err(self.error(error, snapshot)),
            None => self.result(response["result"].take()),
        };
        match answered {
            Ok(result) => json!({"jsonrpc": "2.0", "id": self.id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": self.id, "error": error}),
        }
    }

    fn result(&self, mut result: Value) -> Result<Value, Value> {
        let (list, members): (&str, &[&str]) = match self.method {
            Method::ListResources => ("resources", &["uri", "mimeType", "name", "description"]),
            Method::ListResourceTemplates => {
                ("resourceTemplates", &["uriTemplate", "mimeType", "name", "description"])
            }
            Method::ListTools => ("tools", &["name", "description", "inputSchema"]),
            Method::ReadResource => ("contents", &["uri", "mimeType", "text", "blob"]),
            Method::CallTool => return called(result),
        };
        let items = match result[list].take() {
            Value::Array(items) => items.into_iter().map(|item| only(item, members)).collect(),
            other => other,
        };
        let mut kept = Map::from_iter([(list.to_owned(), items)]);
        kept.extend(
            result.get_mut("nextCursor").map(|cursor| ("nextCursor".to_owned(), cursor.take())),
        );
        Ok(Value::Object(kept))
    }

    fn error(&self, mut error: Value, snapshot: &Snapshot) -> Value {
        let about = self.about().unwrap_or_default();
        let given = error["code"].as_i64().and_then(|code| i32::try_from(code).ok()).map(ErrorCode);
        let (is_unknown, is_malformed) =
            (error["data"]["uri"].is_string(), error["data"]["error_type"] == MALFORMED);
        let code = match (self.method, given) {
            (Method::CallTool, Some(ErrorCode::INVALID_PARAMS))
                if snapshot.find(about).is_none() =>
            {
                ErrorCode::METHOD_NOT_FOUND
            }
            (Method::ReadResource, _) if is_malformed => ErrorCode::INVALID_REQUEST,
            (Method::ReadResource, _) if is_unknown => NOT_FOUND,
            (Method::ReadResource, Some(ErrorCode::INVALID_PARAMS)) => ErrorCode::INTERNAL_ERROR,
            (_, Some(code @ (ErrorCode::INVALID_PARAMS | ErrorCode::INVALID_REQUEST))) => code,
            _ => ErrorCode::INTERNAL_ERROR,
        };
        error["code"] = code.0.into();
        error
    }
}

impl Method {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "listResources" => Self::ListResources,
            "readResource" => Self::ReadResource,
            "listResourceTemplates" => Self::ListResourceTemplates,
            "listTools" => Self::ListTools,
            "callTool" => Self::CallTool,
            _ => return None,
        })
    }

    fn standard(self) -> &'static str {
        match self {
            Self::ListResources => "resources/list",
            Self::ReadResource => "resources/read",
            Self::ListResourceTemplates => "resources/templates/list",
            Self::ListTools => "tools/list",
            Self::CallTool => "tools/call",
        }
    }

    /// What a request is about, and those of its parameters that the protocol knows.
    fn parameters(
        self,
        mut given: Map<String, Value>,
    ) -> Result<(Option<String>, Map<String, Value>), ErrorData> {
        let (named, kept): (Option<&str>, &[&str]) = match self {
            Self::ListResources | Self::ListResourceTemplates | Self::ListTools => {
                (None, &["cursor"])
            }
            Self::ReadResource => (Some("uri"), &["uri"]),
            Self::CallTool => (Some("name"), &["name", "arguments"]),
        };
        given.retain(|key, value| kept.contains(&key.as_str()) && !value.is_null());
        if given.get("arguments").is_some_and(|arguments| !arguments.is_object()) {
            return Err(invalid("arguments must be an object"));
        }
        let Some(named) = named else {
            return Ok((None, given));
        };
        match given.get(named) {
            Some(Value::String(about)) => Ok((Some(about.clone()), given)),
            Some(_) => Err(invalid(&format!("{named} must be a string"))),
            None => Err(invalid(&format!("{named} is required"))),
        }
    }
}

fn invalid(why: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Invalid params: {why}"), None)
}

/// Those members of an object that the dialect knows.
fn only(object: Value, members: &[&str]) -> Value {
    let Value::Object(mut object) = object else {
        return object;
    };
    Value::Object(members.iter().filter_map(|member| object.swap_remove_entry(*member)).collect())
}

/// The result of a call: its content, or the error that it failed with.
fn called(mut result: Value) -> Result<Value, Value> {
    let is_shown = |block: &Value| !matches!(block["type"].as_str(), Some("resource_link"));
    let content: Vec<_> = match result["content"].take() {
        Value::Array(content) => content.into_iter().filter(is_shown).collect(),
        _ => Vec::new(),
    };
    if result["resultType"] == "input_required" {
        let message =
            "this call needs an answer first, for which `callTool` has no words; use `tools/call`";
        return Err(json!({"code": ErrorCode::INTERNAL_ERROR.0, "message": message}));
    }
    if result["isError"] != true {
        return Ok(json!({"content": content}));
    }
    let structured = result["structuredContent"].take();
    let kind = structured["error_type"].as_str().and_then(ErrorType::from_text);
    let code = match kind {
        Some(ErrorType::NotFound) => NOT_FOUND,
        Some(kind) if CALLER.contains(&kind) => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    let message = match kind {
        Some(ErrorType::InvalidArguments) => fault(&structured),
        _ => None,
    };
    let said = || {
        content
            .iter()
            .find_map(|block| block["text"].as_str())
            .unwrap_or("the call failed")
            .to_owned()
    };
    Err(json!({"code": code.0, "message": message.unwrap_or_else(said), "data": structured}))
}

/// The first thing that is wrong with the arguments of a call, whatever the tool's own wording is. The others are in the data.
fn fault(structured: &Value) -> Option<String> {
    let document = structured.get("error_details").or_else(|| structured.get("error_data"))?;
    let faults: Vec<arguments::ArgumentError> =
        serde_json::from_value(document["details"].clone()).ok()?;
    arguments::first_message(&faults)
}
