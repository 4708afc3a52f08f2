//! Reads R's serialization format: versions 2 and 3, in either byte order.
//!
//! The bytes come from a process that runs untrusted code. Lengths are checked against the input
//! before memory is allocated, and the depth of nesting is limited.

use super::{
    encode::{flag, kind},
    value::{Data, NA_INTEGER, RValue},
};

/// The deepest nesting of lists.
const MAX_DEPTH: usize = 200;

/// Maximum number of values, strings and symbols in one message. Each takes a few bytes of the
/// message, but many more in memory.
const MAX_VALUES: usize = 2_000_000;

/// Why bytes could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum DecodeError {
    #[error("not R's binary serialization format")]
    UnknownFormat,
    #[error("unexpected end of input")]
    UnexpectedEnd,
    /// A value that is not a vector or list.
    #[error("unsupported type {0}")]
    UnsupportedType(u32),
    #[error("lists are nested too deeply")]
    TooDeep,
    #[error("too many values")]
    TooMany,
    /// An invalid reference, or a missing name.
    #[error("invalid symbol")]
    InvalidSymbol,
}

/// Decodes a value that R's `serialize` encoded.
pub(super) fn decode(bytes: &[u8]) -> Result<RValue, DecodeError> {
    let is_little = match bytes.get(..2) {
        Some(b"B\n") => true,
        // R writes little-endian on request only; its default, `xdr = TRUE`, is big-endian.
        Some(b"X\n") => false,
        _ => return Err(DecodeError::UnknownFormat),
    };
    let mut decoder =
        Decoder { rest: &bytes[2..], is_little, symbols: Vec::new(), values_left: MAX_VALUES };
    let version = decoder.read_u32()?;
    // The versions of R that wrote it and that can read it.
    decoder.take(8)?;
    if version == 3 {
        // The native encoding of the writer; strings carry their own.
        let length = decoder.read_u32()?;
        decoder.take(length as usize)?;
    }
    decoder.read_value(0)
}

struct Decoder<'a> {
    rest: &'a [u8],
    is_little: bool,
    /// Symbols so far, to which references refer.
    symbols: Vec<String>,
    values_left: usize,
}

impl<'a> Decoder<'a> {
    fn read_value(&mut self, depth: usize) -> Result<RValue, DecodeError> {
        if depth > MAX_DEPTH {
            return Err(DecodeError::TooDeep);
        }
        self.count_value()?;
        let flags = self.read_u32()?;
        let data = match flags & 0xff {
            kind::NULL => return Ok(RValue::null()),
            kind::LOGICAL => {
                let to_logical = |bits| {
                    if bits == NA_INTEGER { None } else { Some(bits != 0) }
                };
                Data::Logical(self.read_integers()?.into_iter().map(to_logical).collect())
            }
            kind::INTEGER => Data::Integer(self.read_integers()?),
            kind::DOUBLE => Data::Double(self.read_doubles()?),
            // Minimum size of an element: flags and length of a string, flags of a list item.
            kind::CHARACTER => Data::Character(self.read_items(8, Self::read_string)?),
            kind::RAW => {
                let length = self.read_length(1)?;
                Data::Raw(self.take(length)?.to_vec())
            }
            kind::LIST => Data::List(self.read_items(4, |decoder| decoder.read_value(depth + 1))?),
            kind::PAIRLIST => return self.read_pairlist(flags, depth),
            other => return Err(DecodeError::UnsupportedType(other)),
        };
        let attributes = if flags & flag::HAS_ATTRIBUTES == 0 {
            Vec::new()
        } else {
            self.read_attributes(depth + 1)?
        };
        Ok(RValue { data, attributes })
    }

    /// A pairlist as a list: only R itself distinguishes them.
    fn read_pairlist(&mut self, mut flags: u32, depth: usize) -> Result<RValue, DecodeError> {
        let mut members = Vec::new();
        while flags & 0xff == kind::PAIRLIST {
            members.push(self.read_pair(flags, depth)?);
            flags = self.read_u32()?;
        }
        if flags & 0xff != kind::NULL {
            return Err(DecodeError::UnsupportedType(flags & 0xff));
        }
        Ok(RValue::named(members))
    }

    fn read_attributes(&mut self, depth: usize) -> Result<Vec<(String, RValue)>, DecodeError> {
        let mut attributes = Vec::new();
        loop {
            let flags = self.read_u32()?;
            match flags & 0xff {
                kind::NULL => return Ok(attributes),
                kind::PAIRLIST => attributes.push(self.read_pair(flags, depth)?),
                other => return Err(DecodeError::UnsupportedType(other)),
            }
        }
    }

    fn read_pair(&mut self, flags: u32, depth: usize) -> Result<(String, RValue), DecodeError> {
        // R writes the attributes of the pair itself before its name. JSON has no place for them.
        if flags & flag::HAS_ATTRIBUTES != 0 {
            self.read_attributes(depth + 1)?;
        }
        let name = if flags & flag::HAS_TAG == 0 { String::new() } else { self.read_symbol()? };
        Ok((name, self.read_value(depth + 1)?))
    }

    fn read_symbol(&mut self) -> Result<String, DecodeError> {
        let flags = self.read_u32()?;
        match flags & 0xff {
            kind::SYMBOL => {
                let name = self.read_string()?.ok_or(DecodeError::InvalidSymbol)?;
                self.symbols.push(name.clone());
                Ok(name)
            }
            // R counts environments as well, but rejecting values that contain one keeps the
            // indexes equal.
            kind::REFERENCE => {
                // The index is in the upper bytes of the flags if it fits, else in a word of its
                // own.
                let index = match flags >> 8 {
                    0 => self.read_u32()?,
                    packed => packed,
                };
                let known =
                    (index as usize).checked_sub(1).and_then(|index| self.symbols.get(index));
                known.cloned().ok_or(DecodeError::InvalidSymbol)
            }
            other => Err(DecodeError::UnsupportedType(other)),
        }
    }

    fn count_value(&mut self) -> Result<(), DecodeError> {
        self.values_left = self.values_left.checked_sub(1).ok_or(DecodeError::TooMany)?;
        Ok(())
    }

    fn read_string(&mut self) -> Result<Option<String>, DecodeError> {
        self.count_value()?;
        let flags = self.read_u32()?;
        if flags & 0xff != kind::STRING {
            return Err(DecodeError::UnsupportedType(flags & 0xff));
        }
        let length = self.read_u32()?;
        if length == u32::MAX {
            return Ok(None);
        }
        let bytes = self.take(length as usize)?;
        let is_latin1 = flags & flag::LATIN1 != 0;
        Ok(Some(if is_latin1 {
            // The first 256 code points of Unicode are those of Latin-1.
            bytes.iter().map(|byte| char::from(*byte)).collect()
        } else {
            String::from_utf8_lossy(bytes).into_owned()
        }))
    }

    fn read_integers(&mut self) -> Result<Vec<i32>, DecodeError> {
        let length = self.read_length(4)?;
        let (chunks, _) = self.take(length * 4)?.as_chunks::<4>();
        let read = if self.is_little { i32::from_le_bytes } else { i32::from_be_bytes };
        Ok(chunks.iter().map(|chunk| read(*chunk)).collect())
    }

    fn read_doubles(&mut self) -> Result<Vec<f64>, DecodeError> {
        let length = self.read_length(8)?;
        let (chunks, _) = self.take(length * 8)?.as_chunks::<8>();
        let read = if self.is_little { u64::from_le_bytes } else { u64::from_be_bytes };
        Ok(chunks.iter().map(|chunk| f64::from_bits(read(*chunk))).collect())
    }

    fn read_items<T>(
        &mut self,
        min_bytes: usize,
        mut each: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let length = self.read_length(min_bytes)?;
        (0..length).map(|_| each(self)).collect()
    }

    /// A length. Fails if the rest of the input is too short for so many elements of at least
    /// `min_bytes` each, so that a wrong length cannot cause a huge allocation.
    fn read_length(&mut self, min_bytes: usize) -> Result<usize, DecodeError> {
        let length = match self.read_u32()? {
            // A length of -1 announces a long vector: two words follow, the upper one first.
            u32::MAX => u64::from(self.read_u32()?) << 32 | u64::from(self.read_u32()?),
            short => u64::from(short),
        };
        let fits = usize::try_from(length).ok().filter(|length| {
            length.checked_mul(min_bytes).is_some_and(|all| all <= self.rest.len())
        });
        fits.ok_or(DecodeError::UnexpectedEnd)
    }

    fn read_u32(&mut self) -> Result<u32, DecodeError> {
        let bytes = self.take(4)?.try_into().map_err(|_| DecodeError::UnexpectedEnd)?;
        Ok(if self.is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(DecodeError::UnexpectedEnd)?;
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

    fn strings() -> impl Strategy<Value = Vec<Option<String>>> {
        proptest::collection::vec(proptest::option::weighted(0.8, "[^\\x00]{0,6}"), 0..5)
    }

    fn vectors() -> impl Strategy<Value = Data> {
        use proptest::collection::vec;
        prop_oneof![
            Just(Data::Null),
            vec(any::<Option<bool>>(), 0..5).prop_map(Data::Logical),
            vec(any::<i32>(), 0..5).prop_map(Data::Integer),
            vec(any::<u64>().prop_map(f64::from_bits), 0..5).prop_map(Data::Double),
            strings().prop_map(Data::Character),
            vec(any::<u8>(), 0..9).prop_map(Data::Raw),
        ]
    }

    /// Adds names, and an attribute whose symbol occurs again and again.
    fn with_attributes(data: Data, has_names: bool, note: Option<i32>) -> RValue {
        let value = RValue::from(data);
        let count = value.len();
        let value = if has_names && count > 0 {
            let names = (0..count).map(|index| format!("n\u{e9}{index}"));
            value.with("names", RValue::texts(names))
        } else {
            value
        };
        match note.filter(|_| value.data != Data::Null) {
            Some(note) => value.with("note", Data::Integer(vec![note]).into()),
            None => value,
        }
    }

    fn values() -> impl Strategy<Value = RValue> {
        let flat = (vectors(), any::<bool>(), any::<Option<i32>>())
            .prop_map(|(data, names, note)| with_attributes(data, names, note));
        flat.prop_recursive(3, 24, 5, |inner| {
            let items = proptest::collection::vec(inner, 0..5);
            (items, any::<bool>(), any::<Option<i32>>())
                .prop_map(|(items, names, note)| with_attributes(Data::List(items), names, note))
        })
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "a skipped test reports it")]
    fn values_survive_a_round_trip_through_r() {
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
        fn malformed_bytes_are_an_error_and_never_a_panic(value in values(), cut in any::<prop::sample::Index>(), flip in any::<(prop::sample::Index, u8)>()) {
            let mut bytes = encode(&value);
            let at = flip.0.index(bytes.len());
            bytes[at] ^= flip.1;
            let _ = decode(&bytes);
            bytes.truncate(cut.index(bytes.len()));
            let _ = decode(&bytes);
        }
    }
}
