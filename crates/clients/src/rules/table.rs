//! The table of rules.

use super::{
    Advertised, ClientRule,
    Effect::{Changes, FailsRequests, LosesServer, LosesTool},
    Handling::{Avoided, Lowered, Reported},
    names,
};
use crate::{lower, schema};

/// Claude Code truncates longer descriptions, counted in characters.
const MAX_DESCRIPTION: usize = 4_096;
/// Codex drops the descriptions of larger schemas, counted in bytes.
const MAX_SCHEMA: usize = 5_000;

const TRIED: &str = "tried with the programs";
const WITH_CLAUDE: &str = "sends requests that Claude models reject";
const NONE: &[(&str, super::Effect)] = &[];

/// All rules, in the order of lowering: parameters get their final names and types before
/// descriptions are added.
pub static RULES: &[ClientRule] = &[
    ClientRule {
        name: "root-type",
        what: "a schema whose root is not exactly `\"type\": \"object\"`",
        effects: &[
            ("claude-code", LosesServer),
            ("gemini", LosesServer),
            ("opencode", LosesServer),
            ("cline", LosesServer),
            ("copilot-cli", Changes("makes it an object")),
            ("vscode", Changes("empties it")),
        ],
        handling: Lowered {
            is_exact: true,
            find: |schema| schema.get("type").is_none_or(|kind| kind != "object"),
            lower: lower::make_object,
            to: "`\"type\": \"object\"`",
        },
        date: "2026-11",
        source: TRIED,
    },
    ClientRule {
        name: "root-combination",
        what: "`allOf`, `anyOf` or `oneOf` at the root of the schema",
        effects: &[
            ("claude-code", LosesTool),
            ("copilot-cli", Changes("moves it to the description")),
            ("vscode", Changes("removes it")),
        ],
        handling: Lowered {
            is_exact: false,
            find: lower::has_combination,
            lower: lower::fold_combinations,
            to: "the properties of all parts; what all alternatives require; a line in the \
                 description",
        },
        date: "2026-11",
        source: "tried with the programs; claude-code#95504, #88049; VS Code's toolSchemaNormalizer.ts",
    },
    ClientRule {
        name: "root-condition",
        what: "`if`, `not` or a dependency at the root of the schema",
        effects: &[
            ("codex", Changes("removes it")),
            ("copilot-cli", Changes("moves it to the description, or removes it")),
            ("vscode", Changes("removes it")),
            ("zed", LosesTool),
        ],
        handling: Lowered {
            is_exact: false,
            find: lower::has_condition,
            lower: lower::drop_conditions,
            to: "a line in the description, such as \"With `a`, also give `b`.\"",
        },
        date: "2026-11",
        source: "tried with the programs; Zed's tool_schema.rs (with Google's models)",
    },
    ClientRule {
        name: "tuple",
        what: "a list whose items have types by position",
        effects: &[
            ("claude-code", FailsRequests),
            ("codex", LosesTool),
            ("opencode", FailsRequests),
            ("vscode", FailsRequests),
            ("copilot-cli", Changes("gives all items all types")),
        ],
        handling: Lowered {
            is_exact: false,
            find: lower::has_tuple,
            lower: lower::open_tuples,
            to: "items of any of the types; their order in the description of the list",
        },
        date: "2026-11",
        source: "tried with the programs; hyperdx#2925; vscode#248810",
    },
    ClientRule {
        name: "list-without-items",
        what: "a list without `items`",
        effects: &[("codex", Changes("makes it a list of texts")), ("vscode", FailsRequests)],
        handling: Lowered {
            is_exact: true,
            find: lower::has_bare_array,
            lower: lower::give_items,
            to: "`\"items\": {}`, which means the same",
        },
        date: "2026-11",
        source: "tried with the programs; vscode#248810",
    },
    ClientRule {
        name: "undeclared-required",
        what: "a required parameter that is not declared",
        effects: &[("vscode", Changes("no longer requires it"))],
        handling: Lowered {
            is_exact: true,
            find: lower::has_undeclared_required,
            lower: lower::declare_required,
            to: "a declared parameter of any type",
        },
        date: "2026-08",
        source: "VS Code's mcpServer.ts",
    },
    ClientRule {
        name: "parameter-name",
        what: "a parameter whose name is not 1 to 64 of `A-Z a-z 0-9 _ . -`",
        effects: &[
            ("claude-code", FailsRequests),
            ("copilot-cli", Changes(WITH_CLAUDE)),
            ("opencode", Changes(WITH_CLAUDE)),
            ("cline", Changes(WITH_CLAUDE)),
            ("vscode", Changes(WITH_CLAUDE)),
            ("zed", Changes(WITH_CLAUDE)),
        ],
        handling: Lowered {
            is_exact: true,
            find: lower::has_foreign_name,
            lower: lower::rename,
            to: "another name, which is mapped back in a call",
        },
        date: "2026-11",
        source: "tried with the programs; claude-code#79418",
    },
    ClientRule {
        name: "untyped-parameter",
        what: "a parameter with a description but no type",
        effects: &[("codex", Changes("removes the description"))],
        handling: Lowered {
            is_exact: true,
            find: lower::has_untyped,
            lower: lower::type_untyped,
            to: "`anyOf` of all types, which means the same",
        },
        date: "2026-11",
        source: TRIED,
    },
    ClientRule {
        name: "bounds",
        what: "bounds, patterns, formats or defaults of parameters",
        effects: &[("codex", Changes("removes them"))],
        handling: Lowered {
            is_exact: true,
            find: lower::has_bounds,
            lower: lower::describe_bounds,
            to: "the same, repeated in the description of the parameter",
        },
        date: "2026-11",
        source: "tried with the programs; Codex's json_schema.rs",
    },
    ClientRule {
        name: "long-name",
        what: "a long name",
        effects: &[
            ("claude-code", LosesTool),
            ("cursor", LosesTool),
            ("codex", Changes("truncates it")),
            ("copilot-cli", Changes("truncates it, so that two tools may become one")),
            ("gemini", Changes("replaces its middle")),
            ("cline", Changes("truncates it")),
            ("zed", Changes("truncates it")),
        ],
        handling: Reported(names::find_long),
        date: "2026-11",
        source: "tried with the programs; for Cursor from its issues",
    },
    ClientRule {
        name: "long-description",
        what: "a description of more than 4,096 characters",
        effects: &[("claude-code", Changes("truncates it"))],
        handling: Reported(find_long_description),
        date: "2026-11",
        source: TRIED,
    },
    ClientRule {
        name: "large-schema",
        what: "a schema of more than 5,000 bytes",
        effects: &[("codex", Changes("removes the descriptions of all parameters"))],
        handling: Reported(find_large_schema),
        date: "2026-11",
        source: TRIED,
    },
    ClientRule {
        name: "boolean-property",
        what: "a boolean as the schema of a property, also in output schemas",
        effects: &[
            ("gemini", LosesServer),
            ("opencode", LosesServer),
            ("cline", LosesServer),
            ("codex", Changes("makes it a text")),
        ],
        handling: Avoided("`{}` or `{\"not\": {}}`"),
        date: "2026-11",
        source: "tried with the programs; the TypeScript SDK 1.x",
    },
    ClientRule {
        name: "null-field",
        what: "`null` for a field of a tool, or a hint that is not a boolean",
        effects: &[
            ("claude-code", LosesServer),
            ("gemini", LosesServer),
            ("opencode", LosesServer),
            ("cline", LosesServer),
        ],
        handling: Avoided("the field is left out; annotations become boolean hints"),
        date: "2026-11",
        source: TRIED,
    },
    ClientRule {
        name: "output-root",
        what: "an output schema whose root is not an object",
        effects: &[("gemini", LosesServer), ("cline", LosesServer)],
        handling: Avoided("results for revisions up to 2025-11-25 are wrapped in an object"),
        date: "2026-11",
        source: TRIED,
    },
    ClientRule {
        name: "format",
        what: "a `format` that is not standard",
        effects: &[("gemini", Changes("prints a warning at each call"))],
        handling: Avoided("it is removed: the server checks it"),
        date: "2026-11",
        source: TRIED,
    },
    ClientRule {
        name: "draft",
        what: "`$schema`, and keywords of older drafts",
        effects: &[
            ("claude-code", FailsRequests),
            ("opencode", FailsRequests),
            ("vscode", LosesTool),
        ],
        handling: Avoided("`$schema` is removed; keywords of draft 4 are errors in definitions"),
        date: "2026-11",
        source: "tried with the programs; Dokploy/mcp#74",
    },
    ClientRule {
        name: "reference",
        what: "`$ref` within the schema",
        effects: NONE,
        handling: Avoided("all clients take it; alternatives at the root are resolved"),
        date: "2026-11",
        source: TRIED,
    },
];

fn find_long_description(_: &str, tool: &Advertised<'_>) -> Option<String> {
    let length = tool.description.chars().count();
    (length > MAX_DESCRIPTION).then(|| format!("a description of {length} characters"))
}

fn find_large_schema(_: &str, tool: &Advertised<'_>) -> Option<String> {
    let length = schema::count_bytes(tool.input);
    (length > MAX_SCHEMA).then(|| format!("a schema of {length} bytes"))
}
