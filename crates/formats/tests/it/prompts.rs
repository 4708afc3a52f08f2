//! Prompts in Markdown and workflows in YAML: what is read, and what is wrong.

use catalog::{Diagnostic, SourceId};
use formats::{Interface, PROMPT_RULES, Piece, Prompt, PromptBody, read_prompt, read_workflow};

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
fn a_prompt_is_named_after_its_file_and_says_what_it_takes() {
    let text = "---\ndescription: Review\narguments:\n  - {name: path, description: The file, required: true}\n  - name: tone\n    \
                description: How\n    default: kind\n    choices: [kind, strict]\nexamples:\n  - call: src/a.rs strict\n    shows: \
                one file\n---\nReview {{ path }}.\n";
    let (prompt, found) = read("prompts/review.md", text);
    assert_eq!(found, []);
    let prompt = prompt.expect("a prompt");
    assert_eq!((prompt.name.as_str(), prompt.description.as_str()), ("review", "Review"));
    let Interface::Named(arguments) = &prompt.interface else { panic!("{prompt:?}") };
    assert_eq!((arguments[0].required, arguments[1].default.as_deref()), (true, Some("kind")));
    assert_eq!(arguments[1].choices, ["kind", "strict"]);
    assert_eq!(prompt.examples[0].arguments, "src/a.rs strict");
}

#[test]
fn places_are_lines_of_the_file() {
    let text = "---\ndescription: Fine\n---\none\n{% endif %}\n";
    let (prompt, found) = read("p.md", text);
    assert!(prompt.is_none());
    assert_eq!(
        found[0].origin.location,
        catalog::Location::Offset(text.find("{% endif").expect("it"))
    );
}

#[test]
fn tools_that_a_template_names_are_known_with_their_place() {
    let text = "---\ndescription: Fine\n---\nIn words call('x').\n{{ call(\"one\", {}) }} {% set a = tool( 'two') %}{{ call(args[0]) }}";
    let (prompt, _) = read("p.md", text);
    let tools = prompt.expect("a prompt").tools;
    let places: Vec<_> =
        tools.iter().map(|tool| (tool.name.as_str(), tool.origin.location.clone())).collect();
    let place = |of: &str| catalog::Location::Offset(text.find(of).expect("it"));
    assert_eq!(places, [("one", place("call(\"one")), ("two", place("tool( 'two"))]);
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
fn a_workflow_becomes_a_page_in_the_order_of_its_steps() {
    let (prompt, found) = read("w.yaml", WORKFLOW);
    assert_eq!(found, []);
    let prompt = prompt.expect("a prompt");
    assert_eq!(prompt.name, "Load-Data");
    assert_eq!(
        prompt.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
        ["list_subjects", "load"]
    );
    let PromptBody::Text(pieces) = prompt.body else { panic!("no text") };
    let text: String = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Tool(name) => format!("<{name}>"),
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
fn broken_workflows_are_told() {
    assert_eq!(codes("w.yaml", "- a\n- b\n"), ["TC718"]);
    assert_eq!(codes("w.yaml", "name: x\njobs: [\n"), ["TC718"]);
    assert_eq!(codes("w.yaml", "name: '??? '\n"), [""; 0]);
    assert_eq!(codes("w.yaml", "name: 3\n"), ["TC718"]);
}
