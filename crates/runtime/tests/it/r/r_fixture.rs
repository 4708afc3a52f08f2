//! A crib with the sources of an R package, and short ways to call its functions.

use std::{env, fs, path::Path, time::Duration};

use catalog::{
    Implementation, Origin, Outcome, SourceId, Tool,
    implementation::{Atom, Encoding, Formal, RFunction},
};
use runtime::{Session, Settings};
use serde_json::{Value, json};
use testing::{RuntimeFixture, schema};
use tokio_util::sync::CancellationToken;

/// A crib with the package `bench`, and a session in it.
pub(super) struct RFixture {
    pub(super) crib: RuntimeFixture,
    pub(super) session: Session,
}

impl RFixture {
    /// A package with this code.
    pub(super) fn new(code: &str) -> Self {
        Self::with(code, |_| {})
    }

    pub(super) fn with(code: &str, change: impl FnOnce(&mut Settings)) -> Self {
        let crib = RuntimeFixture::with_settings(|settings| {
            if let Ok(path) = env::var("PATH") {
                settings.environment = vec![("PATH".to_owned(), path)];
            }
            change(settings);
        });
        write_package(&crib.path("crib"), "bench", &[("code.R", code)], "");
        Self { crib, session: Session::default() }
    }

    pub(super) async fn call(&self, tool: Tool, arguments: Value) -> Outcome {
        self.call_with(tool, arguments, CancellationToken::new(), None).await
    }

    /// Calls a function that takes nothing.
    pub(super) async fn run(&self, name: &str) -> Outcome {
        self.call(function(name, &[]), json!({})).await
    }

    pub(super) fn call_with(
        &self,
        tool: Tool,
        arguments: Value,
        cancel: CancellationToken,
        limit: Option<Duration>,
    ) -> impl Future<Output = Outcome> + Send + use<> {
        self.call_in(&self.session, tool, arguments, cancel, limit)
    }

    pub(super) fn call_in(
        &self,
        session: &Session,
        tool: Tool,
        arguments: Value,
        cancel: CancellationToken,
        limit: Option<Duration>,
    ) -> impl Future<Output = Outcome> + Send + use<> {
        self.crib.call_in(session, tool, arguments, cancel, limit)
    }

    /// The id of the R process of the session, from the function `pid`.
    pub(super) async fn pid(&self) -> String {
        let outcome = self.call(returning("pid", json!({"type": "integer"})), json!({})).await;
        outcome.structured.expect("a value").to_string()
    }
}

/// Writes the sources of a package; `fields` are more lines of its DESCRIPTION.
pub(super) fn write_package(folder: &Path, name: &str, files: &[(&str, &str)], fields: &str) {
    fs::create_dir_all(folder.join("R")).unwrap();
    fs::write(folder.join("DESCRIPTION"), format!("Package: {name}\nVersion: 1.2.3\n{fields}"))
        .unwrap();
    for (file, code) in files {
        fs::write(folder.join("R").join(file), code).unwrap();
    }
}

/// A tool that is a function of the package in the crib.
pub(super) fn function(name: &str, formals: &[(&str, Encoding)]) -> Tool {
    let formals = formals
        .iter()
        .map(|(name, encoding)| Formal { parameter: (*name).to_owned(), encoding: *encoding });
    let implementation = RFunction {
        package: "bench".to_owned(),
        function: name.to_owned(),
        sources: Some(".".to_owned()),
        formals: formals.collect(),
    };
    let schema = schema(json!({"type": "object"}));
    Tool::new(
        format!("bench-{name}"),
        "A function",
        schema,
        Implementation::R(implementation),
        Origin::whole_file(&SourceId::new("f.yaml")),
    )
}

/// A tool without parameters whose result has this schema.
pub(super) fn returning(name: &str, schema: Value) -> Tool {
    Tool { output: Some(testing::schema(schema)), ..function(name, &[]) }
}

pub(super) const TEXT: Encoding = Encoding::Scalar(Atom::Character);
pub(super) const NUMBER: Encoding = Encoding::Scalar(Atom::Double);
