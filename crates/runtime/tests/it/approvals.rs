//! A call that needs approval does not run without one, and an approval is for exactly one call.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use catalog::{
    Catalog, Implementation, Outcome, Tool,
    implementation::{Binding, PassBy, Sequence, Step},
    policy::{Clause, Effect, Policy},
};
use runtime::{
    Call, Clock,
    journal::{Filter, Ruling},
    operation::{ApprovalId, Owner},
};
use serde_json::{Value, json};
use testing::{RuntimeFixture, field, object, process_tool};
use tokio_util::sync::CancellationToken;
use toolkit::{
    Answer, BoxFuture, Capability, Change, Client, Context, Interrupt, Level, Progress, Question,
};

use crate::pieces::{option, word};

/// A client whose user may have answered already.
#[derive(Default)]
pub(crate) struct Person {
    pub(crate) answer: Option<Value>,
    pub(crate) asked: AtomicUsize,
    pub(crate) message: Mutex<String>,
    /// Happens while the person reads the question.
    pub(crate) meanwhile: Option<Box<dyn Fn() + Send + Sync>>,
}

impl Client for Person {
    fn report_progress(&self, _: Progress) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn log(&self, _: Level, _: Value) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn ask(
        &self,
        questions: Vec<(String, Question)>,
        state: Option<Vec<u8>>,
    ) -> BoxFuture<'_, Result<Vec<Answer>, Interrupt>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if let Question::Form { message, .. } = &questions[0].1 {
            *self.message.lock().unwrap() = message.clone();
        }
        if let Some(meanwhile) = &self.meanwhile {
            meanwhile();
        }
        let answer = match &self.answer {
            Some(answer) => Ok(vec![Answer(answer.clone())]),
            None => Err(Interrupt::Ask { questions, state }),
        };
        Box::pin(std::future::ready(answer))
    }

    fn saved_state(&self) -> Option<Vec<u8>> {
        None
    }

    fn supports(&self, capability: Capability) -> bool {
        capability == Capability::Forms
    }

    fn notify_changed(&self, _: Change) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

pub(crate) fn touch() -> Tool {
    let mut touch = process_tool("touch", vec![word("done"), option("reference", |_| {})]);
    touch.annotations.dangerous = Some(true);
    touch
}

pub(crate) fn context_without_user() -> Context {
    Context::detached(CancellationToken::new())
}

fn person(answer: Option<Value>) -> (Arc<Person>, Context) {
    let person = Arc::new(Person { answer, ..Person::default() });
    (Arc::clone(&person), Context::new(person, CancellationToken::new()))
}

pub(crate) fn call(tool: &Tool, arguments: Value, context: Context) -> Call {
    Call::new(Arc::new(tool.clone()), object(arguments), context)
}

pub(crate) async fn run(crib: &RuntimeFixture, call: Call) -> Outcome {
    crib.runtime.call(call).await.unwrap()
}

pub(crate) fn approval(outcome: &Outcome) -> ApprovalId {
    assert_eq!(field(outcome, "error_type"), "approval_required", "{outcome:?}");
    field(outcome, "error_details")["approval"].as_str().unwrap().parse().unwrap()
}

pub(crate) fn did_run(crib: &RuntimeFixture) -> bool {
    let path = crib.path("crib/done");
    let did = path.exists();
    let _ = std::fs::remove_file(path);
    did
}

pub(crate) async fn record_decision(crib: &RuntimeFixture, id: ApprovalId, approved: bool) {
    let ruling = Ruling { approved, by: "terminal".to_owned(), at: SystemTime::now() };
    crib.runtime.journal().decide(id, ruling).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_call_without_a_user_is_refused_and_runs_once_after_approval() {
    let crib = RuntimeFixture::new();
    let refused = run(&crib, call(&touch(), json!({}), context_without_user())).await;
    let id = approval(&refused);
    assert!(!did_run(&crib));
    let details = field(&refused, "error_details");
    let message = field(&refused, "error_message").as_str().unwrap();
    assert!(
        message.contains("approval: it is marked as dangerous; nothing was run")
            && message.contains(&format!("`{}`", id.code())),
        "{message}"
    );
    assert_eq!(details["code"], id.code());
    let all = format!("{:?}", refused);
    assert!(!all.contains("toolcrib"), "a model could run the command: {all}");
    let said = details.to_string();
    assert!(
        !said.contains("person") && said.matches(id.as_str()).count() == 1,
        "each thing once: {said}"
    );
    assert_eq!(details["plan"]["argv"], json!(["touch", "done"]));
    assert!(
        details["plan"]["env"].is_array()
            && details["plan"]["cwd"].is_string()
            && details["plan"]["confinement"]["write"].is_array()
            && details["plan"]["confinement"].get("read").is_none()
    );
    assert_eq!(
        approval(&run(&crib, call(&touch(), json!({}), context_without_user())).await),
        id,
        "the same question is not put twice"
    );
    record_decision(&crib, id.clone(), true).await;
    assert!(!run(&crib, call(&touch(), json!({}), context_without_user())).await.failed);
    assert!(did_run(&crib));
    assert_ne!(
        approval(&run(&crib, call(&touch(), json!({}), context_without_user())).await),
        id,
        "it was good for one call"
    );
    assert!(!did_run(&crib));
}

#[tokio::test]
async fn with_a_passphrase_a_form_cannot_approve() {
    let crib = RuntimeFixture::with_settings(|settings| {
        let file = settings.crib.with_file_name("passphrase");
        std::fs::write(&file, "{}").unwrap();
        settings.passphrase_file = Some(file);
    });
    let (asked, yes) = person(Some(json!({"action": "accept", "content": {"approve": true}})));
    approval(&run(&crib, call(&touch(), json!({}), yes)).await);
    assert!(!did_run(&crib) && asked.asked.load(Ordering::Relaxed) == 0);
}

#[tokio::test]
async fn lists_each_readable_path_once_and_the_crib_first() {
    let crib = RuntimeFixture::with_settings(|settings| {
        settings.read = vec!["/usr/bin".into(), "/opt".into()];
        settings.environment = vec![("PATH".to_owned(), "/usr/bin:/bin:/usr/bin".to_owned())];
    });
    let mut reader = touch();
    reader.annotations.mutates = Some(false);
    let plan = crib.plan(&reader, json!({})).unwrap();
    let read = plan["confinement"]["read"].as_array().unwrap();
    assert_eq!(read[0], crib.path("crib").to_str().unwrap());
    assert_eq!(read.iter().collect::<std::collections::HashSet<_>>().len(), read.len(), "{read:?}");
}

#[tokio::test]
async fn an_approval_is_bound_to_tool_arguments_and_owner() {
    let crib = RuntimeFixture::new();
    let id = approval(&run(&crib, call(&touch(), json!({}), context_without_user())).await);
    record_decision(&crib, id, true).await;
    approval(
        &run(&crib, call(&touch(), json!({"reference": "/etc/passwd"}), context_without_user()))
            .await,
    );
    let other = Call {
        owner: Owner("other".to_owned()),
        ..call(&touch(), json!({}), context_without_user())
    };
    approval(&run(&crib, other).await);
    let mut changed = touch();
    let Implementation::Process(process) = &mut changed.implementation else { panic!() };
    process.pieces.push(word("another"));
    approval(&run(&crib, call(&changed, json!({}), context_without_user())).await);
    assert!(!did_run(&crib));
    assert!(!run(&crib, call(&touch(), json!({}), context_without_user())).await.failed);
}

#[tokio::test]
async fn a_denial_is_final() {
    let crib = RuntimeFixture::new();
    let id = approval(&run(&crib, call(&touch(), json!({}), context_without_user())).await);
    record_decision(&crib, id.clone(), false).await;
    record_decision(&crib, id.clone(), true).await;
    assert_ne!(approval(&run(&crib, call(&touch(), json!({}), context_without_user())).await), id);
    assert!(!did_run(&crib));
}

#[tokio::test]
async fn an_approval_expires() {
    let late = Arc::new(Mutex::new(Duration::ZERO));
    let shown = Arc::clone(&late);
    let crib = RuntimeFixture::with_settings(|settings| {
        settings.clock = Clock::new(move || SystemTime::now() + *shown.lock().unwrap())
    });
    let id = approval(&run(&crib, call(&touch(), json!({}), context_without_user())).await);
    record_decision(&crib, id, true).await;
    *late.lock().unwrap() = Duration::from_secs(3601);
    approval(&run(&crib, call(&touch(), json!({}), context_without_user())).await);
    assert!(!did_run(&crib));
}

#[tokio::test]
async fn the_user_sees_the_plan_and_approves_or_denies_it() {
    let crib = RuntimeFixture::new();
    let (asked, context) = person(None);
    let interrupt = crib.runtime.call(call(&touch(), json!({}), context)).await.unwrap_err();
    assert!(matches!(interrupt, Interrupt::Ask { questions, .. } if questions[0].0 == "approval"));
    let message = asked.message.lock().unwrap().clone();
    for part in [
        "marked as dangerous",
        "runs       touch done\n",
        "in         /",
        "variables  PATH",
        "writes     /",
        "network    no",
    ] {
        assert!(message.contains(part), "{part} is not in {message}");
    }
    assert_eq!(crib.runtime.journal().open_approvals(SystemTime::now()).await.unwrap().len(), 1);
    let (_, no) = person(Some(json!({"action": "accept", "content": {"approve": false}})));
    assert_eq!(field(&run(&crib, call(&touch(), json!({}), no)).await, "error_type"), "denied");
    let (_, declined) = person(Some(json!({"action": "decline"})));
    assert_eq!(
        field(&run(&crib, call(&touch(), json!({}), declined)).await, "error_type"),
        "denied"
    );
    let (_, closed) = person(Some(json!({"action": "cancel"})));
    approval(&run(&crib, call(&touch(), json!({}), closed)).await);
    assert!(!did_run(&crib));
    let (_, yes) = person(Some(json!({"action": "accept", "content": {"approve": true}})));
    assert!(!run(&crib, call(&touch(), json!({}), yes)).await.failed);
    assert!(did_run(&crib));
}

#[tokio::test]
async fn a_model_cannot_approve_its_own_call() {
    let crib = RuntimeFixture::new();
    let mut touch = touch();
    touch.input = catalog::Schema::new(object(json!({"type": "object"})));
    for arguments in [
        json!({"approve": true}),
        json!({"approval": "ap_aaaaaaaaaaaaaaaaaaaaaaaaaa"}),
        json!({"reference": "yes"}),
    ] {
        let outcome = run(&crib, call(&touch, arguments, context_without_user())).await;
        assert!(outcome.failed && !did_run(&crib));
    }
}

#[tokio::test]
async fn an_unmarked_tool_needs_no_approval() {
    let crib = RuntimeFixture::new();
    let mut unmarked = touch();
    unmarked.annotations.dangerous = None;
    let (asked, context) = person(None);
    assert!(!run(&crib, call(&unmarked, json!({}), context)).await.failed);
    assert_eq!(asked.asked.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_policy_denial_overrides_approval() {
    let crib = RuntimeFixture::new();
    let clause = Clause {
        tools: "*".to_owned(),
        when: None,
        effect: Effect::Deny,
        until: None,
        reason: Some("never".to_owned()),
    };
    let policy = Policy::compile([clause]).unwrap();
    let (asked, context) = person(Some(json!({"action": "accept", "content": {"approve": true}})));
    let outcome = run(&crib, Call { policy, ..call(&touch(), json!({}), context) }).await;
    assert_eq!(field(&outcome, "error_type"), "denied");
    assert!(field(&outcome, "error_message").as_str().unwrap().contains("never"));
    assert!(!did_run(&crib) && asked.asked.load(Ordering::Relaxed) == 0);
}

#[tokio::test]
async fn the_shown_plan_contains_no_secrets() {
    let crib = RuntimeFixture::new();
    let mut touch = touch();
    touch.input = catalog::Schema::new(object(json!({"type": "object",
        "properties": {"reference": {"type": "string", "writeOnly": true}}})));
    let (asked, context) = person(None);
    let _ = crib.runtime.call(call(&touch, json!({"reference": "hunter2"}), context)).await;
    let message = asked.message.lock().unwrap().clone();
    assert!(message.contains("--reference") && !message.contains("hunter2"), "{message}");
    let open = crib.runtime.journal().open_approvals(SystemTime::now()).await.unwrap();
    assert!(!open[0].plan.to_string().contains("hunter2"));
}

#[tokio::test]
async fn redaction_hides_only_the_secret_argument() {
    let crib = RuntimeFixture::new();
    let pieces = vec![option("token", |_| {}), option("target", |_| {})];
    let mut release = process_tool("echo", pieces);
    release.annotations.dangerous = Some(true);
    release.input = catalog::Schema::new(object(json!({"type": "object", "properties": {
        "token": {"type": "string", "writeOnly": true}, "target": {"type": "string"}}})));
    let (asked, context) = person(None);
    let arguments = json!({"token": "production-db", "target": "production-db"});
    let _ = crib.runtime.call(call(&release, arguments, context)).await;
    let message = asked.message.lock().unwrap().clone();
    let expected = "runs       echo --token '[secret]' --target production-db\n";
    assert!(message.starts_with(expected), "{message}");
}

#[tokio::test]
async fn a_form_shows_variables_files_and_input_and_no_control_characters() {
    let crib = RuntimeFixture::new();
    let by = |pass_by: PassBy| move |binding: &mut Binding| binding.pass_by = pass_by;
    let pieces = vec![
        option("mode", by(PassBy::Env("MODE".to_owned()))),
        option("script", by(PassBy::File)),
        option("text", by(PassBy::Stdin)),
        option("word", |_| {}),
    ];
    let mut deploy = process_tool("echo", pieces);
    deploy.annotations.dangerous = Some(true);
    let (asked, context) = person(None);
    let arguments = json!({"mode": "PRODUCTION", "script": "rm -r x", "text": "yes please",
        "word": "\u{1b}[2K\u{1b}[1Aruns echo hello\nnetwork no"});
    let _ = crib.runtime.call(call(&deploy, arguments, context)).await;
    let message = asked.message.lock().unwrap().clone();
    for part in [
        "runs       echo --script '$TMPDIR/argument-1' --word $'\\x1b[2K\\x1b[1Aruns echo hello\\nnetwork no'\n\n",
        "\nsets       MODE=PRODUCTION\n",
        "\nfile       $TMPDIR/argument-1\n           rm -r x\n",
        "\ninput      yes please\n",
    ] {
        assert!(message.contains(part), "{part} is not in {message}");
    }
    assert!(!message.contains('\u{1b}'), "{message}");
}

#[tokio::test]
async fn a_sequence_with_a_dangerous_step_needs_one_approval_upfront() {
    let crib = RuntimeFixture::new();
    let step = |tool: &str| Step {
        tool: tool.to_owned(),
        arguments: json!({}),
        description: None,
        skip_if_exists: None,
        skip_if_missing: None,
    };
    let harmless =
        Tool { name: "harmless".to_owned(), ..process_tool("touch", vec![word("early")]) };
    let steps = vec![step("harmless"), step("tool"), step("tool")];
    let all = Tool {
        name: "all".to_owned(),
        implementation: Implementation::Sequence(Sequence { steps, delay_ms: 0 }),
        ..process_tool("true", vec![])
    };
    let catalog = Arc::new(Catalog::merge([harmless, touch()]).0);
    let the_call =
        |context| Call { catalog: Arc::clone(&catalog), ..call(&all, json!({}), context) };
    let refused = run(&crib, the_call(context_without_user())).await;
    let id = approval(&refused);
    assert_eq!(field(&refused, "error_details")["plan"]["steps"].as_array().unwrap().len(), 3);
    assert!(!crib.path("crib/early").exists() && !did_run(&crib), "no step ran");
    record_decision(&crib, id, true).await;
    let outcome = run(&crib, the_call(context_without_user())).await;
    assert!(!outcome.failed, "{outcome:?}");
    assert!(crib.path("crib/early").exists() && did_run(&crib));
}

#[tokio::test]
async fn an_operation_does_not_start_without_approval() {
    let crib = RuntimeFixture::new();
    let touch = Tool { mode: catalog::Mode::Asynchronous, ..touch() };
    let id = approval(&run(&crib, call(&touch, json!({}), context_without_user())).await);
    assert!(
        crib.runtime
            .operations()
            .list(Filter::default(), None, 10)
            .await
            .unwrap()
            .operations
            .is_empty()
    );
    record_decision(&crib, id, true).await;
    assert!(!run(&crib, call(&touch, json!({}), context_without_user())).await.failed);
    assert!(did_run(&crib));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_calls_do_not_share_an_approval() {
    let crib = RuntimeFixture::new();
    let id = approval(&run(&crib, call(&touch(), json!({}), context_without_user())).await);
    record_decision(&crib, id, true).await;
    let calls = (0..8).map(|_| {
        let (runtime, call) =
            (Arc::clone(&crib.runtime), call(&touch(), json!({}), context_without_user()));
        tokio::spawn(async move { runtime.call(call).await.unwrap().failed })
    });
    let mut ran = 0;
    for call in calls.collect::<Vec<_>>() {
        ran += usize::from(!call.await.unwrap());
    }
    assert_eq!(ran, 1);
}

#[tokio::test]
async fn a_secret_that_no_placeholder_can_stand_for_does_not_hide_other_arguments() {
    let crib = RuntimeFixture::new();
    std::fs::create_dir(crib.path("crib/hunter2")).unwrap();
    let folder = option("place", |binding| binding.pass_by = PassBy::Folder);
    let mut release = process_tool("echo", vec![folder, option("target", |_| {})]);
    release.annotations.dangerous = Some(true);
    release.input = catalog::Schema::new(object(json!({"type": "object", "properties": {
        "place": {"type": "string", "writeOnly": true}, "target": {"type": "string"}}})));
    let (asked, context) = person(None);
    let arguments = json!({"place": "hunter2", "target": "production-db"});
    let _ = crib.runtime.call(call(&release, arguments, context)).await;
    let message = asked.message.lock().unwrap().clone();
    assert!(message.contains("production-db") && !message.contains("hunter2"), "{message}");
}
