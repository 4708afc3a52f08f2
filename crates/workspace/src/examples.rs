//! Runs the examples of tools, each in a confined R process of its own, and remembers what came of it.

mod record;
mod run;
mod sources;

use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use catalog::{
    Annotations, Diagnostic, Implementation, Origin, Rule, Schema, Severity, SourceId, Tool,
    implementation::{Binding, PassBy, Piece, Process},
};
use futures_util::future::join_all;
use roxygen::{Definition, ExampleCode, Measured};
use runtime::{R_SOURCING, Runtime, Settings};
use serde_json::{Map, Value, json};

pub use self::record::Record;
use self::{run::Run, sources::Sources};
use crate::{Environment, RPackage};

/// An example that could not be run to its end.
pub(crate) static FAILED_EXAMPLE: Rule = Rule {
    code: "TC632",
    name: "failed-example",
    severity: Severity::Warning,
    why: "The code of `@examples` stopped with an error, was too slow, or needed what it may not have: an example runs in a \
          fresh R process without network, which can write only to a temporary folder of its own. The tool is built without \
          output. Mend the code, or put what cannot run here in `\\dontrun{}`.",
    bad: "",
    good: "",
};

/// Examples that nobody ran.
pub(crate) static NO_R: Rule = Rule {
    code: "TC633",
    name: "examples-not-run",
    severity: Severity::Note,
    why: "There is no `Rscript` here, so examples have no output and no timing, other than those that were built before. \
          Everything else of a tool needs no R.",
    bad: "",
    good: "",
};

/// How long one example may run, unless somebody says otherwise.
const LIMIT: Duration = Duration::from_secs(60);

/// How much output is looked at.
const OUTPUT_BYTES: usize = 1 << 20;

/// The program that runs one example.
const DRIVER: &str = include_str!("examples/driver.R");

/// Where R looks for packages.
const LIBRARIES: [&str; 3] = ["R_LIBS", "R_LIBS_USER", "R_LIBS_SITE"];

/// What would otherwise be different for everybody who builds. Text is sorted as checks of R packages sort it.
const LOCALE: [(&str, &str); 4] =
    [("LANG", "C.UTF-8"), ("LC_COLLATE", "C"), ("LANGUAGE", "en"), ("TZ", "UTC")];

/// Where distributions of R put packages.
const SITES: [&str; 2] = ["/usr/lib/R/site-library", "/usr/local/lib/R/site-library"];

/// What runs the examples of one package.
pub struct Examples<'a> {
    package: &'a RPackage,
    runtime: Arc<Runtime>,
    cache: PathBuf,
    /// Where packages are installed.
    libraries: Vec<PathBuf>,
    /// What an example may use.
    sources: Sources,
    limit: Duration,
}

/// What came of all examples.
pub struct Ran {
    /// For each tool, what is known about its example.
    pub records: Vec<Record>,
    /// What went wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Examples<'a> {
    /// Nothing is run yet. One example may run for `limit`, or for a minute.
    pub fn new(package: &'a RPackage, environment: &Environment, limit: Option<Duration>) -> Self {
        let folder = package.folder.canonicalize().unwrap_or_else(|_| package.folder.clone());
        let mut settings = Settings::new(folder);
        settings.environment = variables(environment);
        settings.read = environment.toolchain_paths();
        settings.read.extend(home_of_r(environment));
        let named = LIBRARIES
            .iter()
            .filter_map(|name| environment.get(name))
            .flat_map(std::env::split_paths);
        let own = environment.get("HOME").map(|home| PathBuf::from(home).join("R"));
        let mut libraries: Vec<_> = named.chain(own).filter(|path| path.exists()).collect();
        settings.read.extend(libraries.iter().cloned());
        libraries.extend(SITES.map(PathBuf::from));
        libraries.extend(home_of_r(environment).map(|home| home.join("library")));
        settings.output_bytes = OUTPUT_BYTES;
        settings.concurrency = settings.concurrency.div_ceil(2);
        let cache = environment.state_folder().join("examples");
        let (runtime, limit) = (Arc::new(Runtime::new(settings)), limit.unwrap_or(LIMIT));
        Self { package, runtime, cache, libraries, sources: Sources::of(package), limit }
    }

    /// Runs the examples that have changed, all at once as far as the machine has cores. `known` is what the files of the
    /// tools say: an example keeps its time while the sources are the same.
    pub async fn run(&self, definitions: &[Definition], known: &[Record]) -> Ran {
        let rscript = Arc::new(tool(String::new(), self.limit));
        if self.runtime.available(&rscript).await.is_err() {
            let source = SourceId::new("DESCRIPTION");
            let note = Diagnostic::new(
                &NO_R,
                Origin::whole(&source),
                "`Rscript` was not found, so examples were not run",
            );
            let note = note.hint("install R, or say --no-examples");
            return Ran { records: known.to_vec(), diagnostics: vec![note] };
        }
        let runs = self.runs(definitions).await;
        let mut ran = Ran { records: Vec::new(), diagnostics: Vec::new() };
        for (definition, known) in definitions.iter().zip(known) {
            match self.record(definition, &runs) {
                Ok(record) => ran.records.push(record.keeping_time_of(known)),
                Err(problem) => {
                    ran.records.push(Record::default());
                    ran.diagnostics.push(*problem);
                }
            }
        }
        ran
    }

    /// What came of each example, by its key. Functions on one page share theirs, which is run once for all of them.
    async fn runs(&self, definitions: &[Definition]) -> HashMap<String, Run> {
        let keyed = definitions
            .iter()
            .filter_map(|definition| Some((self.key(runnable(definition)?), definition)));
        let different: HashMap<_, _> = keyed.collect();
        let all = different.into_iter().map(|(key, definition)| async {
            let run = self.once(&key, definition).await;
            run.map(|run| (key, run))
        });
        join_all(all).await.into_iter().flatten().collect()
    }

    /// What is remembered of an example, or what comes of running it.
    async fn once(&self, key: &str, definition: &Definition) -> Option<Run> {
        let entry = self.cache.join(key);
        let known =
            fs::read(&entry).ok().and_then(|bytes| Run::remembered(&bytes, || self.libraries()));
        if known.is_some() {
            return known;
        }
        let run = self.evaluate(definition, runnable(definition)?).await;
        if let Some(kept) = run.kept(|| self.libraries()) {
            // A cache that cannot be written costs time, no more.
            let _ = fs::create_dir_all(&self.cache).and_then(|()| fs::write(&entry, kept));
        }
        Some(run)
    }

    fn record(
        &self,
        definition: &Definition,
        runs: &HashMap<String, Run>,
    ) -> Result<Record, Box<Diagnostic>> {
        let run =
            runnable(definition).and_then(|example| Some((example, runs.get(&self.key(example))?)));
        let Some((example, run)) = run else {
            return Ok(Record::default());
        };
        match run {
            Run::Printed { output, seconds } => {
                let measured = Measured::of_run(output, *seconds);
                Ok(Record { measured, sources: Some(self.digest(example)) })
            }
            Run::Skipped => Ok(Record::default()),
            Run::Failed(why) | Run::Ended(why) => {
                let message = format!("the example of `{}` failed: {why}", definition.tool);
                let found = Diagnostic::new(&FAILED_EXAMPLE, definition.origin.clone(), message)
                    .tool(&definition.tool);
                let is_ended = matches!(run, Run::Ended(_));
                let more_time =
                    if is_ended { " give it more time (`--timeout-seconds`)," } else { "" };
                Err(Box::new(found.hint(format!(
                    "mend it,{more_time} or put what cannot run here in `\\dontrun{{}}`"
                ))))
            }
        }
    }

    async fn evaluate(&self, definition: &Definition, example: &ExampleCode) -> Run {
        let script = format!("{}{R_SOURCING}{DRIVER}", self.values(example));
        let arguments = Map::from_iter([("script".to_owned(), Value::from(script))]);
        Run::of(
            &self
                .runtime
                .call_alone(Arc::new(tool(definition.tool.clone(), self.limit)), arguments)
                .await,
        )
    }

    /// What tells whether packages were installed or removed: when their folders were changed.
    fn libraries(&self) -> String {
        let inner = |folder: &PathBuf| {
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
        };
        let outer = self.libraries.iter().cloned();
        let folders = outer.chain(self.libraries.iter().flat_map(inner));
        let changed = folders
            .filter_map(|folder| fs::metadata(&folder).and_then(|about| about.modified()).ok());
        let changed = changed.filter_map(|time| time.duration_since(UNIX_EPOCH).ok());
        changed.map(|time| time.as_millis()).max().unwrap_or_default().to_string()
    }

    /// What the driver is told, as R.
    fn values(&self, example: &ExampleCode) -> String {
        let folder =
            self.package.folder.canonicalize().unwrap_or_else(|_| self.package.folder.clone());
        let values = [
            ("package", self.package.name.as_str()),
            ("folder", &folder.to_string_lossy()),
            ("code", &example.run),
            ("condition", condition(example)),
        ];
        let values: Vec<_> =
            values.into_iter().map(|(name, value)| format!("{name} = {}", quoted(value))).collect();
        format!(".toolcrib <- list({})\n", values.join(", "))
    }

    /// The name of what is remembered of an example.
    fn key(&self, example: &ExampleCode) -> String {
        self.sources.with(&[&example.run, condition(example), R_SOURCING, DRIVER]) + ".json"
    }

    /// The digest of an example and all that it may use, short enough to stand in a file.
    fn digest(&self, example: &ExampleCode) -> String {
        self.sources.with(&[&example.run, condition(example)]).chars().take(16).collect()
    }
}

/// The example of a tool, if there is anything in it to run.
fn runnable(definition: &Definition) -> Option<&ExampleCode> {
    definition.example.as_ref().filter(|example| example.is_runnable())
}

/// What must hold for an example to be run, as R.
fn condition(example: &ExampleCode) -> &str {
    example.condition.as_deref().unwrap_or("TRUE")
}

/// The variables of an example: those of any program, in one locale.
fn variables(environment: &Environment) -> Vec<(String, String)> {
    let passed = environment.child_variables(&LIBRARIES.map(str::to_owned));
    let is_locale =
        |name: &str| name.starts_with("LC_") || LOCALE.iter().any(|(own, _)| *own == name);
    let locale = LOCALE.map(|(name, value)| (name.to_owned(), value.to_owned()));
    passed.into_iter().filter(|(name, _)| !is_locale(name)).chain(locale).collect()
}

/// Where R is installed, if that is a folder of its own: two levels above the real `Rscript`.
fn home_of_r(environment: &Environment) -> Option<PathBuf> {
    let folders = std::env::split_paths(environment.get("PATH")?);
    let program = folders
        .map(|folder| folder.join("Rscript"))
        .find(|path| path.is_file())?
        .canonicalize()
        .ok()?;
    program.ancestors().nth(2).map(PathBuf::from)
}

/// `Rscript` with a script in its private folder. It may read the package and change nothing of it.
fn tool(name: String, limit: Duration) -> Tool {
    let script = Binding { pass_by: PassBy::File, ..Binding::positional("script") };
    let pieces = vec![Piece::Word("--vanilla".to_owned()), Piece::Parameter(script)];
    let implementation = Implementation::Process(Process { program: "Rscript".to_owned(), pieces });
    let schema = json!({"type": "object", "properties": {"script": {"type": "string"}}});
    let schema = Schema::new(schema.as_object().cloned().unwrap_or_default());
    let mut tool = Tool::new(
        name,
        "Runs an example",
        schema,
        implementation,
        Origin::whole(&SourceId::new("DESCRIPTION")),
    );
    tool.annotations = Annotations { mutates: Some(false), ..Annotations::default() };
    tool.timeout = Some(limit);
    tool
}

/// A text as R spells it, in ASCII, so that no locale can misread it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            ' '..='~' => out.push(c),
            c => out.push_str(&format!("\\U{{{:x}}}", c as u32)),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn text_is_spelled_as_r_does() {
        assert_eq!(quoted("a\"\\\né"), r#""a\"\\\n\U{e9}""#);
    }
}
