//! Runs the examples of tools, each in a sandboxed R process of its own, and caches the results.

mod digest;
mod result;
mod rscript;

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use atomic_file::Access;
use catalog::{Diagnostic, Origin, Rule, Severity, SourceId};
use futures_util::future::join_all;
use roxygen::{Definition, ExampleCode, ExampleRecord};
use runtime::{R_SOURCING, Runtime};
use serde_json::{Map, Value};

use self::{digest::PackageDigest, result::ExampleResult, rscript::Installation};
use super::package::RPackage;
use crate::Environment;

/// An example that did not finish.
pub(crate) static FAILED_EXAMPLE: Rule = Rule {
    code: "TC632",
    name: "failed-example",
    severity: Severity::Warning,
    why: "The code of `@examples` raised an error, timed out, or needed something that the sandbox \
          forbids: an example runs in a new R process without network and can write only to a \
          temporary folder of its own. The tool is built without output. Fix the code, or put code \
          that cannot run here in `\\dontrun{}`. If packages are missing, install them; until then the \
          output of earlier builds stays.",
    bad: "",
    good: "",
};

/// Examples without R.
pub(crate) static NO_R: Rule = Rule {
    code: "TC633",
    name: "examples-not-run",
    severity: Severity::Note,
    why: "`Rscript` was not found, so examples have only the output and timing of earlier builds. \
          Nothing else in a definition needs R.",
    bad: "",
    good: "",
};

/// The default timeout of one example.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The R program that runs one example.
const DRIVER: &str = include_str!("examples/driver.R");

/// Runs the examples of one package.
pub struct ExampleRunner<'a> {
    package: &'a RPackage,
    runtime: Arc<Runtime>,
    cache: PathBuf,
    installation: Installation,
    digest: PackageDigest,
    timeout: Duration,
}

/// The results of all examples of a package.
pub struct ExampleRuns {
    /// One record per definition.
    pub records: Vec<ExampleRecord>,
    /// Examples that failed.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> ExampleRunner<'a> {
    /// Prepares to run examples, with `timeout` or one minute for each.
    pub fn new(
        package: &'a RPackage,
        environment: &Environment,
        timeout: Option<Duration>,
    ) -> Self {
        let installation = Installation::find(environment);
        let settings = rscript::sandbox_settings(package, environment, &installation);
        Self {
            package,
            runtime: Arc::new(Runtime::new(settings)),
            cache: environment.state_folder().join("examples"),
            installation,
            digest: PackageDigest::new(package),
            timeout: timeout.unwrap_or(TIMEOUT),
        }
    }

    /// Runs the examples that changed, concurrently. `known` are the records in the existing files:
    /// an example keeps its recorded time while its sources are the same.
    pub async fn run(&self, definitions: &[Definition], known: &[ExampleRecord]) -> ExampleRuns {
        let rscript = Arc::new(rscript::tool(String::new(), self.timeout));
        if self.runtime.available(&rscript).await.is_err() {
            let origin = Origin::whole_file(&SourceId::new("DESCRIPTION"));
            let message = "`Rscript` was not found, so examples were not run";
            let note =
                Diagnostic::new(&NO_R, origin, message).hint("install R, or use --no-examples");
            // Records of earlier builds are kept, so that a machine without R does not erase them.
            return ExampleRuns { records: known.to_vec(), diagnostics: vec![note] };
        }
        // Started before the loop, so that all examples run concurrently.
        let results = self.run_all(definitions).await;
        let mut runs = ExampleRuns { records: Vec::new(), diagnostics: Vec::new() };
        let mut lacking = Vec::new();
        for (definition, known) in definitions.iter().zip(known) {
            let example = runnable_example(definition);
            let result = example.and_then(|example| results.get(&self.cache_key(example)));
            let record = match result {
                Some(ExampleResult::Finished { output, seconds }) => {
                    ExampleRecord::new(output, *seconds)
                }
                // The example works where the packages are installed, so output captured there is
                // kept.
                Some(ExampleResult::Failed { error, missing }) if !missing.is_empty() => {
                    lacking.push((definition, error, missing));
                    known.clone()
                }
                Some(ExampleResult::Failed { error: reason, .. }) => {
                    runs.diagnostics.push(report_failure(definition, reason, ""));
                    ExampleRecord::default()
                }
                Some(ExampleResult::Aborted(reason)) => {
                    let more_time = ", give it more time (`--timeout-seconds`)";
                    runs.diagnostics.push(report_failure(definition, reason, more_time));
                    ExampleRecord::default()
                }
                Some(ExampleResult::Skipped) | None => ExampleRecord::default(),
            };
            // Timings differ with every run. Keeping the old one avoids a change in the file that
            // means nothing.
            runs.records.push(record.with_time_of(known));
        }
        runs.diagnostics.extend(report_missing(&lacking));
        runs
    }

    /// The result of each example by its cache key. Functions on one page share their example,
    /// which runs once for all of them.
    async fn run_all(&self, definitions: &[Definition]) -> HashMap<String, ExampleResult> {
        let keyed = definitions.iter().filter_map(|definition| {
            Some((self.cache_key(runnable_example(definition)?), definition))
        });
        let distinct: HashMap<_, _> = keyed.collect();
        let all = distinct.into_iter().map(|(key, definition)| async {
            let result = self.run_cached(&key, definition).await;
            result.map(|result| (key, result))
        });
        join_all(all).await.into_iter().flatten().collect()
    }

    async fn run_cached(&self, key: &str, definition: &Definition) -> Option<ExampleResult> {
        let entry = self.cache.join(key);
        let fingerprint = || self.installation.fingerprint();
        let cached =
            fs::read(&entry).ok().and_then(|bytes| ExampleResult::from_cache(&bytes, fingerprint));
        if cached.is_some() {
            return cached;
        }
        let result = self.evaluate(definition, runnable_example(definition)?).await;
        if let Some(text) = result.to_cache(fingerprint) {
            // A failure is ignored: without the cache, the next build only takes longer.
            let _ = atomic_file::replace(&entry, text.as_ref(), Access::Usual);
        }
        Some(result)
    }

    async fn evaluate(&self, definition: &Definition, example: &ExampleCode) -> ExampleResult {
        let script = format!("{}{R_SOURCING}{DRIVER}", self.parameters(example));
        let arguments = Map::from_iter([("script".to_owned(), Value::from(script))]);
        let tool = Arc::new(rscript::tool(definition.tool.clone(), self.timeout));
        ExampleResult::from_outcome(&self.runtime.call_alone(tool, arguments).await)
    }

    /// The parameters of the driver, as R code.
    fn parameters(&self, example: &ExampleCode) -> String {
        let folder =
            // The example runs in another folder, so the path must be absolute.
            self.package.folder.canonicalize().unwrap_or_else(|_| self.package.folder.clone());
        let values = [
            ("package", self.package.name.as_str()),
            ("folder", &folder.to_string_lossy()),
            ("code", &example.run),
            ("condition", condition(example)),
        ];
        let items: Vec<_> = values
            .into_iter()
            .map(|(name, value)| format!("{name} = {}", rscript::quote(value)))
            .collect();
        format!(".toolcrib <- list({})\n", items.join(", "))
    }

    /// The name of the cache entry. It includes the driver, so that a new version of Toolcrib runs
    /// all examples again.
    fn cache_key(&self, example: &ExampleCode) -> String {
        self.digest.combine(&[&example.run, condition(example), R_SOURCING, DRIVER]) + ".json"
    }
}

fn report_failure(definition: &Definition, reason: &str, advice: &str) -> Diagnostic {
    let message = format!("the example of `{}` failed: {reason}", definition.tool);
    // R does not distinguish a denied connection or file from a broken one.
    let is_denied =
        ["cannot open", "resolve", "Permission denied"].iter().any(|text| reason.contains(text));
    let sandbox = if is_denied {
        "; examples have no network and write only to a temporary folder"
    } else {
        ""
    };
    let hint =
        format!("fix it{advice}, or put code that cannot run here in `\\dontrun{{}}`{sandbox}");
    Diagnostic::new(&FAILED_EXAMPLE, definition.origin.clone(), message)
        .tool(&definition.tool)
        .hint(hint)
}

/// Reports all examples that need missing packages in one diagnostic, with the command that
/// installs them.
fn report_missing(lacking: &[(&Definition, &String, &Vec<String>)]) -> Option<Diagnostic> {
    let (definition, error, _) = lacking.first()?;
    let packages: BTreeSet<_> = lacking.iter().flat_map(|(_, _, missing)| *missing).collect();
    let list = |names: &mut dyn Iterator<Item = String>| names.collect::<Vec<_>>().join(", ");
    let tools = list(&mut lacking.iter().map(|(one, ..)| format!("`{}`", one.tool)));
    let examples = if lacking.len() == 1 { "example" } else { "examples" };
    let message = format!(
        "packages are not installed: {}; the {examples} of {tools} failed: {error}",
        list(&mut packages.iter().map(|name| (*name).clone()))
    );
    let quoted = list(&mut packages.iter().map(|name| format!("\"{name}\"")));
    let hint = format!(
        "run install.packages(c({quoted})) in R; output of earlier builds stays until then"
    );
    let found = Diagnostic::new(&FAILED_EXAMPLE, definition.origin.clone(), message).hint(hint);
    Some(if lacking.len() == 1 { found.tool(&definition.tool) } else { found })
}

/// The example of a tool, if it has code to run.
fn runnable_example(definition: &Definition) -> Option<&ExampleCode> {
    definition.example.as_ref().filter(|example| example.is_runnable())
}

fn condition(example: &ExampleCode) -> &str {
    example.condition.as_deref().unwrap_or("TRUE")
}
