//! Versions that are not semantic versions.

use catalog::{Diagnostic, Rule, Severity, Tool};

use crate::sink::DiagnosticSink;

pub(crate) static RULE: Rule = Rule {
    code: "TC412",
    name: "odd-version",
    severity: Severity::Warning,
    why: "Versions follow semantic versioning: three numbers such as `1.4.2`, and a suffix such \
          as `-beta.1` for a pre-release. `toolcrib diff` computes from them which version a \
          change requires.",
    bad: include_str!("examples/odd_version.md"),
    good: include_str!("examples/count_lines.md"),
};

pub(crate) fn check(tool: &Tool, sink: &mut DiagnosticSink<'_>) {
    let Some(version) = tool.annotations.version.as_deref().filter(|version| !is_semantic(version))
    else {
        return;
    };
    let location = tool
        .details
        .as_ref()
        .and_then(|details| details.version.as_ref())
        .map(|version| tool.origin_of(&version.location));
    let found = Diagnostic::new(
        &RULE,
        location.unwrap_or_else(|| tool.origin.clone()),
        format!("`{version}` is not a semantic version"),
    );
    sink.push(
        found
            .with_received(version)
            .with_expected("MAJOR.MINOR.PATCH")
            .hint("write three numbers separated by dots"),
    );
}

fn is_semantic(text: &str) -> bool {
    semver::Version::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_semantic;

    #[test]
    fn recognizes_semantic_versions() {
        assert!(["0.1.0", "1.2.3", "10.20.30-beta.1+build.5"].into_iter().all(is_semantic));
        assert!(
            !["1", "1.2", "1.02.3", "v1.2.3", "1.2.3-", "1.2.x", "latest"]
                .into_iter()
                .any(is_semantic)
        );
    }
}
