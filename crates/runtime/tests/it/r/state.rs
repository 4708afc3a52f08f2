//! `.state_env`: what a function keeps between calls.

use std::{collections::BTreeMap, sync::Mutex};

use serde_json::{Value, json};
use toolkit::{Storage, StorageFuture};

use super::r_fixture::{NUMBER, RFixture, function};
use testing::{field, skip_without, text};

pub(super) const COUNTER: &str = "
  count <- function(.state_env = NULL) {
    n <- .state_env$get('n', missing = 0) + 1
    .state_env$set('n', n)
    n
  }
  crash <- function(.state_env = NULL) tools::pskill(Sys.getpid(), 9)
  pid <- function() Sys.getpid()
";

#[tokio::test]
async fn state_has_every_documented_method() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function(.state_env = NULL) {
           s <- .state_env
           stopifnot(is.null(s$get('a')), identical(s$get('a', 'none'), 'none'), identical(s$get('a', missing = 3L), 3L))
           stopifnot(!s$has('a'), s$size() == 0, length(s$keys()) == 0, identical(s$as_list(), structure(list(), names = character())))
           s$set('a', 1L); s$set('b', list('x', NULL)); s$set('c', NULL)
           stopifnot(s$has('a'), s$has('c'), !s$has('d'), s$size() == 3, identical(s$keys(), c('a', 'b', 'c')))
           stopifnot(identical(s$get('b'), list('x', NULL)), identical(s$as_list()$a, 1L))
           s$remove('a'); stopifnot(!s$has('a'), s$size() == 2)
           s$remove(c('b', 'c', 'none')); stopifnot(s$size() == 0)
           s$set('x', 1); s$reset(); stopifnot(s$size() == 0)
           s$set('x', 1); s$clear(); stopifnot(s$size() == 0)
           is.environment(s)
         }
         bad <- function(.state_env) .state_env$set(c('a', 'b'), 1)
         without <- function(x = 5) x",
    );
    assert_eq!(text(&fixture.run("f").await, 0), "[1] TRUE\n");
    assert!(text(&fixture.run("bad").await, 0).contains("one key"), "a wrong key is an error");
    assert_eq!(text(&fixture.run("without").await, 0), "[1] 5\n");
    let outcome = fixture.call(function("f", &[("x", NUMBER)]), json!({".state_env": 1})).await;
    assert_eq!(field(&outcome, "error_type"), "invalid_arguments", "callers cannot pass it");
}

#[tokio::test]
async fn state_survives_a_crash() {
    skip_without!("R");
    let fixture = RFixture::new(COUNTER);
    assert_eq!(text(&fixture.run("count").await, 0), "[1] 1\n");
    assert_eq!(text(&fixture.run("count").await, 0), "[1] 2\n");
    let pid = fixture.pid().await;
    assert_eq!(field(&fixture.run("crash").await, "error_type"), "r_ended");
    assert_eq!(text(&fixture.run("count").await, 0), "[1] 3\n");
    assert_ne!(fixture.pid().await, pid);
}

#[tokio::test]
async fn reports_state_that_is_too_large_to_copy_and_its_loss() {
    skip_without!("R");
    let fixture = RFixture::new(
        "fill <- function(.state_env) { .state_env$set('x', numeric(4e6)); 1 }
         size <- function(.state_env) .state_env$size()
         crash <- function() tools::pskill(Sys.getpid(), 9)",
    );
    let outcome = fixture.run("fill").await;
    assert!(
        field(&outcome, "notes")[0].as_str().unwrap().contains("it takes about 32 MB"),
        "{outcome:?}"
    );
    assert_eq!(text(&fixture.run("size").await, 0), "[1] 1\n");
    fixture.run("crash").await;
    let outcome = fixture.run("size").await;
    assert_eq!(text(&outcome, 0), "[1] 0\n");
    assert!(field(&outcome, "notes")[0].as_str().unwrap().contains("was lost"), "{outcome:?}");
    assert_eq!(fixture.run("size").await.content.len(), 1, "it is reported once");
}

#[tokio::test]
async fn reports_state_that_only_another_worker_holds() {
    skip_without!("R");
    let fixture = RFixture::new(
        "fill <- function(.state_env) { .state_env$set('x', numeric(4e6)); 1 }
         size <- function(.state_env) .state_env$size()
         crash <- function() tools::pskill(Sys.getpid(), 9)",
    );
    let mut reads = function("size", &[]);
    reads.annotations.mutates = Some(false);
    fixture.run("fill").await;
    for _ in 0..2 {
        let outcome = fixture.call(reads.clone(), json!({})).await;
        assert_eq!(text(&outcome, 0), "[1] 0\n");
        assert!(
            field(&outcome, "notes")[0].as_str().unwrap().contains("has none of it"),
            "{outcome:?}"
        );
    }
    assert_eq!(text(&fixture.run("size").await, 0), "[1] 1\n");
    fixture.run("crash").await;
    let outcome = fixture.call(reads, json!({})).await;
    assert!(field(&outcome, "notes")[0].as_str().unwrap().contains("was lost"), "{outcome:?}");
}

#[tokio::test]
async fn keeps_state_that_is_changed_in_place() {
    skip_without!("R");
    let fixture = RFixture::new(
        "make <- function(.state_env) { .state_env$set('e', new.env()); .state_env$set('l', list(list(e = new.env()))); 1 }
         fill <- function(.state_env) { assign('x', 7, envir = .state_env$get('e')); 1 }
         fill_inside <- function(.state_env) { assign('x', 8, envir = .state_env$get('l')[[1]]$e); 1 }
         fill_all <- function(.state_env) { assign('y', 9, envir = .state_env$as_list()$e); 1 }
         look <- function(.state_env) c(.state_env$get('e')$x, .state_env$get('e')$y, .state_env$get('l')[[1]]$e$x)
         crash <- function() tools::pskill(Sys.getpid(), 9)",
    );
    fixture.run("make").await;
    for name in ["fill", "fill_inside", "fill_all"] {
        fixture.run(name).await;
        fixture.run("crash").await;
    }
    assert_eq!(text(&fixture.run("look").await, 0), "[1] 7 9 8\n");
}

#[tokio::test]
async fn functions_in_the_state_find_their_package_again() {
    skip_without!("R");
    let fixture = RFixture::new(
        "helper <- function() 41
         make <- function(.state_env) { .state_env$set('f', function(x) x + helper()); 1 }
         use <- function(.state_env) .state_env$get('f')(1)
         crash <- function() tools::pskill(Sys.getpid(), 9)",
    );
    fixture.run("make").await;
    fixture.run("crash").await;
    assert!(
        text(&fixture.run("gone").await, 0).contains("has no function `gone`"),
        "which must not lose the state"
    );
    assert_eq!(text(&fixture.run("use").await, 0), "[1] 42\n");
}

/// Values in memory that outlive the runtime.
#[derive(Default)]
pub(super) struct ToolStorage(pub(super) Mutex<BTreeMap<(String, String), Value>>);

impl Storage for ToolStorage {
    fn get(&self, space: &str, key: &str) -> StorageFuture<'_, Option<Value>> {
        let found = self.0.lock().unwrap().get(&(space.to_owned(), key.to_owned())).cloned();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn all(&self, space: &str) -> StorageFuture<'_, BTreeMap<String, Value>> {
        let all = self
            .0
            .lock()
            .unwrap()
            .iter()
            .filter(|((own, _), _)| own == space)
            .map(|((_, key), value)| (key.clone(), value.clone()))
            .collect();
        Box::pin(std::future::ready(Ok(all)))
    }

    fn set(
        &self,
        space: &str,
        key: &str,
        value: Option<Value>,
    ) -> StorageFuture<'_, Option<Value>> {
        let key = (space.to_owned(), key.to_owned());
        let mut all = self.0.lock().unwrap();
        let before = match value {
            Some(value) => all.insert(key, value),
            None => all.remove(&key),
        };
        Box::pin(std::future::ready(Ok(before)))
    }
}
