//! Real revisions of specifications, and the class that a careful reader gives each.
//!
//! The expectations were drafted by a script that compares table cells. Where a reader disagrees
//! with the script, a comment gives the reason. Tools that are not listed did not change.

use std::{collections::BTreeMap, fs, path::Path};

use compat::{Class, compare};
use testing::shared_corpus;

use crate::tools::read_catalog;

use Class::{Behavioural, Breaking, Compatible};

/// A pair of revisions: its number, and the tools that changed, by class.
type Pair = (&'static str, &'static [(Class, &'static [&'static str])]);

const PAIRS: [Pair; 31] = [
    // The template became the first tools: everything is new.
    ("000", &[(Compatible, &["generate_code_snippet", "refactor_code_snippet"])]),
    ("001", &[(Compatible, &["trigger_build", "synthesize_code_component"])]),
    (
        "004",
        &[(
            Compatible,
            &[
                "create_heatmap",
                "create_line_plot",
                "create_scatter_plot",
                "create_bar_chart",
                "create_histogram",
                "create_pie_chart",
            ],
        )],
    ),
    // The script reports two changes of type: `integer` to `integer or string or array[float]`, and
    // `integer` to `float`. Both accept more, so every call still works.
    (
        "005",
        &[
            (
                Compatible,
                &[
                    "create_line_plot",
                    "create_scatter_plot",
                    "create_bar_chart",
                    "create_histogram",
                    "create_pie_chart",
                ],
            ),
            (Behavioural, &["create_heatmap"]),
        ],
    ),
    ("006", &[(Compatible, &["trigger_documentation_build", "check_documentation_environment"])]),
    (
        "007",
        &[(
            Compatible,
            &["search_text_pattern", "find_symbol_occurrences", "search_semantic_concept"],
        )],
    ),
    ("008", &[(Compatible, &["run_static_analysis"])]),
    // The script reports removed parameters. An example was wrapped over several lines, which ends
    // the table in Markdown; a reader still finds the rows after it.
    ("009", &[(Behavioural, &["generate_code_snippet", "refactor_code_snippet"])]),
    ("010", &[(Behavioural, &["synthesize_component_from_prompt"])]),
    (
        "011",
        &[
            (Breaking, &["get_build_status", "synthesize_component_from_prompt"]),
            (Compatible, &["clean_build", "package_artifacts", "get_build_summary"]),
            (Behavioural, &["trigger_build"]),
        ],
    ),
    (
        "012",
        &[
            (
                Breaking,
                &[
                    "create_heatmap",
                    "create_line_plot",
                    "create_scatter_plot",
                    "create_bar_chart",
                    "create_histogram",
                    "create_pie_chart",
                ],
            ),
            (Compatible, &["generate_chart", "export_dashboard"]),
        ],
    ),
    (
        "013",
        &[
            (Breaking, &["trigger_documentation_build", "check_documentation_environment"]),
            (Compatible, &["generate_module_docs", "audit_rasp_compliance"]),
        ],
    ),
    // The script reports a changed type. A formatter split `string \| null` into two columns; our
    // reader repairs that, and nothing changed.
    ("014", &[]),
    (
        "017",
        &[(
            Compatible,
            &[
                "codomyrmex.git_delete_branch",
                "codomyrmex.git_merge",
                "codomyrmex.git_rebase",
                "codomyrmex.git_cherry_pick",
                "codomyrmex.git_revert",
                "codomyrmex.git_reset",
                "codomyrmex.git_amend",
                "codomyrmex.git_stash",
                "codomyrmex.git_stash_apply",
                "codomyrmex.git_stash_list",
                "codomyrmex.git_create_tag",
                "codomyrmex.git_list_tags",
                "codomyrmex.git_fetch",
                "codomyrmex.git_add_remote",
                "codomyrmex.git_remove_remote",
                "codomyrmex.git_list_remotes",
                "codomyrmex.git_blame",
                "codomyrmex.git_commit_details",
                "codomyrmex.git_get_config",
                "codomyrmex.git_set_config",
                "codomyrmex.git_clean",
            ],
        )],
    ),
    (
        "018",
        &[(
            Compatible,
            &["discover_system_capabilities", "get_system_status", "scan_module_capabilities"],
        )],
    ),
    (
        "019",
        &[(
            Compatible,
            &["run_terminal_command", "format_terminal_output", "start_interactive_shell"],
        )],
    ),
    ("021", &[(Compatible, &["cerebrum_run_free_energy_loop"])]),
    // The script overlooks two tools whose descriptions mention other agents and counts.
    (
        "022",
        &[
            (Compatible, &["probe_agent_status"]),
            (Behavioural, &["execute_agent_request", "list_available_agents"]),
        ],
    ),
    // The new text calls the old tools planned, so they cannot be called.
    (
        "024",
        &[
            (Breaking, &["run_workflow", "list_workflows", "create_workflow", "cancel_workflow"]),
            (Compatible, &["get_scheduler_metrics", "analyze_workflow_dependencies"]),
        ],
    ),
    // `search_index` and `search_index_query` only have similar names: one searches a stored index,
    // the other a list in its arguments.
    (
        "027",
        &[
            (Breaking, &["search_index", "search_add_document", "search_create_index"]),
            (
                Compatible,
                &[
                    "codomyrmex.search_documents",
                    "codomyrmex.search_index_query",
                    "codomyrmex.search_fuzzy",
                ],
            ),
        ],
    ),
    ("028", &[(Compatible, &["collaboration_attest_task", "collaboration_verify_attestation"])]),
    (
        "030",
        &[(
            Compatible,
            &[
                "codomyrmex.container_runtime_status",
                "codomyrmex.container_build",
                "codomyrmex.container_list",
                "codomyrmex.container_security_scan",
            ],
        )],
    ),
    ("031", &[(Compatible, &["scrape_extract_content", "scrape_text_similarity"])]),
    (
        "036",
        &[
            (Breaking, &["trigger_documentation_build", "check_documentation_environment"]),
            (Compatible, &["codomyrmex.generate_module_docs", "codomyrmex.audit_rasp_compliance"]),
        ],
    ),
    (
        "037",
        &[(
            Compatible,
            &[
                "gmail_send_message",
                "gmail_list_messages",
                "gmail_get_message",
                "gmail_create_draft",
            ],
        )],
    ),
    // The same formatter moved `No` into the descriptions of twenty parameters.
    ("038", &[]),
    (
        "039",
        &[(
            Compatible,
            &[
                "git_analysis_index_repo",
                "git_analysis_query",
                "git_analysis_symbol_context",
                "git_analysis_impact",
                "git_analysis_detect_changes",
                "git_analysis_cypher_query",
                "git_analysis_list_indexed",
                "git_analysis_commit_history",
                "git_analysis_contributor_stats",
                "git_analysis_code_churn",
                "git_analysis_branch_topology",
                "git_analysis_commit_frequency",
                "git_analysis_hotspots",
                "git_analysis_file_history",
                "git_analysis_directory_churn",
                "git_analysis_filtered_history",
            ],
        )],
    ),
    ("042", &[]),
    ("043", &[]),
    ("045", &[]),
    ("047", &[(Compatible, &["codex_access_status", "codex_dispatch_catalog"])]),
];

/// The class of every tool that changed between the two files of a pair.
fn changed_tools(folder: &Path, number: &str) -> BTreeMap<String, Class> {
    let names =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let of = |names: &[std::path::PathBuf], side: &str| {
        let ending = format!(".{side}.md");
        let is_it = |path: &&std::path::PathBuf| {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            name.starts_with(number) && name.ends_with(&ending)
        };
        let path =
            names.iter().find(is_it).unwrap_or_else(|| panic!("{number}{ending} is not there"));
        read_catalog(
            "MCP_TOOL_SPECIFICATION.md",
            &fs::read_to_string(path).expect("a specification"),
        )
    };
    let names: Vec<_> = names.collect();
    let compared = compare(&of(&names, "old"), &of(&names, "new"));
    compared
        .into_iter()
        .filter(|tool| tool.class() != Class::None)
        .map(|tool| (tool.name.clone(), tool.class()))
        .collect()
}

#[test]
fn every_pair_of_revisions_gets_the_class_of_a_careful_reader() {
    let Some(folder) = shared_corpus("corpus/specs-history") else {
        return;
    };
    for (number, expected) in PAIRS {
        let expected: BTreeMap<String, Class> = expected
            .iter()
            .flat_map(|(class, names)| names.iter().map(|name| ((*name).to_owned(), *class)))
            .collect();
        assert_eq!(changed_tools(&folder, number), expected, "pair {number}");
    }
}

#[test]
fn every_pair_of_the_corpus_is_listed() {
    let Some(folder) = shared_corpus("corpus/specs-history") else {
        return;
    };
    let pairs = fs::read_dir(folder).expect("a folder").filter(|entry| {
        entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".old.md"))
    });
    assert_eq!(pairs.count(), PAIRS.len());
}
