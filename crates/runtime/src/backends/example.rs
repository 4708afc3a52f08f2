//! A complete backend, as small as it can be: it returns the arguments of a call.

use std::{path::PathBuf, sync::Arc};

use catalog::{Content, Failure, Implementation, Origin, Outcome, Schema, SourceId, Tool};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use toolkit::{BoxFuture, Context, Interrupt};

use crate::{
    Call, Plan, Settings, backend::Backend, call::ActiveCall, engine::Engine, plan::CallTarget,
};

/// What the variant of [`Implementation`] would carry: how often to repeat the arguments.
struct Echo {
    times: usize,
}

impl Backend for Echo {
    fn plan(&self, _: &Engine, target: CallTarget<'_>) -> Result<Plan, Failure> {
        Ok(Plan::native(target))
    }

    fn run<'a>(
        &'a self,
        _: &'a Engine,
        call: ActiveCall,
    ) -> BoxFuture<'a, Result<Outcome, Interrupt>> {
        let arguments = Value::Object(call.call.arguments);
        let content = vec![Content::Text(arguments.to_string()); self.times];
        let outcome = Outcome { content, structured: Some(arguments), failed: false };
        Box::pin(std::future::ready(Ok(outcome)))
    }
}

fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {"word": {"type": "string"}, "loud": {"type": "boolean", "default": false}},
        "required": ["word"],
    });
    let Value::Object(input) = input else { unreachable!("written as an object above") };
    let origin = Origin::whole_file(&SourceId::new("echo"));
    Tool::new("echo", "Echo a word", Schema::new(input), Implementation::Missing, origin)
}

#[tokio::test]
async fn a_backend_needs_only_a_plan_and_a_run() {
    let (echo, engine) = (Echo { times: 2 }, Engine::new(Settings::new(PathBuf::from("/"))));
    let given = Map::from_iter([("word".to_owned(), json!("hello"))]);
    let arguments = echo.admit(&tool(), given).expect("they fit the schema");
    let context = Context::detached(CancellationToken::new());
    let call = Call::new(Arc::new(tool()), arguments, context);
    let expected = json!({"word": "hello", "loud": false});
    let plan = echo.plan(&engine, call.target()).expect("a plan");
    assert_eq!(plan.to_json(), json!({"version": 1, "tool": "echo", "arguments": expected}));
    let outcome = echo.run(&engine, ActiveCall::new(call, 1024)).await.expect("no questions");
    assert_eq!(outcome.structured, Some(expected));
    assert_eq!(outcome.content.len(), 2);
}

#[test]
fn arguments_are_validated_for_every_backend() {
    let failure = Echo { times: 1 }.admit(&tool(), Map::new()).expect_err("the word is missing");
    assert_eq!(failure.error_type, catalog::ErrorType::InvalidArguments);
}
