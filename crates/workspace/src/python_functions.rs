//! Checks the Python functions of bound tools without running them.

use std::path::{Path, PathBuf};

use catalog::{
    Catalog, Diagnostic, Implementation, Origin, Rule, Severity, Tool, closest,
    implementation::PythonFunction,
};
use formats::{PythonModule, PythonSignature};

use crate::Files;

/// A bound module that is not in the crib or cannot be parsed.
pub static UNUSABLE_MODULE: Rule = Rule {
    code: "TC611",
    name: "unusable-python-module",
    severity: Severity::Error,
    why: "A tool is bound to a function of a Python module that was not found in the folders of `path`, or that has a syntax \
          error. A module that is not in the crib may be installed, so that is only a warning.",
    bad: "",
    good: "",
};

/// A function that its module does not define.
pub(crate) static MISSING_FUNCTION: Rule = Rule {
    code: "TC612",
    name: "missing-python-function",
    severity: Severity::Error,
    why: "A tool is bound to a Python function that its module does not define, so every call would fail.",
    bad: "",
    good: "",
};

/// A function whose parameters differ from those of its tool.
pub(crate) static OTHER_PARAMETERS: Rule = Rule {
    code: "TC613",
    name: "other-python-parameters",
    severity: Severity::Error,
    why: "Arguments are passed to a Python function by name. A parameter that only the function or only the tool has makes \
          calls fail: always if it is required, otherwise if it is given.",
    bad: "",
    good: "",
};

/// Checks the functions of all bound tools.
pub(crate) fn check(files: &Files, crib: &Path, catalog: &Catalog) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for tool in catalog.tools() {
        if let Implementation::Python(function) = &tool.implementation {
            let problems = check_function(files, crib, tool, function);
            found.extend(problems.into_iter().map(|problem| problem.tool(&tool.name)));
        }
    }
    found
}

fn check_function(
    files: &Files,
    crib: &Path,
    tool: &Tool,
    function: &PythonFunction,
) -> Vec<Diagnostic> {
    let PythonFunction { module, function: name, path } = function;
    let Some(file) = find_module(crib, function) else {
        let folders = path.iter().map(|folder| format!("`{folder}`")).collect::<Vec<_>>();
        let message = format!("there is no Python module `{module}` in {}", folders.join(", "));
        let problem = Diagnostic::new(&UNUSABLE_MODULE, tool.origin.clone(), message);
        return vec![problem.severity(Severity::Warning).hint(format!(
            "write `{}.py`, or set `path` in `[[bind]]`; if the module is installed, no action is needed",
            module.replace('.', "/")
        ))];
    };
    let source = files.name(&file);
    let Ok(bytes) = files.read(&file) else {
        return Vec::new();
    };
    let text = PythonModule::read(&String::from_utf8_lossy(&bytes));
    if let Some(line) = text.syntax_error {
        let message = format!("`{source}` has a syntax error near line {line}");
        let problem = Diagnostic::new(&UNUSABLE_MODULE, tool.origin.clone(), message);
        return vec![problem.hint(format!("`python3 -m py_compile {source}` explains it"))];
    }
    if !text.has_name(name) {
        let message = format!("`{source}` has no function `{name}`");
        let hint = closest(name, text.names()).map_or_else(
            || format!("write `{}`", propose_signature(name, tool)),
            |near| format!("did you mean `{near}`?"),
        );
        return vec![Diagnostic::new(&MISSING_FUNCTION, tool.origin.clone(), message).hint(hint)];
    }
    // As in Python, the last definition of a name takes effect.
    let signature = text.functions.iter().rev().find(|function| function.name == *name);
    let at = |signature: &PythonSignature| Origin::offset(&source, signature.offset);
    signature.map(|own| compare(tool, own, &at(own))).unwrap_or_default()
}

/// Finds the file of a module in the crib.
fn find_module(crib: &Path, function: &PythonFunction) -> Option<PathBuf> {
    let relative = function.module.replace('.', "/");
    let candidates = function.path.iter().flat_map(|folder| {
        let base = crib.join(folder).join(&relative);
        [base.with_extension("py"), base.join("__init__.py")]
    });
    candidates.into_iter().find(|file| file.is_file())
}

fn compare(tool: &Tool, signature: &PythonSignature, at: &Origin) -> Vec<Diagnostic> {
    let hint = format!("write `{}`", propose_signature(&signature.name, tool));
    let report = |message: String, is_certain: bool| {
        let severity = if is_certain { Severity::Error } else { Severity::Warning };
        Diagnostic::new(&OTHER_PARAMETERS, at.clone(), message).severity(severity).hint(&hint)
    };
    let is_required = |name: &str| tool.input.required().any(|required| required == name);
    let mut found = Vec::new();
    for (name, _) in tool.input.properties() {
        let own = signature.parameters.iter().find(|parameter| parameter.name == name);
        if own.is_none() && !signature.takes_any {
            let message = format!("`{}` does not take the parameter `{name}`", signature.name);
            found.push(report(message, is_required(name)));
        } else if own.is_some_and(|own| own.is_required) && !is_required(name) {
            let has_default =
                tool.input.property(name).is_some_and(|own| own.get("default").is_some());
            let message = format!("`{name}` is optional, but `{}` requires it", signature.name);
            found.extend((!has_default).then(|| report(message, false)));
        }
    }
    let is_known = |name: &str| tool.input.property(name).is_some();
    let extra = signature.parameters.iter().filter(|own| own.is_required && !is_known(&own.name));
    found.extend(extra.map(|own| {
        report(
            format!("`{}` requires `{}`, which the tool does not have", signature.name, own.name),
            true,
        )
    }));
    found
}

/// Proposes a definition of the function that fits the tool.
fn propose_signature(name: &str, tool: &Tool) -> String {
    let required: Vec<_> = tool.input.required().collect();
    let properties: Vec<_> = tool.input.properties().map(|(name, _)| name).collect();
    let first =
        properties.iter().filter(|name| required.contains(name)).map(|name| (*name).to_owned());
    let rest = properties.iter().filter(|name| !required.contains(name));
    let parameters: Vec<_> = first.chain(rest.map(|name| format!("{name}=None"))).collect();
    format!("def {name}({}):", parameters.join(", "))
}
