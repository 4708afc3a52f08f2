//! The examples of all rules, read as definitions.

use catalog::{Catalog, Diagnostic, Rule, Severity, SourceId};
use formats::Guidance;
use lint::Context;

/// The diagnostics from reading, merging and checking a definition.
fn diagnose(text: &str) -> Vec<Diagnostic> {
    let reading =
        formats::read(&SourceId::new("tools/example.json"), text.as_bytes(), &Guidance::default());
    let (catalog, duplicates) = Catalog::merge(reading.tools);
    let linted = lint::check(&catalog, &Context { crib: "my-crib".into(), ..Context::default() });
    reading.diagnostics.into_iter().chain(duplicates).chain(linted).collect()
}

fn has(rule: &Rule, found: &[Diagnostic]) -> bool {
    found.iter().any(|diagnostic| diagnostic.code == rule.code)
}

#[test]
fn every_bad_example_has_its_problem_and_no_other() {
    for rule in lint::RULES {
        let found = diagnose(rule.bad);
        assert!(has(rule, &found), "{}: {found:#?}", rule.code);
        let others: Vec<_> = found
            .iter()
            .filter(|of| of.code != rule.code && of.severity > Severity::Note)
            .collect();
        assert!(others.is_empty(), "{}: {others:#?}", rule.code);
    }
}

#[test]
fn every_good_example_has_no_problem() {
    for rule in lint::RULES {
        let found: Vec<_> =
            diagnose(rule.good).into_iter().filter(|of| of.severity > Severity::Note).collect();
        assert!(found.is_empty(), "{}: {found:#?}", rule.code);
    }
}

#[test]
fn every_rule_has_a_reason_and_the_declared_severity() {
    for rule in lint::RULES {
        assert!(rule.why.len() > 60 && rule.why.ends_with('.'), "{}", rule.code);
        let worst = diagnose(rule.bad)
            .into_iter()
            .filter(|of| of.code == rule.code)
            .map(|of| of.severity)
            .max();
        assert_eq!(worst, Some(rule.severity), "{}", rule.code);
    }
}

#[test]
fn every_rule_has_a_readable_message_and_hint() {
    let first = |rule: &Rule| {
        let found = diagnose(rule.bad).into_iter().find(|found| found.code == rule.code);
        let found = found.expect("the bad example has its problem");
        format!("{} {}\n  {}", found.code, found.message, found.hint.unwrap_or_default())
    };
    let lines: Vec<String> = lint::RULES.iter().map(|rule| first(rule)).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    TC201 the name `deploy_all` is taken by tools/example.json#/subcommand/0
      rename one of the two
    TC202 the name `deploy_dry_run` is easily confused with `deploy_dry-run`
      rename one of them so that they differ in more than case, `-`, `_` and `.`
    TC203 hosts show the name as `mcp__my-crib__repository_maintenance_remove_branches_that_have_been_merged`, which has 74 characters, more than 64
      shorten the tool's name, a subcommand or the crib's name by 10
    TC204 the name `7zip.list` starts with a digit and contains a dot, which some hosts rewrite
      start with a letter and use `_` instead of a dot
    TC205 step 1 calls `toolcrib_no_such_tool`, which does not exist
      use the served name of a tool of this crib
    TC206 the sequence calls itself through `again`
      remove this step
    TC207 step 1, `app_build`: Expected integer, received string
      correct the arguments of this step
    TC208 the name `countLines` contains capital letters
      use lower case and `_` between words
    TC209 the description claims that the tool does anything: "Call any public function"
      define one tool for each action
    TC301 the parameter `input_file` looks like a path but does not have `"format": "path"`
      add `"format": "path"` to it, so that it is restricted to the crib's roots
    TC302 the parameter `seconds` is required and has a default
      remove the default, or make the parameter optional
    TC303 the parameter `colour` lists the choice "red" twice
      list each choice once
    TC304 the parameter `page` is an address, but the tool does not declare whether it uses the network
      set `"network": true`, or `"network": false` if the address is not visited
    TC305 the schema accepts arguments that the program does not take; calls with them are rejected
      add `"additionalProperties": false`
    TC306 the parameter `path` has no type
      declare its type
    TC307 the field `lines` has no example of its type
      write one as JSON in backticks
    TC308 the field `lines` has no description
      describe it in a table of fields
    TC309 some clients do not accept `allOf`, `anyOf` or `oneOf` at the root of the schema: Claude Code drops the tool
      they get instead: the properties of all parts; what all alternatives require; a line in the description
    TC401 the parameter `who` has no description
      describe in a few words what it means
    TC402 the description only repeats the name
      describe what the name leaves open
    TC403 the description has 4740 bytes, more than 4096: about 1185 tokens in every conversation
      keep only what a model needs to choose and call the tool
    TC404 the tool is synchronous, but its description promises a reply before it is done: "asynchronously"
      change the text, or set `"synchronous": false`
    TC405 the section "Security Considerations" is missing
      add `### 8. Security Considerations`; write `N/A` and the reason if a section does not apply
    TC406 the example is not valid JSON: it has comments
      write one complete call without comments
    TC407 the example is not a call with `tool_name` and `arguments`
      write `{"tool_name": "count_lines", "arguments": {…}}`
    TC408 the arguments of an example do not match the schema: Additional properties are not allowed ('file' was unexpected)
      correct the example or the schema
    TC409 the described errors lack `status`, `error_type`, `error_message` of the standard error object
      show `{"status": "failure", "error_type": …, "error_message": …, "error_details": {…}}`
    TC410 this section does not state whether the tool is idempotent
      write `- **Idempotent**: Yes`, or another answer, before the explanation
    TC411 neither the tool nor its document has a version
      write `**Version**: 1.0.0` under the heading
    TC412 `1.2` is not a semantic version
      write three numbers separated by dots
    TC413 the description still contains the placeholder "[Brief description of what the tool does and when to use it."
      replace or remove it
    TC501 the tool does not declare whether it changes anything, so it is served as destructive
      add `"mutates": false` if it only reads, otherwise `"mutates": true`
    TC502 the tool declares both `"mutates": true` and `"concurrency": "read_only"`
      set `"concurrency": "exclusive"`
    TC503 the command runs a script with `bash`, so the tool is treated as dangerous
      run the program itself, or keep the script in a file and take its inputs as parameters
    TC504 the description contains the text-direction control U+202E
      remove it: people cannot see it, but models read it
    TC505 the name of the parameter `sоurce` mixes Latin letters with U+043E, which looks like `o`
      write `o`, or write the whole word in one script
    TC506 the description gives the model orders instead of describing the tool: "Ignore all previous instructions"
      describe what the tool does and when it is useful, and remove the rest
    TC507 the description seems to contain a GitHub token (`ghp_…`)
      revoke it, and let the program read the new one from its environment or a file
    TC508 `path` is a path, but this section does not state what it may reach
      state what is validated and rejected, and with which permissions the tool runs
    TC509 the tool declares both `"mutates": false` and `"dangerous": true`
      set `"mutates": true`; if reading is what is dangerous, use `"requires_approval": true`
    "#);
}
