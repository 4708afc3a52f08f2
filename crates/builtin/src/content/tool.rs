//! `get_content`: the documents that an expression asks for.

use serde_json::json;
use toolkit::{Arguments, Content, Context, Failure, Native, Outcome};

use super::{
    render::{Answer, Part},
    shelf::Shelf,
};
use crate::arguments::{schema, text};

const TEXT: &str = "Gives documents of the project.";

pub(super) fn native(shelf: &Shelf) -> Native {
    let shelf = shelf.clone();
    let input = schema(
        json!({
            "expression": {"type": "string", "minLength": 1, "description": "What to get."},
            "pattern": {"type": "string", "description": "Which of it."},
        }),
        &["expression"],
    );
    Native::new("get_content", TEXT, input, move |arguments: Arguments, _: Context| {
        let shelf = shelf.clone();
        async move { Ok(get(&shelf, &arguments).await.unwrap_or_else(Into::into)) }
    })
    .title("Content")
    .read_only()
}

async fn get(shelf: &Shelf, arguments: &Arguments) -> Result<Outcome, Failure> {
    let expression = text(arguments, "expression").unwrap_or_default().to_owned();
    let pattern = text(arguments, "pattern").map(str::to_owned);
    let answer = shelf.search(move |library| library.find(&expression, pattern.as_deref())).await;
    let answer = answer.map_err(|error| Failure::new("invalid_expression", error.to_string()))?;
    if answer.parts.is_empty() {
        return Err(Failure::new("not_found", answer.remarks().unwrap_or_default()));
    }
    Ok(outcome(&answer))
}

fn outcome(answer: &Answer) -> Outcome {
    let texts = answer.parts.iter().map(Part::labelled).chain(answer.remarks());
    Outcome::structured(texts.map(Content::Text).collect(), json!(answer))
}
