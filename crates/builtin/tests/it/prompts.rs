//! Prompts as a person meets them: listed, explained, given words and options, calling tools.

use std::sync::Arc;

use builtin::prompts::{Detail, PromptSet};
use catalog::{Catalog, Policy, SourceId};
use formats::{read_prompt, read_workflow};
use runtime::{Runtime, Settings};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolkit::{Arguments, Content, Context, Interrupt, Native, Outcome, Prompt, Prompts, Schema};

use crate::guide_fixture::GuideFixture;

const GREET: &str = "---
description: Greet somebody
args: <names...> [--loud]
examples:
  - call: Ada Grace --loud
    shows: Greets two people, loudly.
---
{% if options.loud %}HELLO{% else %}Hello{% endif %} {{ args|join(' and ') }}{{ options.mark or '.' }}";

const REVIEW: &str = "---
description: Review a file
arguments:
  - name: path
    description: The file
    required: true
  - name: tone
    description: How to say it
    default: kind
    choices: [kind, strict]
---
Review {{ path }} and be {{ tone }}.";

fn book(name: &str, text: &str, detail: Detail) -> PromptSet {
    let source = SourceId::new(format!("prompts/{name}.md"));
    let (prompt, found) = read_prompt(&source, text.as_bytes());
    assert_eq!(found, []);
    PromptSet::new(vec![prompt.expect("a prompt")], GuideFixture::new().project(), detail)
}

/// A server with a tool that reads, one that writes, one that fails and one that must be approved.
struct Server {
    runtime: Arc<Runtime>,
    catalog: Arc<Catalog>,
    _folder: tempfile::TempDir,
}

impl Server {
    fn new() -> Self {
        let answers = |arguments: Arguments, _: Context| async move {
            let text = format!("got {}", arguments.get("n").unwrap_or(&Value::Null));
            Ok(Outcome::structured(vec![Content::Text(text)], json!({"n": arguments.get("n")})))
        };
        let fails = |_: Arguments, _: Context| async {
            Ok(Outcome { failed: true, ..Outcome::text("out of ink") })
        };
        let envelopes = |_: Arguments, _: Context| async {
            let said = json!({"success": false, "error": "out of paper"});
            Ok(Outcome {
                failed: true,
                ..Outcome::structured(vec![Content::Text(said.to_string())], said)
            })
        };
        let Value::Object(schema) =
            json!({"type": "object", "properties": {"n": {"type": "integer"}}})
        else {
            panic!()
        };
        let schema = Schema::new(schema);
        let mut asks = Native::new("asks", "Asks", schema.clone(), answers).read_only();
        asks.tool.annotations.requires_approval = Some(true);
        let natives = [
            Native::new("reads", "Reads", schema.clone(), answers).read_only(),
            Native::new("writes", "Writes", schema.clone(), answers),
            Native::new("fails", "Fails", schema.clone(), fails).read_only(),
            Native::new("envelopes", "Fails", schema, envelopes).read_only(),
            asks,
        ];
        let (catalog, _) =
            Catalog::merge(natives.iter().map(|native| Arc::new(native.tool.clone())));
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = Runtime::new(Settings::new(folder.path().to_owned())).with_natives(natives);
        Self { runtime: Arc::new(runtime), catalog: Arc::new(catalog), _folder: folder }
    }

    fn context(&self) -> Context {
        self.runtime.host(
            Context::detached(CancellationToken::new()),
            &self.catalog,
            &Policy::default(),
        )
    }
}

async fn get_in(
    server: &Server,
    book: &PromptSet,
    name: &str,
    given: Value,
) -> Result<String, Interrupt> {
    let Value::Object(given) = given else { panic!("arguments are an object") };
    let messages = book.get(name, given, server.context()).await?.expect("a prompt");
    let Content::Text(text) = &messages[0].content else { panic!("no text") };
    Ok(text.clone())
}

async fn get(name: &str, text: &str, given: Value) -> String {
    get_in(&Server::new(), &book(name, text, Detail::Full), name, given).await.expect("messages")
}

async fn refused(name: &str, text: &str, given: Value) -> String {
    match get_in(&Server::new(), &book(name, text, Detail::Full), name, given).await {
        Err(Interrupt::Invalid(why)) => why,
        other => panic!("{other:?}"),
    }
}

async fn listed(book: &PromptSet) -> Prompt {
    book.list().await.remove(0)
}

#[tokio::test]
async fn prompt_documentation_format() {
    let prompt = listed(&book("greet", GREET, Detail::Full)).await;
    insta::assert_snapshot!(prompt.description, @r#"
    ## Description

    Greet somebody

    ## Conceptual Schema

    ```text
    *args: <names...> [--loud]
    ```

    ## Usage Instructions

    ```text
    @greet <names...> [--loud]
    ```

    ## Concrete Examples

    ```text
    @greet Ada Grace --loud
    ```
    Greets two people, loudly.

    ```text
    @greet --help
    ```
    Explains the prompt instead.
    "#);
    assert_eq!(listed(&book("greet", GREET, Detail::Concise)).await.description, "Greet somebody");
    assert!(
        !listed(&book("greet", GREET, Detail::SchemaLess)).await.description.contains("Schema")
    );
}

#[tokio::test]
async fn prompt_varargs_documentation() {
    let prompt = listed(&book("greet", GREET, Detail::Full)).await;
    let names: Vec<_> = prompt.arguments.iter().map(|argument| argument.name.as_str()).collect();
    assert_eq!(
        (names.len(), names[0], names[8], names[9], names[14]),
        (15, "arg1", "arg9", "argA", "argF")
    );
    assert!(
        !prompt.description.contains("arg1"),
        "how words are passed is nobody's business: {}",
        prompt.description
    );
}

#[tokio::test]
async fn named_arguments_are_listed_and_explained() {
    let prompt = listed(&book("review", REVIEW, Detail::Full)).await;
    assert_eq!((prompt.arguments[0].name.as_str(), prompt.arguments[0].required), ("path", true));
    for words in [
        "path (required): The file",
        "tone (optional, one of kind, strict, kind if not given)",
        "@review <path> [tone]",
    ] {
        assert!(prompt.description.contains(words), "{words}: {}", prompt.description);
    }
}

#[tokio::test]
async fn words_are_taken_in_order_and_gaps_do_not_end_them() {
    assert_eq!(get("greet", GREET, json!({"arg1": "Ada"})).await, "Hello Ada.");
    assert_eq!(
        get("greet", GREET, json!({"arg9": "Grace", "arg2": "Ada", "argF": "Mary", "arg3": ""}))
            .await,
        "Hello Ada and Grace and Mary."
    );
    assert_eq!(
        get("greet", GREET, json!({"arg1": "Ada", "arga": "Mary"})).await,
        "Hello Ada and Mary."
    );
}

#[tokio::test]
async fn words_that_are_needed_must_be_there() {
    assert_eq!(
        refused("greet", GREET, json!({"arg1": "--loud"})).await,
        "the prompt needs more words: <names...> [--loud]"
    );
}

#[tokio::test]
async fn options_are_told_from_words() {
    assert_eq!(
        get("greet", GREET, json!({"arg1": "--loud", "arg2": "Ada", "arg3": "--mark=!"})).await,
        "HELLO Ada!"
    );
    assert_eq!(
        get("greet", GREET, json!({"arg1": "Ada", "arg2": "--no-loud"})).await,
        "Hello Ada."
    );
    assert_eq!(get("greet", GREET, json!({"arg1": "--", "arg2": "--loud"})).await, "Hello --loud.");
    assert_eq!(
        get(
            "p",
            "---\ndescription: P\nargs: x\n---\n{{ options.dry_run }} {{ text }}",
            json!({"arg1": "--dry-run", "arg2": "a", "arg3": "b"})
        )
        .await,
        "true a b"
    );
}

#[tokio::test]
async fn help_explains_the_prompt_instead() {
    assert!(
        get("greet", GREET, json!({"arg1": "Ada", "arg2": "--help"}))
            .await
            .contains("@greet <names...> [--loud]")
    );
    assert!(
        get("review", REVIEW, json!({"path": "--help"})).await.contains("## Usage Instructions")
    );
}

#[tokio::test]
async fn named_arguments_have_defaults_and_choices() {
    assert_eq!(get("review", REVIEW, json!({"path": "a.rs"})).await, "Review a.rs and be kind.");
    assert_eq!(
        refused("review", REVIEW, json!({"path": "a.rs", "tone": "rude"})).await,
        "`tone` is `rude`, and must be one of kind, strict"
    );
    assert_eq!(
        refused("review", REVIEW, json!({"paht": "a.rs"})).await,
        "the prompt has no argument `paht`; did you mean `path`?"
    );
    let completed = book("review", REVIEW, Detail::Full).complete("review", "tone", "st").await;
    assert_eq!(completed, Some(vec!["strict".to_owned()]));
}

#[tokio::test]
async fn tool_function_extraction() {
    let calls = |template: &str| format!("---\ndescription: Calls\n---\n{template}");
    assert_eq!(get("c", &calls("{{ call('reads', {'n': 3}) }}"), json!({})).await, "got 3");
    assert_eq!(
        get("c", &calls("{{ call('reads', {'n': 3}).structured.n + 1 }}"), json!({})).await,
        "4"
    );
    for (template, words) in [
        ("{{ call('writes') }}", "`writes` does not say that it changes nothing"),
        ("{{ call('asks') }}", "`asks` needs a person's approval"),
        ("{{ call('nothing') }}", "there is no tool `nothing`"),
        ("\n{{ call('fails') }}", "c:5: `fails` failed: out of ink"),
        ("{{ call('reads', {'n': 'x'}) }}", "`reads` failed: Invalid arguments"),
        ("{{ call('envelopes') }}", "`envelopes` failed: out of paper"),
    ] {
        let why = refused("c", &calls(template), json!({})).await;
        assert!(why.contains(words), "{template}: {why}");
    }
}

#[tokio::test]
async fn an_empty_argument_is_not_given_and_one_that_is_not_given_prints_as_nothing() {
    assert_eq!(
        refused("review", REVIEW, json!({"path": " "})).await,
        "the prompt needs `path`: The file"
    );
    let text = "---\ndescription: D\narguments:\n  - name: who\n    description: W\n---\nHello {{ who }}!{{ who is none }}";
    let said = get_in(&Server::new(), &book("p", text, Detail::Full), "p", json!({}))
        .await
        .expect("messages");
    assert_eq!(said, "Hello !true");
}

#[tokio::test]
async fn a_workflow_names_tools_as_they_are_served() {
    let text =
        "name: w\ndescription: W\njobs: {one: {steps: [{tool: reads}, {tool: elsewhere}]}}\n";
    let (prompt, _) = read_workflow(&SourceId::new("w.yaml"), text.as_bytes());
    let book =
        PromptSet::new(prompt.into_iter().collect(), GuideFixture::new().project(), Detail::Full);
    let text = get_in(&Server::new(), &book, "w", json!({})).await.expect("messages");
    assert!(text.contains("1. Call `reads`.\n2. Call `elsewhere`."), "{text}");
}

#[tokio::test]
async fn other_prompts_can_take_their_place() {
    let greet = book("greet", GREET, Detail::Full);
    let (review, _) = read_prompt(&SourceId::new("review.md"), REVIEW.as_bytes());
    let review: Vec<_> = review.into_iter().collect();
    assert!(greet.replace(review.clone()));
    assert!(!greet.replace(review));
    assert_eq!(listed(&greet).await.name, "review");
    assert_eq!(greet.get("greet", Arguments::new(), Server::new().context()).await, Ok(None));
}
