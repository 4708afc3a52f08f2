//! Arguments arrive unchanged, and functions are found in every kind of source.

use std::process::Command;

use catalog::{
    Implementation, Tool,
    implementation::{Atom, Encoding, RFunction},
};
use serde_json::{Value, json};

use super::r_fixture::{NUMBER, RFixture, TEXT, function, returning, write_package};
use testing::{field, skip_without, text};

/// Returns the arguments as R received them, with their types.
const TELL: &str = "tell <- function(x) cat(deparse(x, control = c('keepNA', 'keepInteger', 'showAttributes', 'digits17')), sep = '\n')";

async fn call_tell(fixture: &RFixture, encoding: Encoding, value: Value) -> String {
    let outcome = fixture.call(function("tell", &[("x", encoding)]), json!({"x": value})).await;
    text(&outcome, 0).trim_end().to_owned()
}

#[tokio::test]
async fn arguments_arrive_with_their_types() {
    skip_without!("R");
    let fixture = RFixture::new(TELL);
    for (encoding, value, expected) in [
        (Encoding::Scalar(Atom::Integer), json!(5), "5L"),
        (Encoding::Scalar(Atom::Integer), json!(5.0), "5L"),
        (Encoding::Scalar(Atom::Integer), json!(3_000_000_000_u64), "3000000000"),
        (Encoding::Scalar(Atom::Double), json!(5), "5"),
        (Encoding::Scalar(Atom::Double), json!(0.1), "0.10000000000000001"),
        (Encoding::Scalar(Atom::Logical), json!(true), "TRUE"),
        (
            Encoding::Scalar(Atom::Character),
            json!("Zoë 🦀 \"quoted\""),
            "\"Zoë 🦀 \\\"quoted\\\"\"",
        ),
        (Encoding::Scalar(Atom::Character), json!(null), "NULL"),
        (Encoding::Vector(Atom::Character), json!(["one"]), "\"one\""),
        (Encoding::Vector(Atom::Character), json!([]), "character(0)"),
        (Encoding::Vector(Atom::Integer), json!([1, null, 3]), "c(1L, NA, 3L)"),
        (Encoding::Vector(Atom::Double), json!([1, null]), "c(1, NA)"),
        (Encoding::Vector(Atom::Character), json!(["a", null]), "c(\"a\", NA)"),
        (Encoding::Vector(Atom::Logical), json!([null, false]), "c(NA, FALSE)"),
        (
            Encoding::Matrix(Atom::Double),
            json!([[1, 2, 3], [4, 5, 6]]),
            "structure(c(1, 4, 2, 5, 3, 6), dim = 2:3)",
        ),
        (Encoding::Scalar(Atom::Date), json!("2024-12-31"), "structure(20088, class = \"Date\")"),
        (
            Encoding::Scalar(Atom::DateTime),
            json!("1970-01-02T00:00:00Z"),
            "structure(86400, class = c(\"POSIXct\", \"POSIXt\"), tzone = \"UTC\")",
        ),
        (
            Encoding::List,
            json!({"a": 1, "b": [true], "c": {}}),
            "structure(list(1L, TRUE, structure(list(), names = character(0))), names = c(\"a\", \"b\", \"c\"))",
        ),
        (Encoding::List, json!([1, "x"]), "list(1L, \"x\")"),
        (Encoding::Any, json!(["a", "b"]), "c(\"a\", \"b\")"),
        (
            Encoding::DataFrame,
            json!([{"n": 1, "t": "x"}, {"n": 2.5, "u": true}]),
            "structure(list(c(1, 2.5), c(\"x\", NA), c(NA, TRUE)), names = c(\"n\", \"t\", \"u\"), class = \"data.frame\", row.names = c(NA, -2L))",
        ),
    ] {
        let told = call_tell(&fixture, encoding, value.clone()).await;
        let told: String = told.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        assert_eq!(told, expected, "{encoding:?} of {value}");
    }
}

#[tokio::test]
async fn omitted_arguments_are_missing_in_r() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function(x, y = 'usual') cat(missing(x), missing(y), y)");
    let tool = || function("f", &[("x", NUMBER), ("y", TEXT)]);
    assert_eq!(text(&fixture.call(tool(), json!({"x": 1})).await, 0), "FALSE TRUE usual");
    assert_eq!(text(&fixture.call(tool(), json!({})).await, 0), "TRUE TRUE usual");
}

fn package_function(package: &str, function_name: &str, sources: Option<&str>) -> Tool {
    let implementation = RFunction {
        package: package.to_owned(),
        function: function_name.to_owned(),
        sources: sources.map(str::to_owned),
        formals: Vec::new(),
    };
    Tool { implementation: Implementation::R(implementation), ..function("f", &[]) }
}

#[tokio::test]
async fn an_installed_package_is_used_without_sources() {
    skip_without!("R");
    let fixture = RFixture::new("");
    let outcome = fixture.call(package_function("tools", "R", None), json!({})).await;
    assert_eq!(
        field(&outcome, "error_type"),
        "r_error",
        "it exists, and wants arguments: {outcome:?}"
    );
    let outcome = fixture.call(package_function("utils", "osVersion", None), json!({})).await;
    assert_eq!(
        field(&outcome, "error_type"),
        "r_function_missing",
        "a value is no function: {outcome:?}"
    );
    let outcome = fixture.call(package_function("base", "getwd", None), json!({})).await;
    assert_eq!(text(&outcome, 0), format!("[1] {:?}\n", fixture.crib.path("crib")));
}

#[tokio::test]
async fn reports_missing_packages_and_functions_with_a_hint() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function() 1");
    let outcome = fixture.call(package_function("no.such.package", "f", None), json!({})).await;
    assert_eq!(field(&outcome, "error_type"), "r_package_missing");
    assert!(text(&outcome, 0).contains("install.packages(\"no.such.package\")"), "{outcome:?}");
    let outcome = fixture.call(package_function("bench", "g", Some(".")), json!({})).await;
    assert_eq!(field(&outcome, "error_type"), "r_function_missing");
    assert!(text(&outcome, 0).contains("has no function `g`"), "{outcome:?}");
    let folder = fixture.crib.path("crib/parts/needy");
    write_package(
        &folder,
        "needy",
        &[("f.R", "f <- function() no.such.package::g()")],
        "Imports: no.such.package\n",
    );
    std::fs::write(folder.join("NAMESPACE"), "import(no.such.package)\n").unwrap();
    let outcome =
        fixture.call(package_function("needy", "f", Some("parts/needy")), json!({})).await;
    assert!(text(&outcome, 0).contains("install.packages(\"no.such.package\")"), "{outcome:?}");
    let without = RFixture::with("", |settings| {
        settings.environment = vec![("PATH".to_owned(), "/nowhere".to_owned())]
    });
    let outcome = without.run("f").await;
    assert_eq!(field(&outcome, "error_type"), "r_missing");
    assert!(text(&outcome, 0).contains("apt install r-base-core"), "{outcome:?}");
}

#[tokio::test]
async fn loads_sources_like_an_installed_package() {
    skip_without!("R");
    let fixture = RFixture::new("");
    let folder = fixture.crib.path("crib/parts/mine");
    let files = [
        ("a.R", "made <- paste0(base_word, '!')\nuses_import <- function() head(letters, 1)"),
        ("z.R", "base_word <- 'hello'"),
        (
            "b.R",
            "shows <- function() c(made, topenv_name(), mine::made, uses_import(), loaded)\ntopenv_name <- function() environmentName(topenv())",
        ),
        ("load.R", ".onLoad <- function(libname, pkgname) assign('loaded', pkgname, envir = topenv())\nloaded <- NULL"),
        (
            "s3.R",
            "print.mine_thing <- function(x, ...) cat('a thing of mine\\n')\nthing <- function() structure(1, class = 'mine_thing')",
        ),
        (
            "s4.R",
            "setClass('Mine', representation(x = 'numeric'))\nnew_one <- function() new('Mine', x = 5)@x
             Counter <- setRefClass('Counter', fields = list(n = 'numeric'), methods = list(up = function() { n <<- n + 1; n }))
             counted <- function() Counter$new(n = 1)$up()",
        ),
        ("ignored.txt", "stop('not R')"),
    ];
    write_package(
        &folder,
        "mine",
        &files,
        "Collate: 'z.R' 'a.R' 'b.R'\n    'load.R' 's3.R' 's4.R'\nImports: utils, not.installed\n",
    );
    std::fs::write(
        folder.join("NAMESPACE"),
        "importFrom(utils, head)\nimport(not.installed)\nS3method(print, mine_thing)\nexport(shows)\n",
    )
    .unwrap();
    let call =
        |name: &str| fixture.call(package_function("mine", name, Some("parts/mine")), json!({}));
    assert_eq!(
        text(&call("shows").await, 0),
        "[1] \"hello!\" \"mine\"   \"hello!\" \"a\"      \"mine\"  \n"
    );
    assert_eq!(text(&call("thing").await, 0), "a thing of mine\n");
    assert_eq!(text(&call("new_one").await, 0), "[1] 5\n");
    assert_eq!(text(&call("counted").await, 0), "[1] 2\n");
}

#[tokio::test]
async fn without_a_namespace_file_methods_are_found_by_name() {
    skip_without!("R");
    let fixture = RFixture::new(
        "area <- function(x) UseMethod('area')\narea.default <- function(x) 'of anything'\narea.my.square <- function(x) x$side^2
         length.my.square <- function(x) 4L\nprint.my.square <- function(x, ...) cat('a square\\n')\nno.method <- function() 1
         square <- function() structure(list(side = 3), class = 'my.square')
         measured <- function() list(area(square()), area(1), length(square()))",
    );
    assert_eq!(text(&fixture.run("square").await, 0), "a square\n");
    let outcome = fixture.call(returning("measured", json!({"type": "array"})), json!({})).await;
    assert_eq!(outcome.structured, Some(json!([9, "of anything", 4])), "{outcome:?}");
}

#[tokio::test]
async fn sources_find_their_files_data_and_dependencies() {
    skip_without!("R");
    let fixture = RFixture::new("");
    let folder = fixture.crib.path("crib/mine");
    let code = "file <- function() readLines(system.file('texts', 'a.txt', package = 'mine', mustWork = TRUE))
        none <- function() c(system.file('gone', package = 'mine'), basename(system.file('DESCRIPTION', package = 'stats')))
        data <- function() c(table$b, mine::numbers)
        depends <- function() is.function(mle)
        both <- function() c(first, second)
        methods <- function() is(coef, 'standardGeneric')";
    write_package(
        &folder,
        "mine",
        &[("a.R", code), ("bom.R", "\u{feff}marked <- function() 'é'")],
        "Depends: R (>= 3.0), stats4\n",
    );
    for (name, text) in [
        ("inst/texts/a.txt", "hello\n"),
        ("data/table.csv", "a;b\n1;2\n"),
        ("data/numbers.R", "numbers <- 3:4\n"),
    ] {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::write(folder.join("NAMESPACE"), "importMethodsFrom(stats4, coef)\n").unwrap();
    let save = "first <- 5; second <- 6; save(first, second, file = 'data/both.rda')";
    assert!(
        Command::new("Rscript").args(["-e", save]).current_dir(&folder).status().unwrap().success()
    );
    let call = |name: &str| fixture.call(package_function("mine", name, Some("mine")), json!({}));
    assert_eq!(text(&call("both").await, 0), "[1] 5 6\n");
    assert_eq!(text(&call("methods").await, 0), "[1] TRUE\n");
    assert_eq!(text(&call("file").await, 0), "[1] \"hello\"\n");
    assert_eq!(text(&call("none").await, 0), "[1] \"\"            \"DESCRIPTION\"\n");
    assert_eq!(text(&call("data").await, 0), "[1] 2 3 4\n");
    assert_eq!(text(&call("depends").await, 0), "[1] TRUE\n");
    assert_eq!(text(&call("marked").await, 0), "[1] \"é\"\n");
}

#[tokio::test]
async fn sources_can_define_and_instantiate_classes() {
    skip_without!("R");
    let fixture = RFixture::new(
        "Counter <- methods::setRefClass('Counter', fields = list(n = 'numeric'),
           methods = list(add = function() { n <<- n + 1; invisible(.self) }))
         methods::setClass('Point', representation(x = 'numeric'))
         first <- Counter$new(n = 1)
         count <- function() Counter$new(n = 1)$add()$n + first$n
         point <- function() methods::new('Point', x = 3)@x",
    );
    assert_eq!(text(&fixture.run("count").await, 0), "[1] 3\n");
    assert_eq!(text(&fixture.run("point").await, 0), "[1] 3\n");
}

#[tokio::test]
async fn without_collate_files_are_read_in_the_order_of_their_bytes() {
    skip_without!("R");
    let fixture = RFixture::new("");
    let folder = fixture.crib.path("crib/other");
    write_package(
        &folder,
        "other",
        &[
            ("B.R", "order <- c(order, 'B')"),
            ("a.R", "order <- c(order, 'a')"),
            ("A.R", "order <- 'A'\nf <- function() order"),
        ],
        "",
    );
    assert_eq!(
        text(&fixture.call(package_function("other", "f", Some("other")), json!({})).await, 0),
        "[1] \"A\" \"B\" \"a\"\n"
    );
}

#[tokio::test]
async fn code_for_this_operating_system_is_loaded_last() {
    skip_without!("R");
    let fixture = RFixture::new("");
    let folder = fixture.crib.path("crib/other");
    std::fs::create_dir_all(folder.join("R/unix")).unwrap();
    std::fs::create_dir_all(folder.join("R/windows")).unwrap();
    let files = [
        ("z.R", "order <- 'z'\nf <- function() order"),
        ("unix/a.R", "order <- c(order, 'a')"),
        ("windows/b.R", "stop('no')"),
    ];
    write_package(&folder, "other", &files, "");
    assert_eq!(
        text(&fixture.call(package_function("other", "f", Some("other")), json!({})).await, 0),
        "[1] \"z\" \"a\"\n"
    );
}

#[tokio::test]
async fn a_plan_shows_the_exact_call() {
    skip_without!("R");
    let fixture = RFixture::new("");
    let formals = [
        ("n", Encoding::Scalar(Atom::Integer)),
        ("x", Encoding::Vector(Atom::Double)),
        ("text", TEXT),
        ("if", TEXT),
        ("day", Encoding::Scalar(Atom::Date)),
        ("rows", Encoding::DataFrame),
    ];
    let arguments = json!({"n": 1, "x": [1, null, 2.5], "text": "a \"b\"\n", "if": null, "day": "1970-01-02", "rows": [{"a": 1}]});
    let plan = fixture.crib.plan(&function("f", &formals), arguments).unwrap();
    assert_eq!(plan["program"], "R");
    let call = "bench::f(n = 1L, x = c(1, NA_real_, 2.5), text = \"a \\\"b\\\"\\n\", `if` = NULL, day = as.Date(1), rows = data.frame(a = 1L))";
    assert_eq!(plan["argv"], json!(["R", "-e", call]));
    assert_eq!(plan["confinement"]["network"], false);
}

#[tokio::test]
async fn rejects_unknown_and_malformed_arguments() {
    skip_without!("R");
    let fixture = RFixture::new("f <- function(x) x\npid <- function() Sys.getpid()");
    let first = fixture.pid().await;
    for _ in 0..2 {
        let outcome = fixture.call(function("f", &[("x", NUMBER)]), json!({"x": 1, "y": 2})).await;
        assert_eq!(field(&outcome, "error_type"), "invalid_arguments");
        let outcome = fixture
            .call(function("f", &[("x", Encoding::Scalar(Atom::Date))]), json!({"x": "soon"}))
            .await;
        assert!(text(&outcome, 0).contains("must be a date such as 2024-12-31"), "{outcome:?}");
        assert_eq!(fixture.pid().await, first, "the R that was woken for it still waits");
    }
}

#[tokio::test]
async fn r_is_sandboxed_like_any_program() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() { writeLines('x', '../outside/file'); 1 }\ng <- function() { writeLines('x', 'inside'); 1 }",
    );
    assert!(runtime::sandbox_support().files, "this kernel has Landlock");
    let outcome = fixture.run("f").await;
    assert_eq!(field(&outcome, "error_type"), "r_error", "{outcome:?}");
    assert!(!fixture.crib.path("outside/file").exists());
    assert!(!fixture.run("g").await.failed);
}

#[tokio::test]
async fn the_folder_of_a_package_may_have_any_name() {
    skip_without!("R");
    for folder in ["spaced out \u{e9}", "two\nlines", "ends\n"] {
        let fixture = RFixture::new("");
        write_package(
            &fixture.crib.path("crib").join(folder),
            "bench",
            &[("code.R", "f <- function() 42")],
            "",
        );
        let mut tool = function("f", &[]);
        let Implementation::R(implementation) = &mut tool.implementation else {
            unreachable!("it is an R function")
        };
        implementation.sources = Some(folder.to_owned());
        assert_eq!(text(&fixture.call(tool, json!({})).await, 0), "[1] 42\n", "{folder:?}");
    }
}
