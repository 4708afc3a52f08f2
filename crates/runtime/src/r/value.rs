//! R values as they cross the border: vectors, lists and their attributes. Not code, and nothing
//! that has an identity.

/// What R has for a missing integer or logical.
pub(crate) const NA_INTEGER: i32 = i32::MIN;
/// What R has for a missing double: a NaN with the number 1954 in it.
const NA_REAL: u64 = 0x7ff0_0000_0000_07a2;

/// The missing double.
pub(crate) fn na_real() -> f64 {
    f64::from_bits(NA_REAL)
}

/// Whether a double is the missing one, rather than any other or a plain NaN.
pub(crate) fn is_na_real(value: f64) -> bool {
    // The bit for quiet may have been set on the way.
    value.is_nan() && value.to_bits() & 0xffff_ffff == NA_REAL & 0xffff_ffff
}

/// An R value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RValue {
    /// What it is.
    pub(crate) data: Data,
    /// What is said about it: `names`, `class` and the like, in order.
    pub(crate) attributes: Vec<(String, RValue)>,
}

/// What an R value is, without its attributes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    /// `NULL`.
    Null,
    /// Zero, one or missing.
    Logical(Vec<Option<bool>>),
    /// With [`NA_INTEGER`].
    Integer(Vec<i32>),
    /// With [`na_real`].
    Double(Vec<f64>),
    /// Text, or missing.
    Character(Vec<Option<String>>),
    /// Bytes.
    Raw(Vec<u8>),
    /// Other values.
    List(Vec<RValue>),
}

impl From<Data> for RValue {
    fn from(data: Data) -> Self {
        Self { data, attributes: Vec::new() }
    }
}

impl RValue {
    /// `NULL`.
    pub(crate) fn null() -> Self {
        Data::Null.into()
    }

    /// One text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::texts([text.into()])
    }

    /// Several texts.
    pub(crate) fn texts(texts: impl IntoIterator<Item = String>) -> Self {
        Data::Character(texts.into_iter().map(Some).collect()).into()
    }

    /// A list without names.
    pub(crate) fn list(items: Vec<Self>) -> Self {
        Data::List(items).into()
    }

    /// A list with names.
    pub(crate) fn named(members: Vec<(String, Self)>) -> Self {
        let (names, items): (Vec<_>, Vec<_>) = members.into_iter().unzip();
        Self::list(items).with("names", Self::texts(names))
    }

    /// The same with an attribute.
    pub(crate) fn with(mut self, name: &str, value: Self) -> Self {
        self.attributes.push((name.to_owned(), value));
        self
    }

    /// An attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&Self> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Whether it is of a class.
    pub(crate) fn is(&self, class: &str) -> bool {
        let classes = self.attribute("class").map(|classes| &classes.data);
        matches!(classes, Some(Data::Character(all)) if all.iter().any(|own| own.as_deref() == Some(class)))
    }

    /// Its names, if it has as many as elements.
    pub(crate) fn names(&self) -> Option<Vec<&str>> {
        match &self.attribute("names")?.data {
            Data::Character(names) if names.len() == self.len() => {
                Some(names.iter().map(|name| name.as_deref().unwrap_or_default()).collect())
            }
            _ => None,
        }
    }

    /// Its rows and columns, if it is a matrix with as many elements. Without columns it may have any number of rows,
    /// of which there is nothing to tell.
    pub(crate) fn dimensions(&self) -> Option<(usize, usize)> {
        let Data::Integer(sizes) = &self.attribute("dim")?.data else {
            return None;
        };
        let [rows, columns] = sizes[..] else {
            return None;
        };
        let sizes = (usize::try_from(rows).ok()?, usize::try_from(columns).ok()?);
        (sizes.0.checked_mul(sizes.1) == Some(self.len()) && sizes.1 > 0).then_some(sizes)
    }

    /// The names of its columns, if it is a matrix whose columns all have one of their own.
    pub(crate) fn labels(&self) -> Option<Vec<&str>> {
        let Data::List(names) = &self.attribute("dimnames")?.data else {
            return None;
        };
        let Data::Character(labels) = &names.get(1)?.data else {
            return None;
        };
        let labels: Vec<_> =
            labels.iter().map(|label| label.as_deref().unwrap_or_default()).collect();
        let is_own =
            |(at, label): (usize, &&str)| !label.is_empty() && !labels[..at].contains(label);
        labels.iter().enumerate().all(is_own).then_some(labels)
    }

    /// How many elements it has.
    pub(crate) fn len(&self) -> usize {
        match &self.data {
            Data::Null => 0,
            Data::Logical(items) => items.len(),
            Data::Integer(items) => items.len(),
            Data::Double(items) => items.len(),
            Data::Character(items) => items.len(),
            Data::Raw(items) => items.len(),
            Data::List(items) => items.len(),
        }
    }

    /// The text, if it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Character(texts) => match &texts[..] {
                [text] => text.as_deref(),
                _ => None,
            },
            _ => None,
        }
    }

    /// All texts in it.
    pub(crate) fn into_texts(self) -> Vec<String> {
        match self.data {
            Data::Character(texts) => texts.into_iter().flatten().collect(),
            _ => Vec::new(),
        }
    }
}
