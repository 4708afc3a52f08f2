//! R values that are exchanged with a worker: vectors and lists with attributes, but no code and
//! nothing that has an identity, such as environments.

/// R's missing integer or logical.
pub(super) const NA_INTEGER: i32 = i32::MIN;
/// R's missing double: a NaN with 1954 in its lower word, which distinguishes it from other NaNs.
const NA_REAL: u64 = 0x7ff0_0000_0000_07a2;

/// R's missing double.
pub(super) fn na_real() -> f64 {
    f64::from_bits(NA_REAL)
}

/// Whether a double is R's missing one, and not another NaN.
pub(super) fn is_na_real(value: f64) -> bool {
    // Only the lower word counts: the processor may have set the quiet bit in the upper one.
    value.is_nan() && value.to_bits() & 0xffff_ffff == NA_REAL & 0xffff_ffff
}

/// An R value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RValue {
    pub(super) data: Data,
    /// `names`, `class` and others, in order.
    pub(super) attributes: Vec<(String, RValue)>,
}

/// An R value without its attributes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Data {
    /// `NULL`.
    Null,
    /// `None` is NA.
    Logical(Vec<Option<bool>>),
    /// [`NA_INTEGER`] is NA.
    Integer(Vec<i32>),
    /// [`na_real`] is NA.
    Double(Vec<f64>),
    /// `None` is NA.
    Character(Vec<Option<String>>),
    Raw(Vec<u8>),
    /// A generic vector, called a list.
    List(Vec<RValue>),
}

impl From<Data> for RValue {
    fn from(data: Data) -> Self {
        Self { data, attributes: Vec::new() }
    }
}

impl RValue {
    /// `NULL`.
    pub(super) fn null() -> Self {
        Data::Null.into()
    }

    /// A character vector of one element.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::texts([text.into()])
    }

    /// A character vector.
    pub(super) fn texts(texts: impl IntoIterator<Item = String>) -> Self {
        Data::Character(texts.into_iter().map(Some).collect()).into()
    }

    /// A list without names.
    pub(super) fn list(items: Vec<Self>) -> Self {
        Data::List(items).into()
    }

    /// A list with names.
    pub(super) fn named(members: Vec<(String, Self)>) -> Self {
        let (names, items): (Vec<_>, Vec<_>) = members.into_iter().unzip();
        Self::list(items).with("names", Self::texts(names))
    }

    /// Adds an attribute.
    pub(super) fn with(mut self, name: &str, value: Self) -> Self {
        self.attributes.push((name.to_owned(), value));
        self
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&Self> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Whether it has this S3 class.
    pub(super) fn inherits(&self, class: &str) -> bool {
        let classes = self.attribute("class").map(|classes| &classes.data);
        matches!(classes, Some(Data::Character(all)) if all.iter().any(|own| own.as_deref() == Some(class)))
    }

    /// Its names, if there are as many as elements.
    pub(super) fn names(&self) -> Option<Vec<&str>> {
        match &self.attribute("names")?.data {
            Data::Character(names) if names.len() == self.len() => {
                Some(names.iter().map(|name| name.as_deref().unwrap_or_default()).collect())
            }
            _ => None,
        }
    }

    /// The rows and columns of a matrix. `None` for a matrix without columns: it can have any
    /// number of rows, which would all be empty.
    pub(super) fn dimensions(&self) -> Option<(usize, usize)> {
        let Data::Integer(sizes) = &self.attribute("dim")?.data else {
            return None;
        };
        let [rows, columns] = sizes[..] else {
            return None;
        };
        let sizes = (usize::try_from(rows).ok()?, usize::try_from(columns).ok()?);
        // The attribute comes from untrusted code: a product that does not match would index out of
        // bounds.
        (sizes.0.checked_mul(sizes.1) == Some(self.len()) && sizes.1 > 0).then_some(sizes)
    }

    /// The column names of a matrix, if all columns have one and they are distinct.
    pub(super) fn column_names(&self) -> Option<Vec<&str>> {
        let Data::List(dimnames) = &self.attribute("dimnames")?.data else {
            return None;
        };
        let Data::Character(names) = &dimnames.get(1)?.data else {
            return None;
        };
        let names: Vec<_> = names.iter().map(|name| name.as_deref().unwrap_or_default()).collect();
        let is_distinct =
            |(at, name): (usize, &&str)| !name.is_empty() && !names[..at].contains(name);
        names.iter().enumerate().all(is_distinct).then_some(names)
    }

    /// The number of elements.
    pub(super) fn len(&self) -> usize {
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

    /// The text, if it is a character vector of one element.
    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Character(texts) => match &texts[..] {
                [text] => text.as_deref(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The elements of a character vector, without missing ones.
    pub(super) fn into_texts(self) -> Vec<String> {
        match self.data {
            Data::Character(texts) => texts.into_iter().flatten().collect(),
            _ => Vec::new(),
        }
    }
}
