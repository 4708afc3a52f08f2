//! R's serialization format, read: version 2 or 3, of either byte order.
//!
//! What comes here was made by a process that runs other people's code, so nothing in it is
//! believed: lengths are held against what is there, and depth is bounded.

use super::{
    encode::{flag, kind},
    value::{Data, NA_INTEGER, RValue},
};

/// How deep lists may lie in each other.
const DEEPEST: usize = 200;

/// Bytes that are no value we take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The beginning is not that of the format.
    #[error("it does not begin as R's binary serialization does")]
    NotSerialized,
    /// They end too soon.
    #[error("it ends too soon")]
    Short,
    /// Something other than vectors and lists.
    #[error("it holds something of kind {0}, which is no vector or list")]
    Kind(u32),
    /// Lists in lists in lists.
    #[error("its lists lie too deep in each other")]
    Deep,
    /// A reference to nothing, or a name that is no text.
    #[error("a name in it is broken")]
    Name,
}

/// The value that R's `serialize` made the bytes of.
pub(crate) fn decode(bytes: &[u8]) -> Result<RValue, DecodeError> {
    let is_little = match bytes.get(..2) {
        Some(b"B\n") => true,
        Some(b"X\n") => false,
        _ => return Err(DecodeError::NotSerialized),
    };
    let mut reader = Reader { rest: &bytes[2..], is_little, symbols: Vec::new() };
    let version = reader.number()?;
    reader.take(8)?;
    if version == 3 {
        let length = reader.number()?;
        reader.take(length as usize)?;
    }
    reader.value(0)
}

struct Reader<'a> {
    rest: &'a [u8],
    is_little: bool,
    /// Names that may be referred to.
    symbols: Vec<String>,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<RValue, DecodeError> {
        if depth > DEEPEST {
            return Err(DecodeError::Deep);
        }
        let flags = self.number()?;
        let data = match flags & 0xff {
            kind::NULL => return Ok(RValue::null()),
            kind::LOGICAL => {
                let truth = |bits| {
                    if bits == NA_INTEGER { None } else { Some(bits != 0) }
                };
                Data::Logical(self.integers()?.into_iter().map(truth).collect())
            }
            kind::INTEGER => Data::Integer(self.integers()?),
            kind::DOUBLE => Data::Double(self.doubles()?),
            kind::CHARACTER => Data::Character(self.several(8, Self::text)?),
            kind::RAW => {
                let length = self.length(1)?;
                Data::Raw(self.take(length)?.to_vec())
            }
            kind::LIST => Data::List(self.several(4, |reader| reader.value(depth + 1))?),
            kind::PAIRS => return self.pairs(flags, depth),
            other => return Err(DecodeError::Kind(other)),
        };
        let attributes = if flags & flag::HAS_ATTRIBUTES == 0 {
            Vec::new()
        } else {
            self.attributes(depth + 1)?
        };
        Ok(RValue { data, attributes })
    }

    /// A pairlist, as the list that it is for everyone but R itself.
    fn pairs(&mut self, mut flags: u32, depth: usize) -> Result<RValue, DecodeError> {
        let mut members = Vec::new();
        while flags & 0xff == kind::PAIRS {
            members.push(self.pair(flags, depth)?);
            flags = self.number()?;
        }
        if flags & 0xff != kind::NULL {
            return Err(DecodeError::Kind(flags & 0xff));
        }
        Ok(RValue::named(members))
    }

    fn attributes(&mut self, depth: usize) -> Result<Vec<(String, RValue)>, DecodeError> {
        let mut attributes = Vec::new();
        loop {
            let flags = self.number()?;
            match flags & 0xff {
                kind::NULL => return Ok(attributes),
                kind::PAIRS => attributes.push(self.pair(flags, depth)?),
                other => return Err(DecodeError::Kind(other)),
            }
        }
    }

    fn pair(&mut self, flags: u32, depth: usize) -> Result<(String, RValue), DecodeError> {
        if flags & flag::HAS_ATTRIBUTES != 0 {
            self.attributes(depth + 1)?;
        }
        let name = if flags & flag::HAS_TAG == 0 { String::new() } else { self.symbol()? };
        Ok((name, self.value(depth + 1)?))
    }

    fn symbol(&mut self) -> Result<String, DecodeError> {
        let flags = self.number()?;
        match flags & 0xff {
            kind::SYMBOL => {
                let name = self.text()?.ok_or(DecodeError::Name)?;
                self.symbols.push(name.clone());
                Ok(name)
            }
            kind::REFERENCE => {
                let index = match flags >> 8 {
                    0 => self.number()?,
                    packed => packed,
                };
                let known =
                    (index as usize).checked_sub(1).and_then(|index| self.symbols.get(index));
                known.cloned().ok_or(DecodeError::Name)
            }
            other => Err(DecodeError::Kind(other)),
        }
    }

    fn text(&mut self) -> Result<Option<String>, DecodeError> {
        let flags = self.number()?;
        if flags & 0xff != kind::TEXT {
            return Err(DecodeError::Kind(flags & 0xff));
        }
        let length = self.number()?;
        if length == u32::MAX {
            return Ok(None);
        }
        let bytes = self.take(length as usize)?;
        let is_latin = flags & flag::LATIN1 != 0;
        Ok(Some(if is_latin {
            bytes.iter().map(|byte| char::from(*byte)).collect()
        } else {
            String::from_utf8_lossy(bytes).into_owned()
        }))
    }

    fn integers(&mut self) -> Result<Vec<i32>, DecodeError> {
        let length = self.length(4)?;
        let (chunks, _) = self.take(length * 4)?.as_chunks::<4>();
        let read = if self.is_little { i32::from_le_bytes } else { i32::from_be_bytes };
        Ok(chunks.iter().map(|chunk| read(*chunk)).collect())
    }

    fn doubles(&mut self) -> Result<Vec<f64>, DecodeError> {
        let length = self.length(8)?;
        let (chunks, _) = self.take(length * 8)?.as_chunks::<8>();
        let read = if self.is_little { u64::from_le_bytes } else { u64::from_be_bytes };
        Ok(chunks.iter().map(|chunk| f64::from_bits(read(*chunk))).collect())
    }

    fn several<T>(
        &mut self,
        smallest: usize,
        mut each: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let length = self.length(smallest)?;
        (0..length).map(|_| each(self)).collect()
    }

    /// A length, of which each element takes so many bytes at least.
    fn length(&mut self, smallest: usize) -> Result<usize, DecodeError> {
        let length = match self.number()? {
            u32::MAX => u64::from(self.number()?) << 32 | u64::from(self.number()?),
            short => u64::from(short),
        };
        let fits = usize::try_from(length).ok().filter(|length| {
            length.checked_mul(smallest).is_some_and(|all| all <= self.rest.len())
        });
        fits.ok_or(DecodeError::Short)
    }

    fn number(&mut self) -> Result<u32, DecodeError> {
        let bytes = self.take(4)?.try_into().map_err(|_| DecodeError::Short)?;
        Ok(if self.is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(DecodeError::Short)?;
        self.rest = rest;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process::Command};

    use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

    use super::{super::encode::encode, decode};
    use crate::r::value::{Data, RValue};

    fn texts() -> impl Strategy<Value = Vec<Option<String>>> {
        proptest::collection::vec(proptest::option::weighted(0.8, "[^\\x00]{0,6}"), 0..5)
    }

    fn vectors() -> impl Strategy<Value = Data> {
        use proptest::collection::vec;
        prop_oneof![
            Just(Data::Null),
            vec(any::<Option<bool>>(), 0..5).prop_map(Data::Logical),
            vec(any::<i32>(), 0..5).prop_map(Data::Integer),
            vec(any::<u64>().prop_map(f64::from_bits), 0..5).prop_map(Data::Double),
            texts().prop_map(Data::Character),
            vec(any::<u8>(), 0..9).prop_map(Data::Raw),
        ]
    }

    /// Names, and an attribute that is referred to again and again.
    fn adorned(data: Data, names: bool, note: Option<i32>) -> RValue {
        let value = RValue::from(data);
        let count = value.len();
        let value = match names && count > 0 {
            true => value
                .with("names", RValue::texts((0..count).map(|index| format!("n\u{e9}{index}")))),
            false => value,
        };
        match note.filter(|_| value.data != Data::Null) {
            Some(note) => value.with("note", Data::Integer(vec![note]).into()),
            None => value,
        }
    }

    fn values() -> impl Strategy<Value = RValue> {
        let flat = (vectors(), any::<bool>(), any::<Option<i32>>())
            .prop_map(|(data, names, note)| adorned(data, names, note));
        flat.prop_recursive(3, 24, 5, |inner| {
            let items = proptest::collection::vec(inner, 0..5);
            (items, any::<bool>(), any::<Option<i32>>())
                .prop_map(|(items, names, note)| adorned(Data::List(items), names, note))
        })
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn r_reads_what_we_write_and_we_read_what_r_writes() {
        let path = env::var_os("PATH").unwrap_or_default();
        if !env::split_paths(&path).any(|folder| folder.join("Rscript").is_file()) {
            assert!(env::var_os("CI").is_none(), "CI must have R");
            eprintln!("SKIPPED: R is not installed (Debian: r-base-core)");
            return;
        }
        let mut runner = TestRunner::default();
        let many = (0..400).map(|_| values().new_tree(&mut runner).map(|tree| tree.current()));
        let value = RValue::list(
            many.collect::<Result<_, _>>().unwrap_or_else(|reason| panic!("{reason}")),
        );
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let file = |name: &str| folder.path().join(name);
        fs::write(file("in"), encode(&value)).unwrap_or_else(|error| panic!("{error}"));
        let code = "x <- unserialize(file('in', 'rb')); stopifnot(length(x) == 400L)
            put <- function(name, ...) writeBin(serialize(x, NULL, ...), name)
            put('little', xdr = FALSE, version = 2L); put('big', xdr = TRUE, version = 2L); put('three', xdr = TRUE, version = 3L)";
        let status = Command::new("Rscript")
            .args(["--vanilla", "-e", code])
            .current_dir(folder.path())
            .status();
        assert!(status.is_ok_and(|status| status.success()));
        for name in ["little", "big", "three"] {
            let bytes = fs::read(file(name)).unwrap_or_else(|error| panic!("{error}"));
            let read = decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(encode(&read) == encode(&value), "{name}");
        }
    }

    proptest! {
        #[test]
        fn broken_bytes_are_an_error_and_nothing_worse(value in values(), cut in any::<prop::sample::Index>(), flip in any::<(prop::sample::Index, u8)>()) {
            let mut bytes = encode(&value);
            let at = flip.0.index(bytes.len());
            bytes[at] ^= flip.1;
            let _ = decode(&bytes);
            bytes.truncate(cut.index(bytes.len()));
            let _ = decode(&bytes);
        }
    }
}
