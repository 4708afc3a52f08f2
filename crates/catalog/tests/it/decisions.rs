//! Decisions from annotations and clauses, and their precedence.

use std::time::Duration;

use catalog::{
    Decision, Implementation, Policy, Tool,
    implementation::{Binding, Items, PassBy, Piece, Process},
    policy::{ClauseKey, Effect},
};
use serde_json::{Map, Value, json};

use crate::policy_fixture::{arguments, clause, decision_name, now, policy, reason, tool};

fn decide_by_annotations(change: impl FnOnce(&mut Tool)) -> Decision {
    let mut tool = tool("rm", json!({}));
    change(&mut tool);
    Policy::default().decide(&tool, &arguments(json!({})), now())
}

#[test]
fn asks_about_marked_tools() {
    assert_eq!(
        reason(decide_by_annotations(|tool| tool.annotations.dangerous = Some(true))),
        "it is marked as dangerous"
    );
    assert_eq!(
        reason(decide_by_annotations(|tool| tool.annotations.requires_approval = Some(true))),
        "it is marked as requiring approval"
    );
    let script = Process { program: "sh".into(), pieces: vec![Piece::Word("-c".into())] };
    let run_script =
        |tool: &mut Tool| tool.implementation = Implementation::Process(script.clone());
    assert_eq!(reason(decide_by_annotations(run_script)), "it runs a shell script");
    let run_marked = |tool: &mut Tool| {
        run_script(tool);
        tool.annotations.dangerous = Some(true);
    };
    assert_eq!(
        reason(decide_by_annotations(run_marked)),
        "it runs a shell script",
        "the more specific reason comes first"
    );
    let with_word = tool("create", json!({"confirm": {"type": "string", "const": "CREATE"}}));
    let decision =
        Policy::default().decide(&with_word, &arguments(json!({"confirm": "CREATE"})), now());
    assert_eq!(reason(decision), "it requires explicit consent");
}

#[test]
fn asks_about_code_in_arguments() {
    let pieces = ["5", "python3", "-c"].map(|word| Piece::Word(word.into())).into();
    let process = Process { program: "timeout".into(), pieces };
    let decision =
        decide_by_annotations(|tool| tool.implementation = Implementation::Process(process));
    assert_eq!(reason(decision), "it runs code from its arguments with `python3`");
}

/// Variables that make programs run code, start other programs or trust other files.
const RISKY_VARIABLES: &str = "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT PATH IFS ENV BASH_ENV PS4 PROMPT_COMMAND SHELLOPTS \
    CDPATH HOME SHELL EDITOR VISUAL PAGER MANPAGER LESS LESSOPEN LESSEDIT BROWSER GCONV_PATH LOCPATH TERMINFO \
    TERMCAP NLSPATH PYTHONPATH PYTHONSTARTUP PYTHONWARNINGS PYTHONINSPECT NODE_OPTIONS NODE_PATH PERL5LIB PERL5OPT \
    PERL5DB RUBYOPT RUBYLIB GEM_PATH BUNDLE_GEMFILE GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR \
    GIT_CONFIG_COUNT GIT_EXEC_PATH GIT_ASKPASS GIT_DIR JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH MAVEN_OPTS \
    R_PROFILE R_PROFILE_USER R_ENVIRON R_LIBS RUSTC_WRAPPER RUSTFLAGS CARGO_HOME CARGO_BUILD_RUSTC MAKEFLAGS GNUMAKEFLAGS \
    CC CFLAGS TAR_OPTIONS GREP_OPTIONS RSYNC_RSH npm_config_script_shell PIP_INDEX_URL PIP_CONFIG_FILE \
    DOTNET_STARTUP_HOOKS GOFLAGS GOROOT LUA_INIT PHPRC PSQL_PAGER OPENSSL_CONF SSH_ASKPASS SUDO_ASKPASS \
    https_proxy MALLOC_CONF";

#[test]
fn asks_about_variables_that_the_definition_does_not_list() {
    let variables = Binding { pass_by: PassBy::Variables, ..Binding::positional("env_vars") };
    let process = Process { program: "tar".into(), pieces: vec![Piece::Parameter(variables)] };
    let listed =
        json!({"env_vars": {"type": "object", "properties": {"TAR_READER": {"type": "string"}}}});
    let mut tar = tool("tar", listed);
    tar.implementation = Implementation::Process(process);
    let decide = |name: &str| {
        let arguments = arguments(json!({"env_vars": {name: "x"}}));
        Policy::default().decide(&tar, &arguments, now())
    };
    for name in ["LANG", "LC_ALL", "TZ", "NO_COLOR", "TERM", "TAR_READER"] {
        assert_eq!(decide(name), Decision::Allow, "{name}");
    }
    for name in RISKY_VARIABLES.split_ascii_whitespace().chain(["lang", "LCX", "LANG_X", "TERMX"]) {
        let expected = format!(
            "it sets the environment variable `{name}`, which its definition does not list"
        );
        assert_eq!(reason(decide(name)), expected);
    }
    for (name, value) in [
        ("LANGUAGE", "../../shop/x"),
        ("LANGUAGE", "de:../x"),
        ("TZ", "/shop/x"),
        ("TZ", ":/shop/x"),
    ] {
        let arguments = arguments(json!({"env_vars": {name: value}}));
        let decision = Policy::default().decide(&tar, &arguments, now());
        assert!(reason(decision).contains(name), "{name}={value}");
    }
    for (name, value) in [("TZ", "Europe/Berlin"), ("LANGUAGE", "de:en"), ("LC_ALL", "C.UTF-8")] {
        let arguments = arguments(json!({"env_vars": {name: value}}));
        assert_eq!(Policy::default().decide(&tar, &arguments, now()), Decision::Allow, "{value}");
    }
    let allow = policy([clause("*", "", Effect::Allow)]);
    let arguments = arguments(json!({"env_vars": {"TAR_OPTIONS": "x"}}));
    assert_eq!(allow.decide(&tar, &arguments, now()), Decision::Allow, "the operator decides");
}

#[test]
fn asks_about_variables_of_make() {
    let targets = || vec![Piece::Parameter(Binding::positional("targets"))];
    let behind = [Piece::Word("10".into()), Piece::Word("/usr/bin/make".into())];
    let processes = [
        Process { program: "make".into(), pieces: targets() },
        Process { program: "timeout".into(), pieces: [behind.to_vec(), targets()].concat() },
    ];
    for process in processes {
        let mut make = tool("make", json!({"targets": {"type": "array"}}));
        make.implementation = Implementation::Process(process);
        let decide = |targets: Value| {
            let arguments = arguments(json!({"targets": targets}));
            Policy::default().decide(&make, &arguments, now())
        };
        assert_eq!(decide(json!(["all", "test"])), Decision::Allow);
        let expected =
            "it sets the variable `SHELL` of `make`, which can make it run other programs";
        assert_eq!(reason(decide(json!(["all", "SHELL=./x"]))), expected);
        assert_eq!(reason(decide(json!("SHELL=./x"))), expected);
    }
}

#[test]
fn asks_about_members_that_become_variables_of_make() {
    let items = Items::Pairs { separator: "=".into(), join: None };
    let variables = Binding { items, ..Binding::positional("variables") };
    let process = Process { program: "make".into(), pieces: vec![Piece::Parameter(variables)] };
    let listed =
        json!({"variables": {"type": "object", "properties": {"DEBUG": {"type": "string"}}}});
    let mut make = tool("make", listed);
    make.implementation = Implementation::Process(process);
    let decide = |name: &str| {
        let arguments = arguments(json!({"variables": {name: "1"}}));
        Policy::default().decide(&make, &arguments, now())
    };
    assert_eq!(decide("DEBUG"), Decision::Allow);
    assert!(reason(decide("SHELL")).contains("`SHELL` of `make`"));
}

#[test]
fn allows_unmarked_tools() {
    assert_eq!(decide_by_annotations(|_| {}), Decision::Allow);
    assert_eq!(
        decide_by_annotations(|tool| tool.annotations.mutates = Some(true)),
        Decision::Allow
    );
    assert_eq!(
        decide_by_annotations(|tool| tool.annotations.network = Some(true.into())),
        Decision::Allow
    );
    assert_eq!(
        decide_by_annotations(|tool| tool.annotations.dangerous = Some(false)),
        Decision::Allow
    );
}

#[test]
fn the_strongest_matching_clause_wins_in_any_order() {
    use Effect::{Allow, Ask, Deny};
    let table: [(&[Effect], &str); 7] = [
        (&[], "ask"),
        (&[Allow], "allow"),
        (&[Ask], "ask"),
        (&[Deny], "deny"),
        (&[Allow, Ask], "ask"),
        (&[Allow, Deny, Ask], "deny"),
        (&[Deny, Allow], "deny"),
    ];
    let mut push = tool("git_push", json!({}));
    push.annotations.dangerous = Some(true);
    for (effects, expected) in table {
        for effects in [effects.to_vec(), effects.iter().rev().copied().collect()] {
            let policy = policy(effects.iter().map(|effect| clause("git_*", "true", *effect)));
            assert_eq!(
                decision_name(&policy.decide(&push, &arguments(json!({})), now())),
                expected,
                "{effects:?}"
            );
        }
    }
}

#[test]
fn a_clause_for_other_tools_changes_nothing() {
    let policy = policy([clause("hg_*", "", Effect::Deny), clause("git_*", "false", Effect::Deny)]);
    assert_eq!(
        policy.decide(&tool("git_push", json!({})), &arguments(json!({})), now()),
        Decision::Allow
    );
}

#[test]
fn a_failing_condition_matches_for_ask_and_deny_but_not_for_allow() {
    let failing = [
        "args.missing == true",
        "args.text > 1",
        "args.text",
        "1 / args.zero == 1",
        "args.list[7] == 1",
    ];
    let tool = tool("git_push", json!({}));
    let given = arguments(json!({"text": "abc", "zero": 0, "list": [1]}));
    for when in failing {
        for (effect, expected) in
            [(Effect::Ask, "ask"), (Effect::Deny, "deny"), (Effect::Allow, "ask")]
        {
            let mut tool = tool.clone();
            tool.annotations.dangerous = Some(true);
            let decision = policy([clause("*", when, effect)]).decide(&tool, &given, now());
            assert_eq!(decision_name(&decision), expected, "{when} to {effect}");
        }
    }
    let decision =
        policy([clause("*", "args.missing == true", Effect::Deny)]).decide(&tool, &given, now());
    assert_eq!(
        reason(decision),
        "the policy for `*` is to deny when `args.missing == true`; \
         the condition could not be evaluated: there is no `missing`"
    );
}

#[test]
fn a_condition_that_is_too_expensive_fails_at_once() {
    let when = "args.l.all(a, args.l.all(b, args.l.all(c, a + b + c >= 0)))";
    let policy = policy([clause("*", when, Effect::Ask)]);
    let few = arguments(json!({"l": [1, 2, 3]}));
    let many = arguments(json!({"l": (0..3_000).collect::<Vec<_>>()}));
    let start = std::time::Instant::now();
    let decision = policy.decide(&tool("t", json!({})), &many, now());
    assert!(reason(decision).ends_with("it is too expensive for these arguments"));
    assert!(start.elapsed() < Duration::from_secs(2), "evaluation was not aborted");
    assert!(!reason(policy.decide(&tool("t", json!({})), &few, now())).contains("expensive"));
}

#[test]
fn deeply_nested_arguments_do_not_overflow_the_stack() {
    let deep = (0..100_000).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    let given: Map<_, _> = [("deep".to_owned(), deep)].into_iter().collect();
    let decision = policy([clause("*", "args.deep == 1", Effect::Ask)]).decide(
        &tool("t", json!({})),
        &given,
        now(),
    );
    assert!(reason(decision).ends_with("it is too expensive for these arguments"));
    // Dropping this value would recurse until the stack overflows.
    std::mem::forget(given);
}

#[test]
fn an_expired_clause_does_not_match() {
    let mut denied = clause("*", "", Effect::Deny);
    denied.until = Some(now());
    let policy = policy([denied]);
    let (tool, none) = (tool("t", json!({})), arguments(json!({})));
    assert_eq!(policy.decide(&tool, &none, now()), Decision::Allow);
    assert_eq!(decision_name(&policy.decide(&tool, &none, now() - Duration::from_secs(1))), "deny");
}

#[test]
fn a_clause_can_give_its_own_reason() {
    let mut asked = clause("deploy", "", Effect::Ask);
    asked.reason = Some("production is frozen".to_owned());
    let decision = policy([asked]).decide(&tool("deploy", json!({})), &arguments(json!({})), now());
    assert_eq!(decision, Decision::Ask { reason: "production is frozen".to_owned() });
}

#[test]
fn reasons_contain_no_argument_values() {
    let given = arguments(json!({"token": "hunter2", "list": ["hunter2"], "map": {"hunter2": 1}}));
    let conditions = [
        "args.token > 1",
        "args.token",
        "args.list[9]",
        "args.token + 1 == 2",
        "args.list.x",
        "-args.token == 1",
    ];
    for when in conditions {
        let decision =
            policy([clause("*", when, Effect::Ask)]).decide(&tool("t", json!({})), &given, now());
        assert!(!reason(decision).contains("hunter2"), "{when}");
    }
}

#[test]
fn reports_every_broken_clause_with_its_key() {
    let clauses = [
        clause("git_[a-z]", "args.force ==", Effect::Ask),
        clause("*", "true", Effect::Ask),
        clause("", "", Effect::Ask),
    ];
    let problems = Policy::compile(clauses).expect_err("three problems");
    let places: Vec<_> = problems.iter().map(|problem| (problem.clause, problem.key)).collect();
    assert_eq!(places, [(0, ClauseKey::Tools), (0, ClauseKey::When), (2, ClauseKey::Tools)]);
}
