//! Prompts: their descriptions, arguments and rendering.

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
description: Greet a person
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

fn prompt_set(name: &str, text: &str, detail: Detail) -> PromptSet {
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
            let envelope = json!({"success": false, "error": "out of paper"});
            Ok(Outcome {
                failed: true,
                ..Outcome::structured(vec![Content::Text(envelope.to_string())], envelope)
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
    prompts: &PromptSet,
    name: &str,
    given: Value,
) -> Result<String, Interrupt> {
    let Value::Object(given) = given else { panic!("arguments are an object") };
    let messages = prompts.get(name, given, server.context()).await?.expect("a prompt");
    let Content::Text(text) = &messages[0].content else { panic!("no text") };
    Ok(text.clone())
}

async fn get(name: &str, text: &str, given: Value) -> String {
    get_in(&Server::new(), &prompt_set(name, text, Detail::Full), name, given)
        .await
        .expect("messages")
}

async fn rejection(name: &str, text: &str, given: Value) -> String {
    match get_in(&Server::new(), &prompt_set(name, text, Detail::Full), name, given).await {
        Err(Interrupt::Invalid(why)) => why,
        other => panic!("{other:?}"),
    }
}

async fn first_prompt(prompts: &PromptSet) -> Prompt {
    prompts.list().await.remove(0)
}

#[tokio::test]
async fn prompt_documentation_format() {
    let prompt = first_prompt(&prompt_set("greet", GREET, Detail::Full)).await;
    insta::assert_snapshot!(prompt.description, @r#"
    ## Description

    Greet a person

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
    assert_eq!(
        first_prompt(&prompt_set("greet", GREET, Detail::Concise)).await.description,
        "Greet a person"
    );
    assert!(
        !first_prompt(&prompt_set("greet", GREET, Detail::SchemaLess))
            .await
            .description
            .contains("Schema")
    );
}

#[tokio::test]
async fn prompt_varargs_documentation() {
    let prompt = first_prompt(&prompt_set("greet", GREET, Detail::Full)).await;
    let names: Vec<_> = prompt.arguments.iter().map(|argument| argument.name.as_str()).collect();
    assert_eq!(
        (names.len(), names[0], names[8], names[9], names[14]),
        (15, "arg1", "arg9", "argA", "argF")
    );
    assert!(
        !prompt.description.contains("arg1"),
        "placeholder names are internal: {}",
        prompt.description
    );
}

#[tokio::test]
async fn describes_named_arguments() {
    let prompt = first_prompt(&prompt_set("review", REVIEW, Detail::Full)).await;
    assert_eq!((prompt.arguments[0].name.as_str(), prompt.arguments[0].required), ("path", true));
    insta::assert_snapshot!(prompt.description, @r"
    ## Description

    Review a file

    ## Conceptual Schema

    ```text
    path (required): The file
    tone (optional, one of kind, strict, default kind): How to say it
    ```

    ## Usage Instructions

    ```text
    @review <path> [tone]
    ```

    ## Concrete Examples

    ```text
    @review --help
    ```
    Explains the prompt instead.
    ");
}

#[tokio::test]
async fn takes_words_in_order_across_gaps() {
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
async fn requires_words() {
    assert_eq!(
        rejection("greet", GREET, json!({"arg1": "--loud"})).await,
        "the prompt needs more words: <names...> [--loud]"
    );
}

#[tokio::test]
async fn distinguishes_options_from_words() {
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
async fn help_describes_the_prompt() {
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
        rejection("review", REVIEW, json!({"path": "a.rs", "tone": "rude"})).await,
        "`tone` is `rude` but must be one of kind, strict"
    );
    assert_eq!(
        rejection("review", REVIEW, json!({"paht": "a.rs"})).await,
        "the prompt has no argument `paht`; did you mean `path`?"
    );
    let completed =
        prompt_set("review", REVIEW, Detail::Full).complete("review", "tone", "st").await;
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
    let mut errors = Vec::new();
    for template in [
        "{{ call('writes') }}",
        "{{ call('asks') }}",
        "{{ call('nothing') }}",
        "\n{{ call('fails') }}",
        "{{ call('reads', {'n': 'x'}) }}",
        "{{ call('envelopes') }}",
    ] {
        errors.push(rejection("c", &calls(template), json!({})).await);
    }
    insta::assert_snapshot!(errors.join("\n"), @r"
    could not render the prompt: c:4: `writes` is not declared read-only, so a prompt cannot call it
    could not render the prompt: c:4: `asks` needs a person's approval, so a prompt cannot call it
    could not render the prompt: c:4: there is no tool `nothing`
    could not render the prompt: c:5: `fails` failed: out of ink
    could not render the prompt: c:4: `reads` failed: Invalid arguments for `reads`:
    - n: Expected integer, received string
    could not render the prompt: c:4: `envelopes` failed: out of paper
    ");
}

#[tokio::test]
async fn missing_arguments_are_rejected_if_required_and_empty_otherwise() {
    assert_eq!(
        rejection("review", REVIEW, json!({"path": " "})).await,
        "the prompt needs `path`: The file"
    );
    let text = "---\ndescription: D\narguments:\n  - name: who\n    description: W\n---\nHello {{ who }}!{{ who == none }}";
    let text = get_in(&Server::new(), &prompt_set("p", text, Detail::Full), "p", json!({}))
        .await
        .expect("messages");
    assert_eq!(text, "Hello !true");
}

#[tokio::test]
async fn workflows_use_served_tool_names() {
    let text =
        "name: w\ndescription: W\njobs: {one: {steps: [{tool: reads}, {tool: elsewhere}]}}\n";
    let (prompt, _) = read_workflow(&SourceId::new("w.yaml"), text.as_bytes());
    let prompts =
        PromptSet::new(prompt.into_iter().collect(), GuideFixture::new().project(), Detail::Full);
    let text = get_in(&Server::new(), &prompts, "w", json!({})).await.expect("messages");
    assert!(text.contains("1. Call `reads`.\n2. Call `elsewhere`."), "{text}");
}

#[tokio::test]
async fn replaces_prompts() {
    let greet = prompt_set("greet", GREET, Detail::Full);
    let (review, _) = read_prompt(&SourceId::new("review.md"), REVIEW.as_bytes());
    let review: Vec<_> = review.into_iter().collect();
    assert!(greet.replace(review.clone()));
    assert!(!greet.replace(review));
    assert_eq!(first_prompt(&greet).await.name, "review");
    assert_eq!(greet.get("greet", Arguments::new(), Server::new().context()).await, Ok(None));
}
