//! Consent words as types: an argument that accepts exactly one value.

/// Defines a type with one value: the word that a caller must pass to a destructive tool.
///
/// ```
/// toolkit::consent! {
///     /// Pass `CREATE_DOCUMENT`, and only if the user asked for it.
///     pub struct CreateDocument = "CREATE_DOCUMENT";
/// }
/// ```
///
/// The description of a tool with a field of this type states that it needs consent, and each call
/// must be approved: a model can pass the word by itself.
#[macro_export]
macro_rules! consent {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident = $word:literal;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility struct $name;

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($word)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match <String as $crate::serde::Deserialize>::deserialize(deserializer)?.as_str() {
                    $word => Ok(Self),
                    other => Err($crate::serde::de::Error::custom(format!("`{other}` is not the consent word `{}`", $word))),
                }
            }
        }

        impl $crate::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut $crate::schemars::SchemaGenerator) -> $crate::schemars::Schema {
                $crate::schemars::json_schema!({"type": "string", "const": $word, "x-consent": true})
            }
        }
    };
}
