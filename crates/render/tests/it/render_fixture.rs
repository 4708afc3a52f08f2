//! A renderer, documents to render, and readers for the results.

use std::{
    fs,
    process::Command,
    sync::{Arc, Mutex},
};

use catalog::Failure;
use render::{
    Backend, Format, Freshness, Preference, RenderJob, RenderProgress, RenderSettings, Rendered,
    Renderer, SourceFile,
};
use serde_json::Value;
use testing::has_programs;

use crate::render_folder::RenderFolder;

/// A document with a plot, a table, a parameter and a warning.
pub(crate) const REPORT: &str = r#"---
title: "A report: with \"quotes\""
params:
  n: 3
---

## Cars

```{r numbers}
warning("take care")
cat("the number is", params$n * 7)
```

```{r}
plot(cars)
summary(cars)
```
"#;

/// A renderer with its folders.
pub(crate) struct RenderFixture {
    pub(crate) folder: RenderFolder,
    pub(crate) renderer: Renderer,
    progress: Arc<Mutex<Vec<RenderProgress>>>,
}

impl RenderFixture {
    /// A renderer with the local backend; skips the test if a program is missing.
    pub(crate) fn local(change: impl FnOnce(&mut RenderSettings)) -> Option<Self> {
        if !has_programs(&["Rscript", "pandoc", "pdflatex", "pdftotext", "unzip"]) {
            return None;
        }
        Some(Self::new(|settings| {
            settings.backend = Preference::Local;
            settings.allow_local = true;
            change(settings);
        }))
    }

    pub(crate) fn new(change: impl FnOnce(&mut RenderSettings)) -> Self {
        let folder = RenderFolder::new();
        let mut settings = RenderSettings::new(folder.path("renders"));
        change(&mut settings);
        let renderer = Renderer::new(settings, folder.host("/usr/local/bin:/usr/bin:/bin"));
        Self { folder, renderer, progress: Arc::default() }
    }

    pub(crate) async fn render(&self, text: &str, format: Format) -> Result<Rendered, Failure> {
        self.run(job(text, format)).await
    }

    pub(crate) async fn run(&self, job: RenderJob) -> Result<Rendered, Failure> {
        let reports = Arc::clone(&self.progress);
        self.renderer
            .render(job, Arc::new(move |progress| reports.lock().unwrap().push(progress)))
            .await
    }

    /// The progress reports so far.
    pub(crate) fn progress(&self) -> Vec<RenderProgress> {
        self.progress.lock().unwrap().clone()
    }
}

/// A job with a single document.
pub(crate) fn job(text: &str, format: Format) -> RenderJob {
    RenderJob {
        document: "report.Rmd".to_owned(),
        files: vec![file("report.Rmd", text)],
        format,
        params: Default::default(),
        backend: None,
        freshness: Freshness::Cached,
    }
}

pub(crate) fn with_params(job: RenderJob, params: Value) -> RenderJob {
    RenderJob { params: params.as_object().expect("an object").clone(), ..job }
}

pub(crate) fn with_backend(job: RenderJob, backend: Backend) -> RenderJob {
    RenderJob { backend: Some(backend), ..job }
}

pub(crate) fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), bytes: text.as_bytes().to_vec(), may_be_read: true }
}

/// The text of a rendered document.
pub(crate) fn read_text(bytes: &[u8], format: Format) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("document");
    fs::write(&path, bytes).unwrap();
    let mut reader = match format {
        Format::Html => return String::from_utf8(bytes.to_vec()).unwrap(),
        Format::Pdf => Command::new("pdftotext"),
        Format::Word => Command::new("unzip"),
    };
    match format {
        Format::Word => reader.arg("-p").arg(&path).arg("word/document.xml"),
        _ => reader.arg(&path).arg("-"),
    };
    let output = reader.output().unwrap();
    assert!(
        output.status.success(),
        "{format:?} cannot be read: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Checks the content, the versions and the warning of a rendered [`REPORT`].
pub(crate) fn assert_is_report(rendered: &Rendered, format: Format) {
    let text = read_text(&rendered.bytes, format);
    assert!(text.contains("the number is 21"), "{format:?} of {} bytes", rendered.bytes.len());
    assert!(text.contains("Cars"), "{format:?}");
    assert!(
        rendered.versions.contains_key("R") && rendered.versions.contains_key("pandoc"),
        "{:?}",
        rendered.versions
    );
    let warning = rendered.warnings.first().expect("a warning");
    assert_eq!(
        (warning.message.as_str(), warning.label.as_deref()),
        ("take care", Some("numbers"))
    );
}
