//! Problems of Markdown specifications, as reading finds them.

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

/// A specification with nothing wrong that reading can find.
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
    why: "The document is a specification, but no heading in it names a tool, and it does not say that there are none. \
          Running text, lists and tables of contents are not taken for tools. Give each tool a heading, \
          ``## Tool: `name` ``.",
    bad: "# Greetings - MCP Tool Specification\n\nThere is a tool that greets people.\n",
    good: good!(),
};

pub(crate) static UNFILLED_TEMPLATE: Rule = Rule {
    code: "TC803",
    name: "unfilled-template",
    severity: Severity::Error,
    why: "The name of a tool is still the template's. Fill the section in, or remove it: a tool without a name cannot be \
          served, and a reader cannot tell what was meant.",
    bad: "# Greetings - MCP Tool Specification\n\n## Tool: `[YourToolName]`\n\nPrints a greeting.\n",
    good: good!(),
};

pub(crate) static TORN_ROW: Rule = Rule {
    code: "TC804",
    name: "torn-row",
    severity: Severity::Warning,
    why: "A pipe in a cell has lost its backslash and become a border, so that every following cell stands one column too \
          far right: the type, whether it is required and the description would all be wrong. The row is read as it was \
          meant; `check --fix` writes it so.",
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
    why: "The type is not one that can be read, so any value is let through. Types are those of JSON Schema (`string`, \
          `integer`, `number`, `boolean`, `object`, `array`, `null`), also as `array[string]`, `string | null` or \
          `enum[\"a\", \"b\"]`; the names of Python are understood.",
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
    why: "Nothing says what arguments the tool takes: there is no table, JSON Schema or list of parameters, and no \
          statement that there are none. Any arguments are let through. Write a table, or `None`.",
    bad: "# Greetings - MCP Tool Specification\n\n## Tool: `greet`\n\nPrints a greeting to whom you name.\n",
    good: "# Greetings - MCP Tool Specification\n\n## Tool: `greet`\n\nPrints a greeting.\n\n**Parameters**: None\n",
};

pub(crate) static TWO_SCHEMAS: Rule = Rule {
    code: "TC807",
    name: "two-schemas",
    severity: Severity::Warning,
    why: "Parameters are given as a table and as a JSON Schema, and the two do not agree. The JSON Schema counts, because \
          it is precise; people read the table. Make them say the same.",
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
    why: "A table of the document lists a tool that no section describes. A table of contents says too little to call a \
          tool, so it is not taken for one. Describe the tool, or take it out of the table.",
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
    why: "Whether the parameter must be given depends on something, which a table cannot say to a program. It is served as \
          optional, with the condition in its description. A JSON Schema (`if`, `dependentRequired`) can say it.",
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
    why: "What should be the JSON Schema of the parameters or of the result is no JSON, no schema, or in a file that is not \
          there or outside the crib. It does not count.",
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
    why: "A served name has 1 to 64 ASCII letters, digits, `_`, `-` and `.`. Clients refuse any other.",
    bad: "# Greetings - MCP Tool Specification\n\n## Tool: `greet people`\n\nPrint a greeting.\n\n**Parameters**: None\n",
    good: good!(),
};

pub(crate) static ODD_DEFAULT: Rule = Rule {
    code: "TC812",
    name: "odd-default",
    severity: Severity::Warning,
    why: "The default is not a value of the parameter's type, so it is left out of the schema. Write it as JSON, in code.",
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
    why: "A parameter is described twice. The first description counts; take the other out.",
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
    why: "The eight sections have numbers, and a section keeps its number when another is missing. Readers and other \
          programs find them by it.",
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
    why: "A comment allows a problem without saying why, so it does not count. Write the reason behind the code: whoever \
          reads the document next must be able to judge whether it still holds.",
    bad: "# Greetings - MCP Tool Specification\n\n## Tool: `greet`\n\n<!-- toolcrib: allow TC405 -->\n\nPrint a greeting.\n\n**Parameters**: None\n",
    good: "# Greetings - MCP Tool Specification\n\n## Tool: `greet`\n\n<!-- toolcrib: allow TC405 the sections follow with 1.0 -->\n\nPrint a greeting.\n\n**Parameters**: None\n",
};
