//! The programs and packages that rendering uses: whether they are installed, and how to install
//! them.

use std::{sync::Arc, time::Duration};

use catalog::{ErrorType, Failure};
use process::find_program;
use serde::Serialize;
use serde_json::json;

use super::{
    Backend, Inner,
    child::{self, ExitReason, Output, RunRequest},
    log::Log,
};
use crate::program::{RenderProgram, build_command};

/// The R front end for scripts.
pub(super) const RSCRIPT: &str = "Rscript";
/// TeX engines; any of them can produce a PDF.
pub(super) const TEX: [&str; 3] = ["pdflatex", "xelatex", "lualatex"];
/// Time limit for a program to print its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(20);
/// Memory limit of such a program.
const MEMORY_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Maximum bytes of its output that are read.
const MAX_VERSION_BYTES: usize = 64 * 1024;

/// A program or package that rendering uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Component {
    /// The name, such as `pandoc`.
    pub name: &'static str,
    /// Its purpose in rendering.
    pub purpose: &'static str,
    /// Its version, if it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// How to install it, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Programs and packages for local rendering: name, purpose, how to install it.
const LOCAL_COMPONENTS: [(&str, &str, &str); 6] = [
    (
        "R",
        "runs the code of documents on this machine",
        "Debian, Ubuntu: apt install r-base-core; elsewhere: https://cran.r-project.org",
    ),
    (
        "rmarkdown",
        "the R package that renders",
        "Debian, Ubuntu: apt install r-cran-rmarkdown; elsewhere, in R: install.packages(\"rmarkdown\")",
    ),
    (
        "knitr",
        "the R package that runs chunks",
        "it comes with rmarkdown; in R: install.packages(\"knitr\")",
    ),
    (
        "pandoc",
        "writes HTML and Word, and LaTeX for PDF",
        "Debian, Ubuntu: apt install pandoc; elsewhere: https://pandoc.org/installing.html",
    ),
    (
        "tex",
        "converts LaTeX to PDF",
        "Debian, Ubuntu: apt install texlive-latex-recommended texlive-latex-extra lmodern; elsewhere, in R: \
         tinytex::install_tinytex()",
    ),
    ("quarto", "renders .qmd documents", "https://quarto.org/docs/get-started"),
];

/// The failure for a missing component, with how to install it.
pub(super) fn missing(component: &str, backend: Backend) -> Failure {
    let known = LOCAL_COMPONENTS.iter().find(|(name, ..)| *name == component);
    let (name, hint) = known.map_or((component, ""), |(name, _, hint)| (*name, *hint));
    let what = match name {
        "tex" => "PDF needs TeX",
        "quarto" => "a .qmd document needs the Quarto command",
        name => &format!("rendering needs {name}"),
    };
    let instead =
        if name == "quarto" { ", or rename it to .Rmd if it uses no Quarto features" } else { "" };
    let message = match backend {
        Backend::Local => {
            format!("{what}, which is not installed; install it ({hint}){instead}, then call again")
        }
        Backend::Docker | Backend::Compose => {
            format!(
                "{what}, which is not in the image; use an image that has it (`image` in the `[documents]` section){instead}"
            )
        }
    };
    Failure::new(ErrorType::MissingComponent, message)
        .details(json!({"component": component, "backend": backend, "hint": hint}))
}

/// R code that prints the versions of R and of the packages, one per line.
const R_VERSIONS: &str = "cat(as.character(getRversion()), '\\n'); for (p in c('rmarkdown', 'knitr')) \
                          cat(tryCatch(as.character(packageVersion(p)), error = function(e) ''), '\\n')";

impl Inner {
    pub(super) async fn components(&self) -> Vec<Component> {
        // One process reports all three: starting R takes most of the time.
        let printed =
            self.query_program(RSCRIPT, &["--vanilla", "-e", R_VERSIONS]).await.unwrap_or_default();
        let mut versions = printed
            .lines()
            .map(|line| line.trim().to_owned())
            .map(|line| (!line.is_empty()).then_some(line));
        let mut next = || versions.next().flatten();
        let (r, rmarkdown, knitr) = (next(), next(), next());
        let pandoc = self.query_first_line("pandoc", &["--version"]).await;
        let quarto = self.query_first_line("quarto", &["--version"]).await;
        let found = [r, rmarkdown, knitr, pandoc, self.find_tex().await, quarto];
        let mut all: Vec<_> = LOCAL_COMPONENTS
            .iter()
            .zip(found)
            .map(|((name, purpose, hint), found)| build_component(name, purpose, hint, found))
            .collect();
        let engine = self.engine().await;
        let has_engine = engine.is_ok();
        let (docker, why) = match engine {
            Ok(engine) => (Some(format!("{} at {}", engine.version, engine.socket)), String::new()),
            Err(failure) => (None, failure.message),
        };
        all.push(build_component("docker", "renders in a container", &why, docker));
        let (compose, why) = match self.compose().await {
            // The command alone cannot render; it needs an engine.
            Ok(command) if has_engine || self.reachable_compose().await.is_some() => {
                (Some(command.version), String::new())
            }
            Ok(command) => {
                (None, format!("{} is installed, but its daemon does not answer", command.version))
            }
            Err(failure) => (None, failure.message),
        };
        all.push(build_component(
            "compose",
            "renders in a container, if a call asks for Compose",
            &why,
            compose,
        ));
        all
    }

    async fn find_tex(&self) -> Option<String> {
        for name in TEX {
            if let Some(version) = self.query_first_line(name, &["--version"]).await {
                return Some(version);
            }
        }
        None
    }

    /// The first line of the output of a program, if it is installed.
    async fn query_first_line(&self, name: &str, words: &[&str]) -> Option<String> {
        self.query_program(name, words).await?.lines().next().map(|line| line.trim().to_owned())
    }

    /// The output of a program, if it is installed and succeeds.
    pub(super) async fn query_program(&self, name: &str, words: &[&str]) -> Option<String> {
        let program = find_program(&self.host.environment, name)?;
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let wanted =
            RenderProgram { name, program, words, ..RenderProgram::new(&self.host, MEMORY_BYTES) };
        self.capture_output(wanted).await
    }

    /// The output of a program, if it exits with code 0.
    pub(super) async fn capture_output(&self, wanted: RenderProgram<'_>) -> Option<String> {
        let command = Arc::new(build_command(&self.host, wanted).ok()?);
        let request = RunRequest {
            input: None,
            output: Output::Data(MAX_VERSION_BYTES),
            timeout: VERSION_TIMEOUT,
            limits: None,
        };
        match child::run(&self.host.launcher, command, request, &mut Log::silent()).await {
            Ok((ExitReason::Exited(0), printed)) => {
                Some(String::from_utf8_lossy(&printed).into_owned())
            }
            _ => None,
        }
    }
}

fn build_component(
    name: &'static str,
    purpose: &'static str,
    hint: &str,
    found: Option<String>,
) -> Component {
    let hint = found.is_none().then(|| hint.to_owned());
    Component { name, purpose, found, hint }
}
