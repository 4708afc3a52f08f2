//! Which sessions share a process, and how long it lives.

use std::time::Duration;

use runtime::{Session, with_session_argument};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::python_fixture::{PythonFixture, function};
use testing::{is_process_running, skip_without, wait_until};

const CODE: &str = "
import os, pathlib, time
KEPT = []
def keep(what=None):
    KEPT.append(what)
    return KEPT
def pid(): return os.getpid()
def meet(mine, theirs):
    pathlib.Path(mine).touch()
    while not pathlib.Path(theirs).exists(): time.sleep(0.01)
    return True
";

#[tokio::test]
async fn a_session_has_its_own_process_and_state() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let pid = fixture.pid().await;
    fixture.call(function("keep"), json!({"what": "a"})).await;
    let kept = fixture.call(function("keep"), json!({"what": "b"})).await;
    assert_eq!((kept.structured, fixture.pid().await), (Some(json!(["a", "b"])), pid));
    let other = Session::default();
    let kept = fixture
        .call_in(&other, function("keep"), json!({"what": "c"}), CancellationToken::new(), None)
        .await;
    assert_eq!(kept.structured, Some(json!(["c"])));
}

#[tokio::test]
async fn a_dangerous_function_cannot_be_replaced_by_an_earlier_call() {
    skip_without!("python3");
    let bench = PythonFixture::new(
        "import sys
def deploy(target): return 'deployed ' + target
def replace():
    sys.modules['bench'].deploy = lambda target: 'EVIL instead of ' + target
    return True
",
    );
    let mut deploy = function("deploy");
    deploy.annotations.dangerous = Some(true);
    bench.run("replace").await;
    let outcome = bench.call(deploy, json!({"target": "staging"})).await;
    assert_eq!(outcome.structured, Some(json!("deployed staging")), "{outcome:?}");
}

#[tokio::test]
async fn sessions_run_concurrently() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let (one, other) = (Session::default(), Session::default());
    let call = |session: &Session, mine: &str, theirs: &str| {
        let arguments = json!({"mine": mine, "theirs": theirs});
        fixture.call_in(
            session,
            function("meet"),
            arguments,
            CancellationToken::new(),
            Some(Duration::from_secs(20)),
        )
    };
    let (one, other) = tokio::join!(call(&one, "a", "b"), call(&other, "b", "a"));
    assert_eq!((one.structured, other.structured), (Some(json!(true)), Some(json!(true))));
}

#[tokio::test]
async fn a_process_exits_with_its_session_or_when_idle() {
    skip_without!("python3");
    let mut fixture =
        PythonFixture::with(CODE, |settings| settings.worker_idle = Duration::from_millis(200));
    let pid = fixture.pid().await;
    wait_until("it has gone by itself", || !is_process_running(&pid)).await;
    let pid = fixture.pid().await;
    fixture.session = Session::default();
    wait_until("it has gone with its session", || !is_process_running(&pid)).await;
}

#[tokio::test]
async fn a_handle_identifies_a_session_without_a_connection() {
    skip_without!("python3");
    let fixture = PythonFixture::new(CODE);
    let tool = with_session_argument(&function("keep")).expect("an argument for it");
    let keep = async |session: &str, what: &str| {
        let arguments = json!({"session": session, "what": what});
        let outcome = fixture
            .call_in(&Session::default(), tool.clone(), arguments, CancellationToken::new(), None)
            .await;
        outcome.structured.expect("a value")
    };
    assert_eq!(keep("mine", "a").await, json!(["a"]));
    assert_eq!(keep("mine", "b").await, json!(["a", "b"]));
    assert_eq!(keep("yours", "c").await, json!(["c"]));
}
