//! Checks what clients would lose of a crib's tools.

use catalog::{Diagnostic, Severity, Tool};
use clients::{Advertised, Client, Problem};
use workspace::{Crib, Loaded};

use crate::snapshot::{describer, served_name};

/// Checks all tools against the rules of the named clients and of the configured ones.
pub fn check_clients(crib: &Crib, named: &[&'static Client], loaded: &mut Loaded) {
    let mut all = named.to_vec();
    all.extend(crib.config.serve.clients.iter().map(|client| client.0));
    all.sort_by_key(|client| client.name);
    all.dedup_by_key(|client| client.name);
    let server = clients::server_name(&crib.name());
    let describe = describer(crib);
    let tools = loaded.catalog.tools().to_vec();
    for client in all {
        for tool in &tools {
            let (name, description) = (served_name(crib, &tool.name), describe(tool));
            let input = tool.input.object();
            let advertised =
                Advertised { server: &server, name: &name, description: &description, input };
            let problems = clients::find_problems(client.name, &advertised);
            let found = problems.into_iter().filter_map(|problem| report(client, tool, problem));
            loaded.diagnostics.extend(found);
        }
    }
}

/// A lost tool is an error, unless the client gets a looser form of it.
fn report(client: &Client, tool: &Tool, problem: Problem) -> Option<Diagnostic> {
    let is_reported_anyway = lint::COMMON_CLIENTS.contains(&client.name);
    if problem.is_lossless() {
        return None;
    }
    let severity = match (problem.is_lowered(), problem.loses_tool()) {
        // A looser form keeps the lost constraints in the description, so there is nothing to
        // report.
        (true, false) => return None,
        (true, true) if is_reported_anyway => return None,
        (true, true) | (false, false) => Severity::Warning,
        (false, true) => Severity::Error,
    };
    let (title, effect) = (client.title, problem.effect.describe());
    let message = format!("the tool has {}: {title} {effect}", problem.what);
    let hint = problem.describe_handling();
    let found = Diagnostic::new(&lint::CLIENT_LOSES_TOOL, tool.origin.clone(), message);
    Some(found.hint(hint).tool(&tool.name).severity(severity))
}
