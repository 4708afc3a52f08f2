//! The local backend: R, rmarkdown and pandoc of this machine, on a private copy of the documents.
//!
//! R is held to that copy, its packages and the system's files; it has no network, and no home but a
//! folder that goes with it. The operator must have allowed all this.

use std::{path::Path, sync::Arc};

use catalog::{ErrorType, Failure};
use process::{Command, PrivateFolder, find_program, random_id};
use tokio::task::spawn_blocking;

use super::{
    Backend, Format, Inner, RenderJob, Rendered, Tell,
    child::{self, Errand, Output},
    components,
    exchange::{self, SCRIPT_FILE},
    log::Log,
    verdict::{self, Raw},
    watchdog::Ceiling,
};
use crate::program::{RenderProgram, build_command};

/// The program.
pub(super) const RSCRIPT: &str = "Rscript";
/// Any of these makes a PDF.
pub(super) const TEX: [&str; 3] = ["pdflatex", "xelatex", "lualatex"];
/// The name under which its folders are known.
const NAME: &str = "render";

impl Inner {
    /// Whether a document may be rendered here, and can be.
    pub(super) fn check_local(&self, job: &RenderJob) -> Result<(), Failure> {
        if !self.settings.allow_local {
            return Err(not_allowed());
        }
        let find = |name: &str| find_program(&self.host.environment, name).is_some();
        let needed = [
            ("R", find(RSCRIPT)),
            ("quarto", !job.is_quarto() || find("quarto")),
            ("pandoc", job.is_quarto() || find("pandoc")),
            ("tex", job.format != Format::Pdf || TEX.iter().any(|name| find(name))),
        ];
        match needed.iter().find(|(_, there)| !there) {
            Some((missing, _)) => Err(components::missing(missing, Backend::Local)),
            None => Ok(()),
        }
    }

    pub(super) async fn render_locally(
        &self,
        job: &Arc<RenderJob>,
        tell: Tell,
    ) -> Result<Rendered, Failure> {
        let token = random_id()
            .map_err(|error| verdict::machine("a render could not be prepared", &error))?;
        let folder = self.lay_out(Arc::clone(job), token.clone()).await?;
        let command = Arc::new(self.command(folder.path())?);
        let mut log = Log::new(token, tell);
        let errand = Errand {
            input: None,
            output: Output::Log,
            timeout: self.settings.timeout,
            ceiling: Some(Ceiling {
                memory: self.settings.memory_bytes,
                processes: self.settings.processes,
                disk: self.settings.disk_bytes + job.bytes(),
                folder: folder.path().to_owned(),
            }),
        };
        let (ended, _) = child::run(&self.host.launcher, command, errand, &mut log).await?;
        let (format, longest) = (job.format, self.settings.output_bytes);
        let returned =
            spawn_blocking(move || exchange::take_back(folder.path(), format, longest)).await;
        let returned = returned.map_err(|error| {
            verdict::machine("what was rendered cannot be read", &error.into())
        })??;
        verdict::judge(
            job,
            Raw {
                backend: Backend::Local,
                ended,
                returned,
                chunk: log.chunk(),
                log: log.finish(),
                image: None,
            },
            &self.settings,
        )
    }

    async fn lay_out(&self, job: Arc<RenderJob>, token: String) -> Result<PrivateFolder, Failure> {
        let temp = self.host.temp_folder.clone();
        let made = spawn_blocking(move || {
            let folder = PrivateFolder::create(&temp, NAME)?;
            exchange::lay_out(folder.path(), &job, &token)?;
            Ok(folder)
        });
        let made = made.await.unwrap_or_else(|error| Err(error.into()));
        made.map_err(|error| verdict::machine("the documents could not be copied", &error))
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

fn not_allowed() -> Failure {
    let message = "documents are not rendered by this machine's own R, because nobody allowed it: R code of a document runs with \
                   your rights, held to a copy of the documents; to allow it, set `allow_local = true` in the `[documents]` \
                   section of toolcrib.toml, or start Docker";
    Failure::new(ErrorType::LocalNotAllowed, message)
}
