//! Results of operations as resources.

use runtime::{
    Operations, Viewer,
    operation::{OperationId, Owner, RESULTS},
};
use serde_json::Value;
use toolkit::{
    Body, BoxFuture, Context, Interrupt, Resource, ResourceContent, ResourceTemplate, Resources,
};

use crate::report::to_object_with_result;

/// Results of operations, readable by their owner. Not listed: `status` does that.
pub(crate) struct OperationResults(pub(crate) Operations);

impl Resources for OperationResults {
    fn list(&self) -> BoxFuture<'_, Vec<Resource>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate {
            uri_template: format!("{RESULTS}{{id}}"),
            name: "operation".to_owned(),
            description: Some("An operation: its state and, after its end, its result".to_owned()),
            mime_type: "application/json".to_owned(),
        }]
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        context: Context,
    ) -> BoxFuture<'a, Result<Option<ResourceContent>, Interrupt>> {
        Box::pin(async move {
            let Some(id) = uri.strip_prefix(RESULTS).and_then(|id| id.parse::<OperationId>().ok())
            else {
                return Ok(None);
            };
            let owner = Owner(context.owner().to_string());
            let Ok(operation) = self.0.get(Viewer::Owner(&owner), &id).await else {
                return Ok(None);
            };
            if operation.state.is_final() {
                // Marks the result as delivered. If that fails, it is delivered again, which does
                // no harm.
                let _ = self.0.collect(vec![id]).await;
            }
            let text = Value::Object(to_object_with_result(&operation)).to_string();
            let mime_type = "application/json".to_owned();
            Ok(Some(ResourceContent { uri: uri.to_owned(), mime_type, body: Body::Text(text) }))
        })
    }
}
