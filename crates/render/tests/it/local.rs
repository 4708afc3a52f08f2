//! R of this machine.

use catalog::ErrorType;
use std::{fs, time::Instant};

use render::{Backend, Format, Freshness, Preference, RenderJob, SourceFile};
use serde_json::json;

use crate::fixture::{
    REPORT, RenderFixture, assert_is_report, file, job, until, with_params, words,
};

#[tokio::test]
async fn a_document_becomes_html_pdf_and_word() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    for format in Format::ALL {
        let rendered = fixture.render(REPORT, format).await.unwrap();
        assert_is_report(&rendered, format);
        assert_eq!((rendered.backend, rendered.cached), (Backend::Local, false));
        assert_eq!(rendered.reason, "the configuration says so");
    }
    // A render leaves nothing behind.
    until(|| fs::read_dir(fixture.folder.path("temp")).unwrap().count() == 0).await;
}

#[tokio::test]
async fn progress_is_told_chunk_by_chunk() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    fixture.render(REPORT, Format::Html).await.unwrap();
    let told: Vec<_> =
        fixture.told().into_iter().map(|told| (told.chunk, told.chunks, told.message)).collect();
    assert_eq!(
        told,
        [(1, 2, "chunk `numbers`".to_owned()), (2, 2, "chunk `unnamed-chunk-1`".to_owned())]
    );
}

#[tokio::test]
async fn parameters_reach_the_document_as_values_whatever_they_are() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let text = "---\nparams:\n  s: x\n  v: 1\n---\n\n```{r}\ncat(params$s, nchar(params$s)); cat(sum(params$v))\n```\n";
    let hostile = "\"; quit(); '$(id)`'\\n#";
    let given = with_params(job(text, Format::Html), json!({"s": hostile, "v": [20, 22]}));
    let rendered = fixture.run(given).await.unwrap();
    let words = words(&rendered.bytes, Format::Html);
    assert!(words.contains(&format!(" {}", hostile.chars().count())) && words.contains("42"));
    let undeclared = with_params(job(text, Format::Html), json!({"other": 1}));
    let failure = fixture.run(undeclared).await.unwrap_err();
    assert!(failure.message.contains("other"), "{}", failure.message);
}

#[tokio::test]
async fn a_document_sees_none_of_the_names_of_the_renderer_and_disturbs_none() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let text = "```{r}\nf <- function(x) if (missing(x)) 'nothing given' else x\ncat(f(), length(ls(globalenv())))\n\
                for (name in c('paste0', 'list', 'is.null')) assign(name, function(...) stop('not R'), globalenv())\n\
                warning('a \"quoted\" \\\\ \\u00e9\\t\\u0001 line')\n```\n";
    let rendered = fixture.render(text, Format::Html).await.unwrap();
    assert!(words(&rendered.bytes, Format::Html).contains("nothing given 0"));
    assert_eq!(rendered.warnings[0].message, "a \"quoted\" \\ \u{e9}\t\u{1} line");
}

#[tokio::test]
async fn a_document_reads_files_beside_it_and_in_other_folders() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let text = "```{r}\ncat(readLines('near.txt'), readLines('../data/far.txt'))\n```\n";
    let files = vec![
        file("reports/q1.Rmd", text),
        file("reports/near.txt", "near one"),
        file("data/far.txt", "and far"),
    ];
    let given = RenderJob { document: "reports/q1.Rmd".to_owned(), files, ..job("", Format::Html) };
    let rendered = fixture.run(given).await.unwrap();
    assert!(words(&rendered.bytes, Format::Html).contains("near one and far"));
}

#[tokio::test]
async fn an_unchanged_document_comes_from_the_cache_until_something_changes() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let first = fixture.render(REPORT, Format::Word).await.unwrap();
    let begun = Instant::now();
    let again = fixture.render(REPORT, Format::Word).await.unwrap();
    let took = begun.elapsed();
    assert!(again.cached && again.bytes == first.bytes && again.versions == first.versions);
    assert_eq!(again.warnings, first.warnings);
    eprintln!("from the cache in {took:?}");
    let other = fixture.run(with_params(job(REPORT, Format::Word), json!({"n": 4}))).await.unwrap();
    assert!(!other.cached && words(&other.bytes, Format::Word).contains("the number is 28"));
    let fresh = fixture
        .run(RenderJob { freshness: Freshness::Fresh, ..job(REPORT, Format::Word) })
        .await
        .unwrap();
    assert!(!fresh.cached);
    let beside = |more: SourceFile| {
        let mut job = job(REPORT, Format::Word);
        job.files.push(more);
        job
    };
    assert!(
        !fixture.run(beside(file("data.csv", "a,b"))).await.unwrap().cached,
        "a file beside it is new"
    );
    let unread = SourceFile { may_be_read: false, ..file("other.Rmd", "text") };
    assert!(fixture.run(beside(unread)).await.unwrap().cached, "it does not read that");
}

#[tokio::test]
async fn two_renders_of_one_document_at_once_are_both_right() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let text = "---\nparams:\n  n: 0\n---\n\n```{r}\nSys.sleep(0.5); plot(1:params$n)\n```\n\nIt is `r params$n`.\n";
    let run = |n: u32| fixture.run(with_params(job(text, Format::Html), json!({"n": n})));
    let (one, other) = tokio::join!(run(7), run(8));
    for (rendered, n) in [(one.unwrap(), 7), (other.unwrap(), 8)] {
        assert!(words(&rendered.bytes, Format::Html).contains(&format!("It is {n}.")));
    }
}

#[tokio::test]
async fn local_rendering_must_be_allowed() {
    for preference in [Preference::Local, Preference::Auto] {
        let fixture = RenderFixture::new(|settings| settings.backend = preference);
        let failure = fixture.render(REPORT, Format::Html).await.unwrap_err();
        assert!(
            [ErrorType::LocalNotAllowed, ErrorType::NoBackend].contains(&failure.error_type),
            "{failure:?}"
        );
        assert!(failure.message.contains("allow_local = true"), "{}", failure.message);
    }
}

#[tokio::test]
async fn what_is_missing_is_said_before_anything_runs() {
    use crate::render_folder::RenderFolder;
    use render::{RenderSettings, Renderer};

    let Some(_) = RenderFixture::local(|_| {}) else {
        return;
    };
    let bin = tempfile::tempdir().unwrap();
    let render = async |programs: &[&str], document: &str, format: Format| {
        let folder = bin.path().join(programs.join("-") + "x");
        fs::create_dir_all(&folder).unwrap();
        for program in programs {
            let _ = std::os::unix::fs::symlink(format!("/usr/bin/{program}"), folder.join(program));
        }
        let work = RenderFolder::new();
        let mut settings = RenderSettings::new(work.path("renders"));
        (settings.backend, settings.allow_local) = (Preference::Local, true);
        let given = RenderJob {
            document: document.to_owned(),
            files: vec![file(document, REPORT)],
            ..job("", format)
        };
        Renderer::new(settings, work.host(&folder.display().to_string()))
            .render(given, std::sync::Arc::new(|_| {}))
            .await
            .unwrap_err()
    };
    let component = |failure: catalog::Failure| {
        (failure.error_type, failure.details["component"].as_str().unwrap().to_owned())
    };
    let missing = |name: &str| (ErrorType::MissingComponent, name.to_owned());
    assert_eq!(component(render(&[], "a.Rmd", Format::Html).await), missing("R"));
    assert_eq!(component(render(&["Rscript"], "a.Rmd", Format::Html).await), missing("pandoc"));
    assert_eq!(
        component(render(&["Rscript", "pandoc"], "a.Rmd", Format::Pdf).await),
        missing("tex")
    );
    assert_eq!(
        component(render(&["Rscript", "pandoc"], "a.qmd", Format::Html).await),
        missing("quarto")
    );
    let failure = render(&["Rscript", "pandoc"], "a.Rmd", Format::Pdf).await;
    assert!(failure.message.starts_with("PDF needs TeX"), "{}", failure.message);
}

#[tokio::test]
async fn what_this_machine_has_is_told_with_versions() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let found = fixture.renderer.components().await;
    let of = |name: &str| found.iter().find(|component| component.name == name).unwrap();
    for name in ["R", "rmarkdown", "knitr", "pandoc", "tex"] {
        assert!(
            of(name).found.as_ref().is_some_and(|found| found.contains('.')),
            "{name}: {:?}",
            of(name)
        );
        assert!(of(name).hint.is_none());
    }
}
