//! Problems that only command-line tools can have.

pub(crate) mod definition;
pub(crate) mod parameter;

use catalog::Rule;

pub(super) static RULES: &[&Rule] = &[
    &definition::BAD_PROGRAM,
    &definition::ABSOLUTE_PROGRAM,
    &definition::NO_ARGUMENTS,
    &definition::MISSING_COMMAND,
    &definition::BUILT_IN_NAME,
    &definition::TIMEOUT_OUT_OF_RANGE,
    &definition::OUTPUT_OUT_OF_RANGE,
    &definition::CONTRADICTION,
    &definition::ENABLED_UNDER_DISABLED,
    &definition::UNSUPPORTED_FIELD,
    &definition::EMPTY_SEQUENCE,
    &definition::USELESS_PARAMETER,
    &definition::SCHEMA_ALIAS,
    &definition::SHELL_SYNTAX,
    &definition::UNKNOWN_GUIDANCE,
    &parameter::UNKNOWN_TYPE,
    &parameter::BAD_DEFAULT,
    &parameter::BAD_ENUM,
    &parameter::EMPTY_RANGE,
    &parameter::DUPLICATE_PARAMETER,
    &parameter::FLAG_CLASH,
    &parameter::BOUND_ALIAS,
    &parameter::PATH_OR_VALUE,
    &parameter::UNKNOWN_PARAMETER,
    &parameter::BAD_VARIABLE,
    &parameter::ACCESS_WITHOUT_PATH,
    &parameter::WRITING_READER,
];
