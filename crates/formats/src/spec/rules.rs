//! Problems that reading a Markdown specification finds.

use catalog::{Rule, Severity};

pub(super) static RULES: &[&Rule] = &[
    &NO_TOOLS_FOUND,
    &UNFILLED_TEMPLATE,
    &TORN_ROW,
    &UNREADABLE_TYPE,
    &UNREADABLE_PARAMETERS,
    &TWO_SCHEMAS,
    &UNDESCRIBED_TOOL,
    &CONDITIONAL_PARAMETER,
    &UNREADABLE_SCHEMA,
    &UNSERVABLE_NAME,
    &ODD_DEFAULT,
    &REPEATED_PARAMETER,
    &MISNUMBERED_SECTION,
    &ALLOWED_WITHOUT_REASON,
];

/// A specification without problems.
macro_rules! good {
    () => {
        "# Greetings - MCP Tool Specification

## Tool: `greet`

### 1. Tool Purpose and Description

Print a greeting.

### 3. Input Schema (Parameters)

| Parameter Name | Type | Required | Description | Example Value |
| :--- | :--- | :--- | :--- | :--- |
| `who` | `string` | Yes | Whom to greet | `\"Ada\"` |
"
    };
}

pub(crate) static NO_TOOLS_FOUND: Rule = Rule {
    code: "TC802",
    name: "no-tools-found",
    severity: Severity::Warning,
    why: "The document is a specification, but no heading in it names a tool, and it does not declare that it has none. \
          Prose, lists and tables of contents are not read as tools. Give each tool a heading, ``## Tool: `name` ``.",
    bad: "# Greetings - MCP Tool Specification\n\nThere is a tool that greets people.\n",
    good: good!(),
};

pub(crate) static UNFILLED_TEMPLATE: Rule = Rule {
    code: "TC803",
    name: "unfilled-template",
    severity: Severity::Error,
    why: "The name of a tool is still the placeholder of the template. A tool without a name cannot be served. Fill in \
          the section or remove it.",
    bad: "# Greetings - MCP Tool Specification\n\n## Tool: `[YourToolName]`\n\nPrints a greeting.\n",
    good: good!(),
};

pub(crate) static TORN_ROW: Rule = Rule {
    code: "TC804",
    name: "torn-row",
    severity: Severity::Warning,
    why: "A pipe in a cell lost its backslash and became a border, which shifts every following cell by one column: \
          the type, the required flag and the description would all be wrong. The row is read as it was meant, and \
          `check --fix` repairs it.",
    bad: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

| Parameter | Type | Required | Default | Description |
|---|---|---|---|---|
| `who` | `string \ | null` | No | `null` Whom to greet |
"#,
    good: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

| Parameter | Type | Required | Default | Description |
|---|---|---|---|---|
| `who` | `string \| null` | No | `null` | Whom to greet |
"#,
};

pub(crate) static UNREADABLE_TYPE: Rule = Rule {
    code: "TC805",
    name: "unreadable-type",
    severity: Severity::Warning,
    why: "The type cannot be read, so the parameter accepts any value. Use the types of JSON Schema (`string`, \
          `integer`, `number`, `boolean`, `object`, `array`, `null`), also as `array[string]`, `string | null` or \
          `enum[\"a\", \"b\"]`; the names of Python types work too.",
    bad: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

| Parameter | Type | Required | Description |
|---|---|---|---|
| `who` | `strng` | No | Whom to greet |
"#,
    good: good!(),
};

pub(crate) static UNREADABLE_PARAMETERS: Rule = Rule {
    code: "TC806",
    name: "unreadable-parameters",
    severity: Severity::Warning,
    why: "The tool has no table, JSON Schema or list of parameters that can be read, and no statement that it takes none, \
          so it accepts any arguments. Add a table, or write `None`.",
    bad: "# Greetings - MCP Tool Specification\n\n## Tool: `greet`\n\nPrints a greeting to whom you name.\n",
    good: "# Greetings - MCP Tool Specification\n\n## Tool: `greet`\n\nPrints a greeting.\n\n**Parameters**: None\n",
};

pub(crate) static TWO_SCHEMAS: Rule = Rule {
    code: "TC807",
    name: "two-schemas",
    severity: Severity::Warning,
    why: "Parameters are declared in a table and in a JSON Schema, and the two disagree. The JSON Schema is used because \
          it is more precise, but people read the table. Make the two agree.",
    bad: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

### Parameters

| Parameter | Type | Required | Description |
|---|---|---|---|
| `who` | `string` | Yes | Whom to greet |

```json
{"type": "object", "properties": {"who": {"type": "integer"}}, "required": ["who"]}
```
"#,
    good: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

### Parameters

| Parameter | Type | Required | Description |
|---|---|---|---|
| `who` | `string` | Yes | Whom to greet |

```json
{"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}
```
"#,
};

pub(crate) static UNDESCRIBED_TOOL: Rule = Rule {
    code: "TC808",
    name: "undescribed-tool",
    severity: Severity::Warning,
    why: "A table of the document lists a tool that no section describes. A table of contents has too little information \
          to call a tool, so it does not define one. Describe the tool, or remove it from the table.",
    bad: r#"# Greetings - MCP Tool Specification

| Tool | Summary |
|---|---|
| `greet` | Print a greeting |
| `part` | Say goodbye |

## Tool: `greet`

Print a greeting.

**Parameters**: None
"#,
    good: r#"# Greetings - MCP Tool Specification

| Tool | Summary |
|---|---|
| `greet` | Print a greeting |

## Tool: `greet`

Print a greeting.

**Parameters**: None
"#,
};

pub(crate) static CONDITIONAL_PARAMETER: Rule = Rule {
    code: "TC809",
    name: "conditional-parameter",
    severity: Severity::Note,
    why: "The parameter is required only under a condition, which a table can state only in words. It is served as \
          optional, with the condition in its description. A JSON Schema can express the condition (`if`, \
          `dependentRequired`).",
    bad: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

| Parameter | Type | Required | Description |
|---|---|---|---|
| `who` | `string` | Conditional | Whom to greet, unless all are greeted |
"#,
    good: good!(),
};

pub(crate) static UNREADABLE_SCHEMA: Rule = Rule {
    code: "TC810",
    name: "unreadable-schema",
    severity: Severity::Warning,
    why: "The JSON Schema of the parameters or of the result is not valid JSON, is not a schema, or is in a file that does \
          not exist or is outside the crib. Unless the diagnostic states otherwise, it is ignored.",
    bad: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

### Parameters

| Parameter | Type | Required | Description |
|---|---|---|---|
| `who` | `string` | Yes | Whom to greet |

```json
{"type": "object", "properties": {"who": {"type": "string"
```
"#,
    good: good!(),
};

pub(crate) static UNSERVABLE_NAME: Rule = Rule {
    code: "TC811",
    name: "unservable-name",
    severity: Severity::Error,
    why: "The name of a served tool consists of 1 to 64 ASCII letters, digits, `_`, `-` and `.`. Clients reject any other \
          name.",
    bad: "# Greetings - MCP Tool Specification\n\n## Tool: `greet people`\n\nPrint a greeting.\n\n**Parameters**: None\n",
    good: good!(),
};

pub(crate) static ODD_DEFAULT: Rule = Rule {
    code: "TC812",
    name: "odd-default",
    severity: Severity::Warning,
    why: "The default is not a value of the parameter's type, so it is omitted from the schema. Write it as JSON, in code.",
    bad: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

| Parameter | Type | Required | Default | Description |
|---|---|---|---|---|
| `times` | `integer` | No | `once` | How often |
"#,
    good: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

| Parameter | Type | Required | Default | Description |
|---|---|---|---|---|
| `times` | `integer` | No | `1` | How often |
"#,
};

pub(crate) static REPEATED_PARAMETER: Rule = Rule {
    code: "TC813",
    name: "repeated-parameter",
    severity: Severity::Warning,
    why: "A parameter is described twice. The first description is used; remove the other one.",
    bad: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

| Parameter | Type | Required | Description |
|---|---|---|---|
| `who` | `string` | Yes | Whom to greet |
| `who` | `integer` | No | Whom to greet |
"#,
    good: good!(),
};

pub(crate) static MISNUMBERED_SECTION: Rule = Rule {
    code: "TC814",
    name: "misnumbered-section",
    severity: Severity::Note,
    why: "The eight sections have fixed numbers, and a section keeps its number if another one is missing. Readers and \
          other programs find sections by their numbers.",
    bad: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

**Parameters**: None

### 5. Idempotency

- **Idempotent**: Yes
"#,
    good: r#"# Greetings - MCP Tool Specification

## Tool: `greet`

Print a greeting.

**Parameters**: None

### 6. Idempotency

- **Idempotent**: Yes
"#,
};

pub(crate) static ALLOWED_WITHOUT_REASON: Rule = Rule {
    code: "TC815",
    name: "allowed-without-reason",
    severity: Severity::Warning,
    why: "A comment allows a problem without giving a reason, so it has no effect. Add the reason after the code, so that \
          the next reader can judge whether it still applies.",
    bad: "# Greetings - MCP Tool Specification\n\n## Tool: `greet`\n\n<!-- toolcrib: allow TC405 -->\n\nPrint a greeting.\n\n**Parameters**: None\n",
    good: "# Greetings - MCP Tool Specification\n\n## Tool: `greet`\n\n<!-- toolcrib: allow TC405 the sections follow with 1.0 -->\n\nPrint a greeting.\n\n**Parameters**: None\n",
};
