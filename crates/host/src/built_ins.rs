//! The built-in tools of a crib: made for its documents, flags and operations, and added to its
//! own.

use std::sync::Arc;

use builtin::{
    Checked, Checker, Finding, Handles, guide,
    rmd::{self, Ability, Doctor, RmdRenderer},
};
use catalog::{Catalog, Diagnostic, Implementation, Mode, Severity, Tool, name};
use runtime::Runtime;
use toolkit::{Native, ToolsetOptions};
use workspace::{Crib, Environment};

use crate::{
    AssemblyError,
    providers::Providers,
    report::{self, Position},
};

/// Builds every built-in tool under its served name. `prefix` is the one of the command line;
/// without it the environment decides.
pub(crate) fn build(
    crib: &Crib,
    environment: &Environment,
    runtime: &Runtime,
    providers: &Providers,
    prefix: Option<&str>,
) -> Result<Vec<Native>, AssemblyError> {
    let variable = |name: &str| match prefix {
        // The flag overrides the variable, which clients set for all of their servers.
        Some(prefix) if name == toolkit::PREFIX_VARIABLE => Some(prefix.to_owned()),
        _ => environment.get(name).map(str::to_owned),
    };
    let mut options = ToolsetOptions::from_variables(variable).map_err(AssemblyError::Prefix)?;
    options.errors = crib.config.crib.errors.map(Into::into);
    let rendering = providers.rendering(crib, runtime);
    let handles = Handles {
        operations: runtime.operations(),
        outputs: runtime.output_reader(),
        guide: Some(providers.guide.clone()),
        documents: Some(providers.documents.clone()),
        doctor: Some(doctor(crib, &rendering)),
        renderer: Some(rendering),
        flags: Some(providers.flags.clone()),
        checker: crib.serves_check_definition().then(|| build_checker(crib)),
    };
    builtin::toolset(&handles).build(&options).map_err(AssemblyError::BuiltIns)
}

/// Adds the built-in tools that the crib's configuration enables or that the results of its tools
/// require. `defined` has all tools of the crib, including those that a flag disables: disabling
/// the last asynchronous tool must not make its running operations unreachable.
pub(crate) fn add_to(
    catalog: &Catalog,
    defined: &Catalog,
    crib: &Crib,
    natives: &[Native],
) -> Catalog {
    let wanted: Vec<_> = natives.iter().filter(|native| is_wanted(crib, native)).collect();
    let served = || {
        let natives = wanted.iter().map(|native| &native.tool);
        defined.tools().iter().map(AsRef::as_ref).chain(natives)
    };
    let has_operations = served().any(|tool| tool.mode == Mode::Asynchronous && tool.is_callable());
    // Native tools limit the size of their results themselves.
    let has_long_outputs =
        served().any(|tool| tool.is_callable() && tool.implementation != Implementation::Native);
    let needed = wanted.iter().filter(|native| match native.tool.name.as_str() {
        name::READ_OUTPUT => has_long_outputs,
        name if name::OPERATION_TOOLS.contains(&name) => has_operations,
        _ => true,
    });
    // `with` replaces tools of the same name, so a built-in one always wins.
    catalog.with(needed.map(|native| Arc::new(with_description_of(catalog, &native.tool))))
}

/// A built-in tool, with the description of a definition that has its name and no program. One with
/// a program is not served, which is logged: a call of that name runs the built-in tool.
fn with_description_of(catalog: &Catalog, native: &Tool) -> Tool {
    let mut tool = native.clone();
    match catalog.get(&tool.name) {
        Some(defined) if defined.is_callable() => {
            let (name, source) = (&defined.name, &defined.origin.source);
            tracing::warn!(
                "`{name}` of {source} is not served: a built-in tool has the same name; rename it, or pass a --prefix"
            );
        }
        Some(defined) => tool.description = defined.description.clone(),
        None => {}
    }
    tool
}

/// Whether the configuration enables a tool: content needs `[content]`, flags `[flags]`, documents
/// `[documents]`.
fn is_wanted(crib: &Crib, native: &Native) -> bool {
    match native.tool.annotations.category.as_deref() {
        Some(guide::CATEGORY) => crib.config.content.is_some(),
        Some(builtin::FLAGS_CATEGORY) => crib.config.flags.is_some(),
        Some(rmd::CATEGORY) => crib.documents.is_some(),
        _ => true,
    }
}

/// Reports whether the document folder exists and which renderers are available.
fn doctor(crib: &Crib, rendering: &RmdRenderer) -> Doctor {
    let folder = crib.documents.as_ref().map(|documents| documents.folder.clone());
    let rendering = rendering.clone();
    Arc::new(move || {
        let storage = folder.as_ref().map(|folder| Ability {
            name: "documents".to_owned(),
            ok: folder.is_dir(),
            detail: folder.display().to_string(),
            hint: (!folder.is_dir()).then(|| "it is created with the first document".to_owned()),
        });
        let rendering = rendering.clone();
        Box::pin(async move { storage.into_iter().chain(rendering.abilities().await).collect() })
    })
}

/// Checks a definition as `toolcrib check` checks a file of the crib.
fn build_checker(crib: &Crib) -> Checker {
    let crib = crib.clone();
    Arc::new(move |name, text| {
        // The name decides the format where the content alone does not.
        let loaded = workspace::check_text(&crib, name.unwrap_or("definition"), text);
        let positions = report::positions_in(text, &loaded.diagnostics);
        Checked {
            tools: loaded.catalog.tools().iter().map(|tool| tool.name.clone()).collect(),
            errors: loaded.count(Severity::Error),
            warnings: loaded.count(Severity::Warning),
            diagnostics: loaded
                .diagnostics
                .iter()
                .zip(positions)
                .map(|(found, position)| to_finding(found, position.as_ref()))
                .collect(),
        }
    })
}

fn to_finding(found: &Diagnostic, position: Option<&Position>) -> Finding {
    Finding {
        code: found.code.to_owned(),
        severity: found.severity.as_str().to_owned(),
        message: found.message.clone(),
        hint: found.hint.clone(),
        line: position.map(|position| position.line),
        column: position.map(|position| position.column),
        tool: found.tool.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use catalog::{Catalog, Implementation, Origin, Schema, SourceId, Tool};

    use super::with_description_of;

    fn tool(name: &str, description: &str, implementation: Implementation) -> Tool {
        let origin = Origin::whole_file(&SourceId::new("test"));
        Tool::new(name, description, Schema::empty(), implementation, origin)
    }

    #[test]
    fn a_definition_without_a_program_describes_a_built_in_tool() {
        let (catalog, _) = Catalog::merge([
            tool("await", "Waits as we like it", Implementation::Missing),
            tool("status", "A program", Implementation::Native),
            tool("mine", "Mine", Implementation::Native),
        ]);
        let natives = ["await", "cancel", "status"].map(|name| {
            with_description_of(&catalog, &tool(name, "Built in", Implementation::Native))
        });
        let joined = catalog.with(natives.map(Arc::new));
        let described: Vec<_> = joined
            .tools()
            .iter()
            .map(|tool| (tool.name.as_str(), tool.description.text.as_str(), tool.is_callable()))
            .collect();
        assert_eq!(
            described,
            [
                ("await", "Waits as we like it", true),
                ("cancel", "Built in", true),
                ("mine", "Mine", true),
                ("status", "Built in", true),
            ]
        );
    }
}
