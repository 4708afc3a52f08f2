//! The local backend: R, rmarkdown and pandoc of this machine, on a private copy of the documents.
//!
//! R can access only that copy, its packages and the system's files; it has no network and an empty
//! home. The operator must have allowed local rendering.

use std::{path::Path, sync::Arc};

use catalog::{ErrorType, Failure};
use process::{Command, PrivateFolder, find_program, random_id};
use tokio::task::spawn_blocking;

use super::{
    Backend, Format, Inner, ProgressCallback, RenderJob, Rendered,
    cause::{missing_engine, named_engine},
    child::{self, Output, RunRequest},
    components::{self, RSCRIPT, TEX},
    exchange::{self, SCRIPT_FILE},
    log::Log,
    verdict::{self, RenderOutput},
    watchdog::ResourceLimits,
};
use crate::program::{RenderProgram, build_command};

/// The label of its folders.
const NAME: &str = "render";

impl Inner {
    /// Checks that local rendering is allowed and its components are installed.
    pub(super) fn check_local(&self, job: &RenderJob) -> Result<(), Failure> {
        if !self.settings.allow_local {
            return Err(local_not_allowed());
        }
        let is_found = |name: &str| find_program(&self.host.environment, name).is_some();
        let needed = [
            ("R", is_found(RSCRIPT)),
            ("quarto", !job.is_quarto() || is_found("quarto")),
            ("pandoc", job.is_quarto() || is_found("pandoc")),
            ("tex", job.format != Format::Pdf || TEX.iter().any(|name| is_found(name))),
        ];
        if let Some((missing, _)) = needed.iter().find(|(_, is_installed)| !is_installed) {
            return Err(components::missing(missing, Backend::Local));
        }
        // Checked before the chunks run, which may take a long time.
        match named_engine(job).filter(|_| job.format == Format::Pdf) {
            Some((engine, package)) if !is_found(engine) => {
                let cause = missing_engine(job, engine, package, Backend::Local);
                let line = cause.line.map(|line| format!(" (line {line})")).unwrap_or_default();
                let message = format!(
                    "`{}` cannot be rendered{line}: {}; {}",
                    job.document, cause.message, cause.hint
                );
                Err(Failure::new(ErrorType::MissingComponent, message))
            }
            _ => Ok(()),
        }
    }

    pub(super) async fn render_locally(
        &self,
        job: &Arc<RenderJob>,
        on_progress: ProgressCallback,
    ) -> Result<Rendered, Failure> {
        let token = random_id()
            .map_err(|error| exchange::io_failure("a render could not be prepared", &error))?;
        let folder = self.write_files(Arc::clone(job), token.clone()).await?;
        let command = Arc::new(self.command(folder.path())?);
        let mut log = Log::new(token, on_progress);
        let request = RunRequest {
            input: None,
            output: Output::Log,
            timeout: self.settings.timeout,
            limits: Some(ResourceLimits {
                memory: self.settings.memory_bytes,
                processes: self.settings.processes,
                // The copy of the documents is in the same folder, but does not count as written by
                // the render.
                disk: self.settings.disk_bytes + job.bytes(),
                folder: folder.path().to_owned(),
            }),
        };
        let (exit, _) = child::run(&self.host.launcher, command, request, &mut log).await?;
        let (format, max_bytes) = (job.format, self.settings.output_bytes);
        let returned =
            spawn_blocking(move || exchange::read_results(folder.path(), format, max_bytes)).await;
        let returned = returned.map_err(|error| {
            exchange::io_failure("cannot read the rendered document", &error.into())
        })??;
        verdict::build_result(
            job,
            RenderOutput {
                backend: Backend::Local,
                exit,
                returned,
                chunk: log.chunk(),
                log: log.finish(),
                image: None,
            },
            &self.settings,
        )
    }

    async fn write_files(
        &self,
        job: Arc<RenderJob>,
        token: String,
    ) -> Result<PrivateFolder, Failure> {
        let temp = self.host.temp_folder.clone();
        let written = spawn_blocking(move || {
            let folder = PrivateFolder::create(&temp, NAME)?;
            exchange::write_files(folder.path(), &job, &token)?;
            Ok(folder)
        });
        let written = written.await.unwrap_or_else(|error| Err(error.into()));
        written.map_err(|error| exchange::io_failure("the documents could not be copied", &error))
    }

    fn command(&self, folder: &Path) -> Result<Command, Failure> {
        let text = |path: &Path| path.display().to_string();
        build_command(
            &self.host,
            RenderProgram {
                name: RSCRIPT,
                program: find_program(&self.host.environment, RSCRIPT)
                    .ok_or_else(|| components::missing("R", Backend::Local))?,
                words: vec!["--vanilla".to_owned(), text(&folder.join(SCRIPT_FILE)), text(folder)],
                folder: exchange::source_folder(folder),
                write: vec![folder.to_owned()],
                ..RenderProgram::new(&self.host, self.settings.memory_bytes)
            },
        )
    }
}

fn local_not_allowed() -> Failure {
    let message = "local rendering is not allowed: the R code of a document would run on this machine, sandboxed to a copy of the \
                   documents; set `allow_local = true` in the `[documents]` section of toolcrib.toml, or start Docker";
    Failure::new(ErrorType::LocalNotAllowed, message)
}
