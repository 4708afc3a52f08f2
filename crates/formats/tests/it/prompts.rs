//! Prompts in Markdown and workflows in YAML.

use catalog::{Diagnostic, SourceId};
use formats::{
    PROMPT_RULES, Prompt, PromptArguments, PromptBody, PromptSegment, read_prompt, read_workflow,
};

fn read(name: &str, text: &str) -> (Option<Prompt>, Vec<Diagnostic>) {
    let source = SourceId::new(name);
    if name.ends_with(".md") {
        read_prompt(&source, text.as_bytes())
    } else {
        read_workflow(&source, text.as_bytes())
    }
}

fn codes(name: &str, text: &str) -> Vec<&'static str> {
    read(name, text).1.iter().map(|found| found.code).collect()
}

#[test]
fn examples_of_rules_have_their_problem_and_no_other() {
    for rule in PROMPT_RULES.iter().filter(|rule| !rule.bad.is_empty()) {
        let name = if rule.name.contains("workflow") { "w.yaml" } else { "p.md" };
        assert_eq!(codes(name, rule.bad), [rule.code]);
        assert_eq!(codes(name, rule.good), [""; 0], "{}", rule.code);
    }
}

#[test]
fn reads_name_arguments_and_examples() {
    let text = "---\ndescription: Review\narguments:\n  - {name: path, description: The file, required: true}\n  - name: tone\n    \
                description: How\n    default: kind\n    choices: [kind, strict]\nexamples:\n  - call: src/a.rs strict\n    shows: \
                one file\n---\nReview {{ path }}.\n";
    let (prompt, found) = read("prompts/review.md", text);
    assert_eq!(found, []);
    let prompt = prompt.expect("a prompt");
    assert_eq!((prompt.name.as_str(), prompt.description.as_str()), ("review", "Review"));
    let PromptArguments::Named(arguments) = &prompt.arguments else { panic!("{prompt:?}") };
    assert_eq!((arguments[0].required, arguments[1].default.as_deref()), (true, Some("kind")));
    assert_eq!(arguments[1].choices, ["kind", "strict"]);
    assert_eq!(prompt.examples[0].arguments, "src/a.rs strict");
}

#[test]
fn template_errors_are_located_in_the_file() {
    let text = "---\ndescription: Fine\n---\none\n{% endif %}\n";
    let (prompt, found) = read("p.md", text);
    assert!(prompt.is_none());
    assert_eq!(
        found[0].origin.location,
        catalog::Location::Offset(text.find("{% endif").expect("present"))
    );
}

#[test]
fn finds_references_to_tools_in_tags_only() {
    let text = "---\ndescription: Fine\n---\nIn words call('x').\n{{ call(\"one\", {}) }} {% set a = tool( 'two') %}{{ call(args[0]) }}";
    let (prompt, _) = read("p.md", text);
    let tools = prompt.expect("a prompt").tools;
    let locations: Vec<_> =
        tools.iter().map(|tool| (tool.name.as_str(), tool.origin.location.clone())).collect();
    let locate = |of: &str| catalog::Location::Offset(text.find(of).expect("present"));
    assert_eq!(locations, [("one", locate("call(\"one")), ("two", locate("tool( 'two"))]);
}

const WORKFLOW: &str = r"
name: Load Data
description: Load a data set
overview: First look, then load.
mcp_tools: [list_subjects, load]
jobs:
  look:
    steps:
      - name: See what is there
        tool: list_subjects
        with: {project: demo}
  load:
    needs: look
    steps:
      - tool: load
        dangerous: true
        validation: {check: the result has rows, on_fail: stop}
      - action: Tell the user what was loaded.
        if: anything was loaded
        loop: {over: subjects, item: subject}
warnings:
  - Loading takes long.
best_practices:
  - Ask for the project first.
tool_guide:
  - tool: load
    when: the user wants data
examples:
  - trigger: load demo
    flow:
      - list_subjects
      - load
";

#[test]
fn a_workflow_becomes_markdown() {
    let (prompt, found) = read("w.yaml", WORKFLOW);
    assert_eq!(found, []);
    let prompt = prompt.expect("a prompt");
    assert_eq!(prompt.name, "Load-Data");
    assert_eq!(
        prompt.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
        ["list_subjects", "load"]
    );
    let PromptBody::Text(segments) = prompt.body else { panic!("no text") };
    let text: String = segments
        .iter()
        .map(|segment| match segment {
            PromptSegment::Text(text) => text.clone(),
            PromptSegment::Tool(name) => format!("<{name}>"),
        })
        .collect();
    insta::assert_snapshot!(text, @r#"
    # Load Data

    Load a data set

    First look, then load.

    It uses `<list_subjects>`, `<load>`.

    ## Steps

    ### look

    1. **See what is there** Call `<list_subjects>` with `{"project":"demo"}`.

    ### load

    After: look.

    1. Call `<load>`. **Ask the user first.**
       - Check: check: the result has rows; on_fail: stop
    2. Tell the user what was loaded.
       - Only if: anything was loaded
       - Repeat: over: subjects; item: subject

    ## Tools

    - tool: `<load>`
      when: the user wants data

    ## Warnings

    - Loading takes long.

    ## Best practices

    - Ask for the project first.

    ## Examples

    - trigger: load demo
      flow:
        - list_subjects
        - load
    "#);
}

#[test]
fn reports_invalid_workflows() {
    assert_eq!(codes("w.yaml", "- a\n- b\n"), ["TC718"]);
    assert_eq!(codes("w.yaml", "name: x\njobs: [\n"), ["TC718"]);
    assert_eq!(codes("w.yaml", "name: '??? '\n"), [""; 0]);
    assert_eq!(codes("w.yaml", "name: 3\n"), ["TC718"]);
}
