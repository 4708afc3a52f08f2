//! A specification with nothing wrong with it, and the same with one part of it written otherwise: the examples of rules
//! about specifications, which would be the same fifty lines each.

macro_rules! title {
    () => {
        "# Files - MCP Tool Specification\n\n## Tool: `count_lines`\n\n"
    };
}

macro_rules! version {
    () => {
        "**Version**: 1.2.0\n\n"
    };
}

macro_rules! purpose {
    () => {
        "### 1. Tool Purpose and Description\n\nCount the lines of a file below the project folder.\n\n"
    };
}

macro_rules! invocation {
    () => {
        "### 2. Invocation Name\n\n`count_lines`\n\n"
    };
}

macro_rules! input {
    () => {
        "### 3. Input Schema (Parameters)

| Parameter Name | Type | Required | Description | Example Value |
| :--- | :--- | :--- | :--- | :--- |
| `path` | `string` | Yes | The file, relative to the project folder | `\"src/main.py\"` |

"
    };
}

macro_rules! output {
    () => {
        "### 4. Output Schema (Return Value)

| Field Name | Type | Description | Example Value |
| :--- | :--- | :--- | :--- |
| `lines` | `integer` | How many lines there are | `120` |

"
    };
}

macro_rules! errors {
    () => {
        "### 5. Error Handling

A file that is not there gives an error:

```json
{\"status\": \"failure\", \"error_type\": \"FileNotFound\", \"error_message\": \"there is no such file\",
 \"error_details\": {\"path\": \"src/main.py\"}}
```

"
    };
}

macro_rules! idempotency {
    () => {
        "### 6. Idempotency\n\n- **Idempotent**: Yes\n- **Explanation**: The file is only read.\n\n"
    };
}

macro_rules! examples {
    () => {
        "### 7. Usage Examples (for MCP context)

```json
{\"tool_name\": \"count_lines\", \"arguments\": {\"path\": \"src/main.py\"}}
```

"
    };
}

macro_rules! security {
    () => {
        "### 8. Security Considerations\n\n- **File Paths**: The path must lie below the project folder.\n"
    };
}

/// The whole, or the whole with one part in other words.
macro_rules! specimen {
    () => {
        specimen!(version: version!())
    };
    (version: $part:expr) => {
        concat!(title!(), $part, purpose!(), invocation!(), input!(), output!(), errors!(), idempotency!(), examples!(), security!())
    };
    (purpose: $part:expr) => {
        concat!(title!(), version!(), $part, invocation!(), input!(), output!(), errors!(), idempotency!(), examples!(), security!())
    };
    (input: $part:expr) => {
        concat!(title!(), version!(), purpose!(), invocation!(), $part, output!(), errors!(), idempotency!(), examples!(), security!())
    };
    (output: $part:expr) => {
        concat!(title!(), version!(), purpose!(), invocation!(), input!(), $part, errors!(), idempotency!(), examples!(), security!())
    };
    (errors: $part:expr) => {
        concat!(title!(), version!(), purpose!(), invocation!(), input!(), output!(), $part, idempotency!(), examples!(), security!())
    };
    (idempotency: $part:expr) => {
        concat!(title!(), version!(), purpose!(), invocation!(), input!(), output!(), errors!(), $part, examples!(), security!())
    };
    (examples: $part:expr) => {
        concat!(title!(), version!(), purpose!(), invocation!(), input!(), output!(), errors!(), idempotency!(), $part, security!())
    };
    (security: $part:expr) => {
        concat!(title!(), version!(), purpose!(), invocation!(), input!(), output!(), errors!(), idempotency!(), examples!(), $part)
    };
}
