//! What `build` makes of examples: their code, their output and how long they take.

use std::{
    fs,
    net::TcpListener,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::Value;
use testing::{TempCrib, skip_without};

use crate::build::{TOOL, codes, files, package, yaml};

#[test]
fn runs_examples_and_records_their_output() {
    skip_without!("Rscript");
    let crib = package(&TOOL.replace(
        "#' z\n",
        "#' z\n#' list(a = \"\u{e9}\", n = 2L)\n#' message(\"said\")\n#' \\dontrun{stop(\"no\")}\n",
    ));
    let built = crib.run(&["build", "."]);
    assert_eq!(built.code, 0, "{}", built.stdout);
    let text = yaml(&crib, "demo-add");
    let lines: Vec<_> =
        text.lines().skip_while(|line| !line.starts_with("implementation_example")).collect();
    insta::assert_snapshot!(lines[..lines.len() - 1].join("\n"), @r#"
    implementation_example: |
      z <- demo::add(1, 2)
      z
      list(a = "é", n = 2L)
      message("said")
      stop("no")
      #
      #> [1] 3
      #> $a
      #> [1] "é"
      #>
      #> $n
      #> [1] 2
      #>
      #> said
    "#);
    assert!(lines[lines.len() - 1].starts_with("execution_time: 0."), "{text}");
}

#[test]
fn records_stderr_of_examples() {
    skip_without!("Rscript");
    let code = "#' try(log(\"a\"))\n#' write(\"aside\", stderr())\n#' system(\"printf one; printf two >&2\")\n#' z\n";
    let crib = package(&TOOL.replace("#' z\n", code));
    assert_eq!(crib.run(&["build", "."]).code, 0);
    let text = yaml(&crib, "demo-add");
    assert!(
        text.contains("non-numeric argument to mathematical function\n  #> aside\n  #> one[1] 3\n"),
        "{text}"
    );
    assert!(
        text.contains("  #> two\nexecution_time: "),
        "what programs say there comes last: {text}"
    );
}

#[test]
fn examples_may_attach_their_own_package_and_others() {
    skip_without!("Rscript");
    let code = "library(demo)\n#' stopifnot(require(\"demo\"))\n#' library(stats4)\n#' c(add(1, 2), is.function(mle))\n#' \
                suppressWarnings(require(not.there))";
    let crib = package(&TOOL.replace("z <- demo::add(1, 2)\n#' z", code));
    let built = crib.run(&["build", ".", "--format", "json"]);
    assert_eq!(codes(&built.json()), Vec::<&str>::new(), "{}", built.stdout);
    let text = yaml(&crib, "demo-add");
    assert!(text.contains("#> [1] 3 1\n"), "{text}");
}

#[test]
fn output_is_the_same_in_every_locale() {
    skip_without!("Rscript");
    let code = "#' T\n#' @examples\n#' f()\n#' sort(c(\"b\", \"A\", \"a\"))\n#' as.POSIXct(0, origin = \"1970-01-01\")\n#' @keywords mcp-tool\n\
                f <- function() \"Zoë\"\n";
    for (locale, zone) in
        [(None, "Asia/Tokyo"), (Some("C"), "UTC"), (Some("en_US.UTF-8"), "Europe/Zurich")]
    {
        let crib = package(code);
        let mut build = crib.command(&["build", "."]);
        ["LANG", "LC_ALL", "LC_CTYPE"].iter().for_each(|name| {
            build.env_remove(name);
        });
        build.env("TZ", zone).envs(locale.map(|locale| ("LC_ALL", locale)));
        assert!(build.output().expect("the program runs").status.success());
        let text = yaml(&crib, "demo-f");
        let output: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("  #> ")).collect();
        assert_eq!(
            output,
            [r#"[1] "Zoë""#, r#"[1] "A" "a" "b""#, r#"[1] "1970-01-01 UTC""#],
            "{locale:?} {text}"
        );
    }
}

/// A program that stands in for R and always fails.
fn broken_r(crib: &TempCrib) -> String {
    use std::os::unix::fs::PermissionsExt;
    crib.write("bin/Rscript", "#!/bin/sh\nexit 9\n");
    let path = crib.root().join("bin/Rscript");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    format!("{}:/usr/bin:/bin", crib.root().join("bin").display())
}

#[test]
fn runs_an_example_again_only_after_a_change() {
    skip_without!("Rscript");
    let crib = package(TOOL);
    crib.run(&["build", "."]);
    let first = yaml(&crib, "demo-add");
    assert!(first.contains("#> [1] 3"), "{first}");
    let path = broken_r(&crib);
    let again = |crib: &TempCrib| {
        let output = crib
            .command(&["build", ".", "--format", "json"])
            .env("PATH", &path)
            .output()
            .expect("the program runs");
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    assert_eq!(codes(&again(&crib)), Vec::<&str>::new(), "what was run is remembered");
    assert_eq!(yaml(&crib, "demo-add"), first);
    crib.write("R/a.R", &TOOL.replace("x + y", "x - y"));
    assert_eq!(codes(&again(&crib)), ["TC632"], "a different function has a different result");
    crib.run(&["build", "."]);
    assert!(yaml(&crib, "demo-add").contains("#> [1] -1"));
}

#[test]
fn runs_an_example_again_only_if_its_data_changes() {
    skip_without!("Rscript");
    let crib = package(
        "#' T\n#' @examples\n#' f()\n#' @keywords mcp-tool\nf <- function() c(inner, readLines(system.file(\"a.txt\", package = \"demo\")))\n",
    );
    let save = |value: &str| {
        let path = crib.root().join("R/sysdata.rda");
        let code = format!(
            "inner <- \"{value}\"; save(inner, file = \"{}\", version = 2)",
            path.display()
        );
        assert!(Command::new("Rscript").args(["-e", &code]).status().expect("R").success());
    };
    let output = || {
        crib.run(&["build", "."]);
        yaml(&crib, "demo-f")
            .lines()
            .find_map(|line| line.strip_prefix("  #> ").map(str::to_owned))
            .unwrap_or_default()
    };
    save("one");
    crib.write("inst/a.txt", "first\n");
    assert_eq!(output(), r#"[1] "one"   "first""#);
    save("two");
    assert_eq!(output(), r#"[1] "two"   "first""#);
    crib.write("inst/a.txt", "other\n");
    assert_eq!(output(), r#"[1] "two"   "other""#);
    crib.write("inst/a.txt", "other\n");
    let path = broken_r(&crib);
    let again = crib
        .command(&["build", ".", "--format", "json"])
        .env("PATH", &path)
        .output()
        .expect("the program runs");
    assert_eq!(
        codes(&serde_json::from_slice(&again.stdout).expect("JSON")),
        Vec::<&str>::new(),
        "only the file's time is new"
    );
}

/// Writes another time to the file of a tool, as if its example had taken so long.
fn set_time(crib: &TempCrib, tool: &str, seconds: &str) -> String {
    let other = |line: &str| match line.starts_with("execution_time: ") {
        true => format!("execution_time: {seconds}\n"),
        false => format!("{line}\n"),
    };
    let text: String = yaml(crib, tool).lines().map(other).collect();
    crib.write(&format!("inst/mcp/tools/{tool}.yaml"), &text);
    text
}

#[test]
fn keeps_the_execution_time_of_an_example() {
    skip_without!("Rscript");
    let crib = package(TOOL);
    crib.run(&["build", "."]);
    let first = set_time(&crib, "demo-add", "7.5");
    assert_eq!(crib.run(&["build", "."]).code, 0);
    assert_eq!(yaml(&crib, "demo-add"), first, "the time in the file counts");
    crib.write("R/a.R", &TOOL.replace("x + y", "y - x"));
    assert_eq!(crib.run(&["build", "."]).code, 0);
    let second = yaml(&crib, "demo-add");
    assert!(second.contains("#> [1] 1\nexecution_time: 7.5"), "{second}");
    assert_eq!(crib.run(&["build", ".", "--no-examples"]).code, 0);
    let alone = yaml(&crib, "demo-add");
    assert!(!alone.contains("#>") && alone.contains("\nexecution_time: 7.5\n"), "{alone}");
    set_time(&crib, "demo-add", "12.5");
    assert_eq!(crib.run(&["build", ".", "--check"]).code, 0, "timings are not compared");
    assert_eq!(crib.run(&["build", "."]).code, 0);
    let quick = yaml(&crib, "demo-add");
    assert!(quick.contains("\nexecution_time: 0."), "the tool would be asynchronous: {quick}");
}

#[test]
fn an_edited_comment_rewrites_one_file() {
    skip_without!("Rscript");
    let other = tool("draw", "cat(sample(1e9, 1), format(Sys.time(), \"%OS6\"))");
    let crib = package(&format!("{TOOL}{other}"));
    assert_eq!(crib.run(&["build", "."]).code, 0);
    let before = files(&crib);
    crib.write("R/a.R", &format!("{}{other}", TOOL.replace("the numbers", "two numbers")));
    let built = crib.run(&["build", "."]);
    assert!(built.stderr.contains("wrote 1 file\n"), "{}", built.stderr);
    let changed: Vec<_> = files(&crib).into_iter().filter(|file| !before.contains(file)).collect();
    assert_eq!(
        changed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["demo-add.yaml"]
    );
}

#[test]
fn a_missing_package_is_named_once_and_loses_no_output() {
    skip_without!("Rscript");
    let code = [
        tool("one", "nopackage1::f()\n#' library(nopackage2)"),
        tool("two", "library(nopackage1)"),
        tool("three", "require(\"stats\"); nopackage1::f(stats::sd); nopackage3::g()"),
    ];
    let crib = package(&code.concat());
    crib.write(
        "inst/mcp/tools/demo-two.yaml",
        "# This file is automatically generated by mcptool_build(). \nname: demo-two\nimplementation_example: |\n  library(nopackage1)\n  #> captured\nexecution_time: 0.5\n",
    );
    insta::assert_snapshot!(crib.transcript(&["build", ".", "--replace"]), @r#"
    exit code 0
    --- stdout
    warning[TC632]: packages are not installed: nopackage1, nopackage2, nopackage3; the examples of `demo-one`, `demo-two`, `demo-three` failed: there is no package called ‘nopackage1’
     --> ./R/a.R:1:1
      |
    1 | #' T
      | ^
      |
      = help: run install.packages(c("nopackage1", "nopackage2", "nopackage3")) in R; output of earlier builds stays until then

    1 file, 3 tools, 0 errors, 1 warning, 0 notes

    --- stderr
    3 tools in ./inst/mcp/tools: wrote 3 files
    next: toolcrib -C . show demo-one
    "#);
    let text = yaml(&crib, "demo-two");
    assert!(
        text.ends_with("  library(nopackage1)\n  #\n  #> captured\nexecution_time: 0.5\n"),
        "{text}"
    );
    assert!(text.starts_with("# Generated by `toolcrib build`"), "{text}");
}

#[test]
fn reports_a_failing_example_and_builds_the_others() {
    skip_without!("Rscript");
    let outside = std::env::temp_dir().join(format!("toolcrib-outside-{}", std::process::id()));
    // A listener is running, so that only the missing network can refuse the connection.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a listener");
    let port = listener.local_addr().expect("its address").port();
    let code = [
        TOOL.to_owned(),
        tool("stops", "stop(\"it broke\")"),
        tool("parses", "1 +"),
        tool("quits", "quit(status = 3)"),
        tool("calls", &format!("socketConnection(port = {port}L)")),
        tool("writes", &format!("writeLines(\"x\", \"{}\")", outside.display())),
        tool(
            "changes",
            "writeLines(\"x\", file.path(getNamespaceInfo(\"demo\", \"path\"), \"R\", \"evil.R\"))",
        ),
    ];
    let crib = package(&code.concat());
    let built = crib.run(&["build", ".", "--format", "json"]);
    let report = built.json();
    assert_eq!((built.code, codes(&report)), (0, vec!["TC632"; 6]), "{report:#}");
    assert!(
        report["diagnostics"][0]["message"].as_str().is_some_and(|said| said.contains("it broke")),
        "{report:#}"
    );
    let hints: Vec<_> = report["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .filter(|found| found["hint"].as_str().is_some_and(|hint| hint.contains("no network")))
        .filter_map(|found| found["tool"].as_str())
        .collect();
    assert_eq!(hints, ["demo-calls", "demo-writes", "demo-changes"], "denied by the sandbox");
    assert_eq!(files(&crib).len(), 7);
    assert!(yaml(&crib, "demo-add").contains("#> [1] 3"));
    assert!(
        yaml(&crib, "demo-stops").ends_with("implementation_example: |\n  stop(\"it broke\")\n")
    );
    assert!(listener.accept().is_err(), "no example reaches the network");
    assert!(
        !outside.exists() && !crib.root().join("R/evil.R").exists(),
        "an example writes to its own folder only"
    );
}

/// A tool with an example.
fn tool(name: &str, code: &str) -> String {
    format!("#' T\n#' @examples\n#' {code}\n#' @keywords mcp-tool\n{name} <- function() 1\n\n")
}

#[test]
fn kills_an_example_after_its_timeout() {
    skip_without!("Rscript");
    let crib = package(&(tool("slow", "Sys.sleep(600)") + &tool("fast", "1 + 1")));
    let begun = Instant::now();
    // The limit includes the start of R, which takes seconds on a busy machine: it is doubled until
    // the fast example ends in time.
    let (seconds, built) = [2, 4, 8, 16, 32, 64]
        .into_iter()
        .map(|seconds: u32| {
            let limit = seconds.to_string();
            (seconds, crib.run(&["build", ".", "--timeout-seconds", &limit, "--format", "json"]))
        })
        .find(|(_, built)| codes(&built.json()) == ["TC632"])
        .expect("the fast example ends in a minute");
    assert!(begun.elapsed() < Duration::from_secs(600), "{:?}", begun.elapsed());
    let report = built.json();
    assert_eq!(built.code, 0, "{report:#}");
    let found = &report["diagnostics"][0];
    assert_eq!(found["tool"], "demo-slow");
    let message = found["message"].as_str().expect("a message");
    assert!(message.contains(&format!("{seconds} seconds")), "{report:#}");
    assert!(yaml(&crib, "demo-fast").contains("#> [1] 2"));
    assert_eq!(
        crib.run(&["build", ".", "--timeout-seconds", "0"]).code,
        2,
        "no example could ever end in time"
    );
}

#[test]
fn examples_run_concurrently_and_are_isolated() {
    skip_without!("Rscript");
    let code = "exists(\"left\"); assign(\"left\", 1, globalenv()); file.exists(\"left.txt\"); \
                invisible(file.create(\"left.txt\")); cat(as.numeric(Sys.time()), \"\\n\"); Sys.sleep(5)";
    let crib = package(&(tool("one", code) + &tool("two", &format!("{code} # again"))));
    assert_eq!(crib.run(&["build", "."]).code, 0);
    let times = ["demo-one", "demo-two"].map(|name| {
        let text = yaml(&crib, name);
        let output: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("  #> ")).collect();
        assert_eq!(output[..2], ["[1] FALSE", "[1] FALSE"], "{text}");
        output[2].trim().parse::<f64>().expect("a time")
    });
    assert!((times[0] - times[1]).abs() < 5.0, "one began while the other ran: {times:?}");
}

#[test]
fn functions_on_one_page_share_one_run_of_their_example() {
    skip_without!("Rscript");
    let code = "#' T\n#' @examples\n#' cat(sample(1e9, 1))\n#' @keywords mcp-tool\nf <- function() 1\n\n\
                #' @rdname f\n#' @keywords mcp-tool\ng <- function() 1\n";
    let crib = package(code);
    crib.run(&["build", "."]);
    let output =
        |tool: &str| yaml(&crib, tool).lines().find(|line| line.contains("#>")).map(str::to_owned);
    assert!(output("demo-f").is_some());
    assert_eq!(output("demo-f"), output("demo-g"));
    let before = files(&crib);
    assert!(crib.run(&["build", "."]).stderr.contains("nothing to change"));
    assert_eq!(files(&crib), before);
}

#[test]
fn truncates_long_example_output() {
    skip_without!("Rscript");
    let wide = tool("wide", "cat(strrep(\"x\", 1010000))");
    let crib = package(&(wide + &tool("long", "for (i in 1:300000) cat(\"line\", i, \"\\n\")")));
    let built = crib.run(&["build", ".", "--format", "json"]);
    assert_eq!((built.code, codes(&built.json())), (0, Vec::new()), "{}", built.stderr);
    assert!(yaml(&crib, "demo-wide").contains("xxx [...]\n"));
    assert!(
        yaml(&crib, "demo-long").contains("#> line 60\n")
            && yaml(&crib, "demo-long").contains(" more lines]\n")
    );
}

#[test]
fn a_failing_example_is_not_run_again_while_nothing_changed() {
    skip_without!("Rscript");
    let crib = package(&TOOL.replace("z <- demo::add(1, 2)", "stop(\"it broke\")"));
    let said = || {
        crib.run(&["build", ".", "--format", "json"]).json()["diagnostics"][0]["message"]
            .to_string()
    };
    assert!(said().contains("it broke"), "{}", said());
    for entry in fs::read_dir(crib.root().join("../state/toolcrib/examples"))
        .expect("what is remembered")
        .flatten()
    {
        let text = fs::read_to_string(entry.path()).expect("a file");
        fs::write(entry.path(), text.replace("it broke", "it was remembered")).expect("a file");
    }
    assert!(said().contains("it was remembered"), "{}", said());
    crib.write("inst/texts/a.txt", "what it may have been about");
    assert!(said().contains("it broke"), "a changed file invalidates the record");
}

#[test]
fn reads_templates_and_example_code_only_inside_the_package() {
    let code = "#' One\n#' @template shared\n#' @example inst/one.R\n#' @example ../outside.R\n#' @keywords mcp-tool\none <- function(x) x\n";
    let crib = package(code)
        .file("man-roxygen/shared.R", "#' @param x Integer, the count\n")
        .file("inst/one.R", "one(5L)\n");
    fs::write(crib.root().join("../outside.R"), "stolen()\n").expect("a file");
    let built = crib.run(&["build", ".", "--no-examples", "--format", "json"]);
    assert_eq!(codes(&built.json()), ["TC720"], "{}", built.stdout);
    let text = yaml(&crib, "demo-one");
    assert!(text.contains("type: integer\n      description: the count"), "{text}");
    assert!(text.ends_with("implementation_example: |\n  one(5L)\n"), "{text}");
}

#[test]
fn an_example_with_a_false_condition_is_shown_but_not_run() {
    skip_without!("Rscript");
    let code = |condition: &str| {
        format!(
            "#' T\n#' @examplesIf {condition}\n#' f()\n#' @keywords mcp-tool\nf <- function() 7\n"
        )
    };
    let crib = package(&code("interactive()"));
    let built = crib.run(&["build", ".", "--format", "json"]);
    assert_eq!((built.code, codes(&built.json())), (0, Vec::new()));
    assert!(yaml(&crib, "demo-f").ends_with("implementation_example: |\n  f()\n"));
    crib.write("R/a.R", &code("TRUE"));
    crib.run(&["build", "."]);
    assert!(yaml(&crib, "demo-f").contains("#> [1] 7"));
}

#[test]
fn output_contains_no_machine_specific_paths() {
    skip_without!("Rscript");
    let code = "#' Paths\n#' @examples\n#' writeLines(\"x\", \"here.txt\")\n#' getwd()\n#' tempfile()\n#' getNamespaceInfo(\"demo\", \"path\")\n\
                #' R.home()\n#' system.file(package = \"stats\")\n#' new.env()\n#' tempfile(\"own-\", fileext = \".csv\")\n#' basename(tempdir())\n#' dirname(getNamespaceInfo(\"demo\", \"path\"))\n#' 1:100000\n#' @keywords mcp-tool\npaths <- function() 1\n";
    let crib = package(code);
    assert_eq!(crib.run(&["build", "."]).code, 0);
    let text = yaml(&crib, "demo-paths");
    let output: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("  #> ")).collect();
    assert_eq!(output[0], "[1] \"<tmp>\"", "{text}");
    assert_eq!(output[1], "[1] \"<tmp>/file\"", "{text}");
    assert_eq!(output[2], "[1] \"<package>\"", "{text}");
    assert_eq!(output[3], "[1] \"<R>\"", "{text}");
    assert_eq!(output[4], "[1] \"<library>/stats\"", "{text}");
    assert_eq!(output[5], "<environment: 0x...>", "{text}");
    assert_eq!(
        output[6..9],
        ["[1] \"<tmp>/own-.csv\"", "[1] \"Rtmp\"", "[1] \"<package>/..\""],
        "{text}"
    );
    assert!(
        output.last().is_some_and(|last| last.ends_with("more lines]")),
        "truncation is marked: {text}"
    );
    assert!(!text.contains(&*crib.root().to_string_lossy()), "{text}");
}
