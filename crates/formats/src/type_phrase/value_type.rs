//! The types that descriptions of R values name, and the JSON Schema of each.

use serde_json::{Map, Value as Json, json};

/// The type of a parameter or of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// `character(1)`; also factors and formulas, which callers give as text.
    Text,
    /// `numeric(1)`.
    Number,
    /// `integer(1)`.
    Integer,
    /// `logical(1)`.
    Boolean,
    /// A `Date`, as text in ISO 8601.
    Date,
    /// A `POSIXct` or `POSIXlt`, as text in ISO 8601.
    DateTime,
    /// A named list, or an object of a class.
    Object,
    /// A data frame: an array with an object for each row.
    Rows,
    /// A vector, an unnamed list or, nested, a matrix.
    Array(Box<ValueType>),
}

impl ValueType {
    /// An array whose items have this type.
    #[must_use]
    pub fn array(self) -> Self {
        Self::Array(Box::new(self))
    }

    /// Whether JSON has it as one value without parts.
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Self::Object | Self::Rows | Self::Array(_))
    }

    /// The value of `type` in its schema.
    pub fn schema_type(&self) -> &'static str {
        match self {
            Self::Text | Self::Date | Self::DateTime => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Rows | Self::Array(_) => "array",
        }
    }

    /// The value of `format` in its schema.
    pub fn schema_format(&self) -> Option<&'static str> {
        match self {
            Self::Date => Some("date"),
            Self::DateTime => Some("date-time"),
            _ => None,
        }
    }

    /// The value of `items` in its schema, for arrays.
    pub fn item_schema(&self) -> Option<Json> {
        match self {
            Self::Rows => Some(json!({"type": "object"})),
            Self::Array(element) => Some(element.to_schema()),
            _ => None,
        }
    }

    /// Its schema.
    pub fn to_schema(&self) -> Json {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), self.schema_type().into());
        schema.extend(self.schema_format().map(|format| ("format".to_owned(), format.into())));
        schema.extend(self.item_schema().map(|items| ("items".to_owned(), items)));
        Json::Object(schema)
    }
}
