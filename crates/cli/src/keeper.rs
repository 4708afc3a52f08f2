//! The runtime of a crib with its memory: what `serve`, `call`, `operations` and `approve` share.

use std::{
    future::Future,
    sync::Arc,
    time::{Duration, SystemTime},
};

use builtin::{
    Checked, Checker, Examples, Finding, FlagPlaces, Flags, Handles, content,
    documents::{self, Ability, Doctor, Rendering},
};
use catalog::{Catalog, Diagnostic, Failure, Severity, flag::FlagValues};
use runtime::{Runtime, Settings};
use store::Store;
use toolkit::{BadPrefix, BoxFuture, Native, Prefix, Presentation};
use workspace::{Crib, Environment, FlagDefaults, Loaded};

use crate::{
    error::{CommandError, Kind},
    guide::Material,
    report,
    user_store::UserStore,
};

/// A runtime whose operations, approvals and audit are kept in the crib's state folder. If they cannot be, that is said,
/// and they are forgotten when the process ends.
pub(crate) fn open(crib: &Crib, settings: Settings) -> Runtime {
    match Store::open(&crib.state_folder()) {
        Ok(store) => {
            if let Some(path) = store.moved_aside() {
                tracing::warn!(
                    "the store was broken; it was moved to {} and a new one begun",
                    path.display()
                );
            }
            let store = Arc::new(store);
            Runtime::with_journal(settings, store.clone()).with_storage(store)
        }
        Err(error) => {
            tracing::error!("operations and approvals will be forgotten when this ends: {error}");
            Runtime::new(settings)
        }
    }
}

/// As [`open`], for a command that is about what is kept: without it there is nothing to do.
pub(crate) fn open_kept(crib: &Crib) -> Result<Runtime, CommandError> {
    let store = Store::open(&crib.state_folder())
        .map_err(|error| CommandError::machine(error.to_string()))?;
    Ok(Runtime::with_journal(crib.settings(), Arc::new(store)))
}

/// Called after a change of flags, before it is answered.
pub(crate) type OnChange = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// Nobody who wants to know of changes.
pub(crate) fn nobody() -> OnChange {
    Arc::new(|| Box::pin(std::future::ready(())))
}

/// The flags that can be seen from a crib.
pub(crate) fn flags(crib: &Crib, environment: &Environment, changed: OnChange) -> Flags {
    let defaults = FlagDefaults::new(crib);
    Flags::new(FlagPlaces {
        keep: Arc::new(UserStore::new(environment.state_folder())),
        folder: crib.folder.clone(),
        identify: workspace::project,
        defaults: Arc::new(move || defaults.read()),
        changed,
    })
}

/// The flags by which a crib switches tools: none are looked up where it switches nothing.
pub(crate) async fn switching(crib: &Crib, flags: &Flags) -> Result<FlagValues, Failure> {
    match crib.switches.is_empty() {
        true => Ok(FlagValues::new()),
        false => flags.values().await,
    }
}

/// As [`switching`]; where flags cannot be read, that is said, and the configuration's count.
pub(crate) async fn switching_or_defaults(crib: &Crib, flags: &Flags) -> FlagValues {
    switching(crib, flags).await.unwrap_or_else(|failure| {
        tracing::error!(
            "flags could not be read, so only those in toolcrib.toml count: {}",
            failure.message
        );
        crib.flags.clone()
    })
}

/// The built-in tools of a crib, as they are served. `prefix` is what the command line wants before their names.
pub(crate) fn natives(
    crib: &Crib,
    environment: &Environment,
    runtime: &Runtime,
    material: &Material,
    prefix: Option<&str>,
) -> Result<Vec<Native>, CommandError> {
    let prefix = match prefix.or_else(|| environment.get("MCP_TOOL_PREFIX")) {
        Some(prefix) => Prefix::set(prefix).map_err(bad_prefix)?,
        None => Prefix::unset(),
    };
    let is_shown = environment
        .get("MCP_INCLUDE_EXAMPLE_TOOLS")
        .is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let rendering = material.rendering(crib, runtime);
    let handles = Handles {
        operations: runtime.operations(),
        guide: Some(material.guide.clone()),
        documents: Some(material.documents.clone()),
        doctor: Some(doctor(crib, &rendering)),
        rendering: Some(rendering),
        examples: if is_shown { Examples::Shown } else { Examples::Hidden },
        flags: Some(material.flags.clone()),
        checker: crib.checks_definitions().then(|| checker(crib)),
    };
    let presentation = Presentation { prefix, errors: crib.config.crib.errors.map(Into::into) };
    builtin::toolset(&handles)
        .build(&presentation)
        .map_err(|error| CommandError::machine(error.to_string()))
}

/// What `doctor` tells: whether documents can be kept here, and what can render them.
fn doctor(crib: &Crib, rendering: &Rendering) -> Doctor {
    let folder = crib.documents.as_ref().map(|documents| documents.folder.clone());
    let rendering = rendering.clone();
    Arc::new(move || {
        let kept = folder.as_ref().map(|folder| Ability {
            name: "documents".to_owned(),
            ok: folder.is_dir(),
            detail: folder.display().to_string(),
            hint: (!folder.is_dir()).then(|| "it is made with the first document".to_owned()),
        });
        let rendering = rendering.clone();
        Box::pin(async move { kept.into_iter().chain(rendering.abilities().await).collect() })
    })
}

/// What `check_definition` checks with: everything that `check` does for a file of the crib.
fn checker(crib: &Crib) -> Checker {
    let crib = crib.clone();
    Arc::new(move |name, text| {
        let loaded = workspace::check_text(&crib, name.unwrap_or("definition"), text);
        let spots = report::spots_in(text, &loaded.diagnostics);
        let finding = |(found, spot): (&Diagnostic, Option<report::Spot>)| Finding {
            code: found.code.to_owned(),
            severity: found.severity.as_str().to_owned(),
            message: found.message.clone(),
            hint: found.hint.clone(),
            line: spot.as_ref().map(|spot| spot.line),
            column: spot.as_ref().map(|spot| spot.column),
            tool: found.tool.clone(),
        };
        Checked {
            tools: loaded.catalog.tools().iter().map(|tool| tool.name.clone()).collect(),
            errors: loaded.count(Severity::Error),
            warnings: loaded.count(Severity::Warning),
            diagnostics: loaded.diagnostics.iter().zip(spots).map(finding).collect(),
        }
    })
}

fn bad_prefix(error: BadPrefix) -> CommandError {
    CommandError::new(Kind::BadArguments, error.to_string())
        .hint("use letters, digits, `_`, `-` and `.`; nothing for none")
}

/// The tools of a crib and the built-in ones that it wants.
pub(crate) fn with_built_ins(crib: &Crib, catalog: &Catalog, natives: &[Native]) -> Catalog {
    let has_guide = crib.config.has_guide();
    let is_guide = |native: &Native| {
        native
            .tool
            .annotations
            .category
            .as_deref()
            .is_some_and(|own| [content::CATEGORY, builtin::FLAGS].contains(&own))
    };
    let is_document =
        |native: &Native| native.tool.annotations.category.as_deref() == Some(documents::CATEGORY);
    let is_wanted = |native: &&Native| {
        (has_guide || !is_guide(native)) && (crib.documents.is_some() || !is_document(native))
    };
    let wanted: Vec<_> = natives.iter().filter(is_wanted).cloned().collect();
    for tool in builtin::hidden(catalog.tools(), &wanted) {
        let (name, source) = (&tool.name, &tool.origin.source);
        tracing::warn!(
            "`{name}` of {source} is not served, a built-in tool has its name: rename it, or choose a --prefix"
        );
    }
    Catalog::merge(builtin::join(catalog.tools(), &wanted)).0
}

/// Runs a future to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, CommandError> {
    let driver = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let driver = driver.map_err(|error| CommandError::machine(format!("cannot start: {error}")))?;
    let result = driver.block_on(future);
    driver.shutdown_background();
    Ok(result)
}

/// What the journal could not do.
pub(crate) fn failed(failure: Failure) -> CommandError {
    CommandError::machine(failure.message)
}

/// Where definitions should be, if there are none, but files that may be some lie beside that place.
pub(crate) fn misplaced(crib: &Crib, loaded: &Loaded) -> Option<String> {
    let strays = if loaded.files == 0 { crib.strays() } else { 0 };
    let files = count(strays, "JSON or YAML file");
    (strays > 0).then(|| {
        format!("definitions are read from `tools/` and `inst/mcp/tools/`; {files} beside them not")
    })
}

/// A number of things.
pub(crate) fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// A time as people read it: how long ago.
pub(crate) fn ago(time: SystemTime) -> String {
    match SystemTime::now().duration_since(time) {
        Ok(passed) => format!("{} ago", span(passed)),
        Err(_) => "just now".to_owned(),
    }
}

/// A span of time in its largest unit that fits.
pub(crate) fn span(span: Duration) -> String {
    match span.as_secs() {
        0 => format!("{} ms", span.as_millis()),
        seconds @ 1..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::span;

    #[test]
    fn spans_are_told_in_one_unit() {
        let told =
            [5, 1_500, 125_000, 7_200_000, 200_000_000].map(|ms| span(Duration::from_millis(ms)));
        assert_eq!(told, ["5 ms", "1 s", "2 min", "2 h", "2 d"]);
    }
}
