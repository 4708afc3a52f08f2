//! Every problem that reading can find, with why it matters and how it looks.

pub(crate) mod definition;
pub(crate) mod guidance;
pub(crate) mod parameter;
pub(crate) mod rave;
pub(crate) mod roxygen;
pub(crate) mod schema;
pub(crate) mod syntax;
pub(crate) mod yaml;

use catalog::Rule;

/// Every problem that reading can find, by code.
pub static RULES: &[&Rule] = &[
    &syntax::NOT_UTF8,
    &syntax::FILE_TOO_LARGE,
    &syntax::EMPTY_FILE,
    &syntax::BROKEN_JSON,
    &syntax::NUL,
    &syntax::BYTE_ORDER_MARK,
    &syntax::COMMENT,
    &syntax::RAW_CONTROL,
    &syntax::TRAILING_COMMA,
    &syntax::DUPLICATE_KEY,
    &syntax::TOO_DEEP,
    &syntax::TOO_MUCH,
    &syntax::NOT_A_DEFINITION,
    &syntax::JSON_SCHEMA_FILE,
    &yaml::BROKEN_YAML,
    &yaml::UNKNOWN_TAG,
    &yaml::SECOND_DOCUMENT,
    &definition::MISSING_FIELD,
    &definition::WRONG_TYPE,
    &definition::UNKNOWN_FIELD,
    &definition::MISREAD_FIELD,
    &definition::BAD_NAME,
    &definition::BLANK,
    &definition::BAD_PROGRAM,
    &definition::ABSOLUTE_PROGRAM,
    &definition::MISSING_SUBCOMMAND,
    &definition::MISSING_COMMAND,
    &definition::BUILT_IN_NAME,
    &definition::TIMEOUT_OUT_OF_RANGE,
    &definition::CONTRADICTION,
    &definition::ENABLED_UNDER_DISABLED,
    &definition::UNSUPPORTED_FIELD,
    &definition::IGNORED_FIELD,
    &definition::BAD_CHOICE,
    &definition::EMPTY_SEQUENCE,
    &definition::USELESS_PARAMETER,
    &parameter::UNKNOWN_TYPE,
    &parameter::BAD_DEFAULT,
    &parameter::BAD_ENUM,
    &parameter::BAD_PATTERN,
    &parameter::EMPTY_RANGE,
    &parameter::DUPLICATE_PARAMETER,
    &parameter::FLAG_CLASH,
    &parameter::BOUND_ALIAS,
    &parameter::PATH_OR_VALUE,
    &parameter::UNKNOWN_PARAMETER,
    &parameter::BAD_VARIABLE,
    &parameter::ACCESS_WITHOUT_PATH,
    &parameter::WRITING_READER,
    &schema::NOT_AN_OBJECT_SCHEMA,
    &schema::BAD_SCHEMA,
    &schema::REMOTE_REFERENCE,
    &schema::UNRESOLVED_REFERENCE,
    &schema::REFERENCE_LOOP,
    &schema::SCHEMA_ALIAS,
    &schema::TOO_MANY_REFERENCES,
    &guidance::UNKNOWN_GUIDANCE,
    &guidance::BAD_GUIDANCE,
    &guidance::NO_GUIDANCE,
    &rave::NO_PACKAGE,
    &rave::UNTYPED,
    &rave::MENDED_VALUE,
    &rave::UNFIT_VALUE,
    &rave::HIDDEN_PARAMETER,
    &rave::PHANTOM_REQUIRED,
    &rave::MISSING_EXAMPLE,
];
