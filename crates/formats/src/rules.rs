//! Problems that files of more than one format can have. A format's own are in its folder.

pub(crate) mod definition;
pub(crate) mod schema;
pub(crate) mod syntax;
pub(crate) mod yaml;

use catalog::Rule;

/// The rules that belong to no single format.
pub(crate) static SHARED: &[&Rule] = &[
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
    &yaml::BROKEN_YAML,
    &yaml::UNKNOWN_TAG,
    &yaml::SECOND_DOCUMENT,
    &definition::MISSING_FIELD,
    &definition::WRONG_TYPE,
    &definition::UNKNOWN_FIELD,
    &definition::MISREAD_FIELD,
    &definition::BAD_NAME,
    &definition::BLANK,
    &definition::IGNORED_FIELD,
    &definition::BAD_CHOICE,
    &definition::BAD_DESTINATION,
    &definition::BAD_CONSTRAINT,
    &definition::DECLARES_NO_TOOLS,
    &schema::BAD_PATTERN,
    &schema::NOT_AN_OBJECT_SCHEMA,
    &schema::BAD_SCHEMA,
    &schema::REMOTE_REFERENCE,
    &schema::UNRESOLVED_REFERENCE,
    &schema::REFERENCE_LOOP,
    &schema::TOO_MANY_REFERENCES,
];
