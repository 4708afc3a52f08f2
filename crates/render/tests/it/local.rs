//! The local backend.

use catalog::ErrorType;
use std::fs;

use render::{Backend, Format, Freshness, Preference, RenderJob, SourceFile};
use serde_json::json;
use testing::wait_until;

use crate::render_fixture::{
    REPORT, RenderFixture, assert_is_report, file, job, read_text, with_params,
};

#[tokio::test]
async fn renders_html_pdf_and_word() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    for format in Format::ALL {
        let rendered = fixture.render(REPORT, format).await.unwrap();
        assert_is_report(&rendered, format);
        assert_eq!((rendered.backend, rendered.cached), (Backend::Local, false));
        assert_eq!(rendered.reason, "the configuration selects it");
    }
    wait_until("temporary files are removed", || {
        fs::read_dir(fixture.folder.path("temp")).unwrap().count() == 0
    })
    .await;
}

#[tokio::test]
async fn reports_progress_by_chunk() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    fixture.render(REPORT, Format::Html).await.unwrap();
    let reports = fixture.progress().into_iter();
    let reports: Vec<_> =
        reports.map(|report| (report.chunk, report.chunks, report.message)).collect();
    assert_eq!(
        reports,
        [(1, 2, "chunk `numbers`".to_owned()), (2, 2, "chunk `unnamed-chunk-1`".to_owned())]
    );
}

#[tokio::test]
async fn parameters_are_passed_as_data() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let text = "---\nparams:\n  s: x\n  v: 1\n---\n\n```{r}\ncat(params$s, nchar(params$s)); cat(sum(params$v))\n```\n";
    let hostile = "\"; quit(); '$(id)`'\\n#";
    let given = with_params(job(text, Format::Html), json!({"s": hostile, "v": [20, 22]}));
    let rendered = fixture.run(given).await.unwrap();
    let output = read_text(&rendered.bytes, Format::Html);
    assert!(output.contains(&format!(" {}", hostile.chars().count())) && output.contains("42"));
    let undeclared = with_params(job(text, Format::Html), json!({"other": 1}));
    let failure = fixture.run(undeclared).await.unwrap_err();
    assert!(failure.message.contains("other"), "{}", failure.message);
}

#[tokio::test]
async fn document_and_render_script_have_separate_namespaces() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let text = "```{r}\nf <- function(x) if (missing(x)) 'nothing given' else x\ncat(f(), length(ls(globalenv())))\n\
                for (name in c('paste0', 'list', 'is.null')) assign(name, function(...) stop('not R'), globalenv())\n\
                warning('a \"quoted\" \\\\ \\u00e9\\t\\u0001 line')\n```\n";
    let rendered = fixture.render(text, Format::Html).await.unwrap();
    assert!(read_text(&rendered.bytes, Format::Html).contains("nothing given 0"));
    assert_eq!(rendered.warnings[0].message, "a \"quoted\" \\ \u{e9}\t\u{1} line");
}

#[tokio::test]
async fn a_document_reads_files_in_its_own_and_other_folders() {
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
    assert!(read_text(&rendered.bytes, Format::Html).contains("near one and far"));
}

#[tokio::test]
async fn caches_a_document_until_an_input_changes() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let first = fixture.render(REPORT, Format::Word).await.unwrap();
    let again = fixture.render(REPORT, Format::Word).await.unwrap();
    assert!(again.cached && again.bytes == first.bytes && again.versions == first.versions);
    assert_eq!(again.warnings, first.warnings);
    let other = fixture.run(with_params(job(REPORT, Format::Word), json!({"n": 4}))).await.unwrap();
    assert!(!other.cached && read_text(&other.bytes, Format::Word).contains("the number is 28"));
    let fresh = fixture
        .run(RenderJob { freshness: Freshness::Fresh, ..job(REPORT, Format::Word) })
        .await
        .unwrap();
    assert!(!fresh.cached);
    let with_file = |more: SourceFile| {
        let mut job = job(REPORT, Format::Word);
        job.files.push(more);
        job
    };
    assert!(
        !fixture.run(with_file(file("data.csv", "a,b"))).await.unwrap().cached,
        "there is a new file"
    );
    let unread = SourceFile { may_be_read: false, ..file("other.Rmd", "text") };
    assert!(
        fixture.run(with_file(unread)).await.unwrap().cached,
        "the document does not read that file"
    );
}

#[tokio::test]
async fn concurrent_renders_of_one_document_do_not_interfere() {
    let Some(fixture) = RenderFixture::local(|_| {}) else {
        return;
    };
    let text = "---\nparams:\n  n: 0\n---\n\n```{r}\nSys.sleep(0.5); plot(1:params$n)\n```\n\nIt is `r params$n`.\n";
    let run = |n: u32| fixture.run(with_params(job(text, Format::Html), json!({"n": n})));
    let (one, other) = tokio::join!(run(7), run(8));
    for (rendered, n) in [(one.unwrap(), 7), (other.unwrap(), 8)] {
        assert!(read_text(&rendered.bytes, Format::Html).contains(&format!("It is {n}.")));
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
async fn reports_missing_components_before_it_starts_r() {
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
async fn reports_the_versions_of_installed_components() {
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
