//! Writes R's serialization format: version 2, little-endian.
//!
//! The format is described in "R Internals", section "Serialization Formats".

use super::value::{Data, NA_INTEGER, RValue};

/// The start of every encoded value: format (binary, little-endian), version 2, the version of R
/// that wrote it (4.2.2), and the oldest one that can read it (2.3.0).
pub(super) const HEADER: &[u8] = b"B\n\x02\0\0\0\x02\x02\x04\0\0\x03\x02\0";

/// R's numbers for types of items (`SEXPTYPE`).
pub(super) mod kind {
    pub(in super::super) const SYMBOL: u32 = 1;
    pub(in super::super) const PAIRLIST: u32 = 2;
    /// One element of a character vector.
    pub(in super::super) const STRING: u32 = 9;
    pub(in super::super) const LOGICAL: u32 = 10;
    pub(in super::super) const INTEGER: u32 = 13;
    pub(in super::super) const DOUBLE: u32 = 14;
    pub(in super::super) const CHARACTER: u32 = 16;
    pub(in super::super) const LIST: u32 = 19;
    pub(in super::super) const RAW: u32 = 24;
    pub(in super::super) const NULL: u32 = 254;
    /// A reference to a symbol that occurred before.
    pub(in super::super) const REFERENCE: u32 = 255;
}

/// Flags beside the type of an item.
pub(super) mod flag {
    pub(in super::super) const IS_OBJECT: u32 = 1 << 8;
    pub(in super::super) const HAS_ATTRIBUTES: u32 = 1 << 9;
    pub(in super::super) const HAS_TAG: u32 = 1 << 10;
    /// The encoding of a string, in the bits that are its own from the 12th on.
    pub(in super::super) const LATIN1: u32 = 1 << (12 + 2);
    pub(in super::super) const UTF8: u32 = 1 << (12 + 3);
    pub(in super::super) const ASCII: u32 = 1 << (12 + 6);
}

/// Encodes a value for R's `unserialize`.
pub(super) fn encode(value: &RValue) -> Vec<u8> {
    let mut encoder = Encoder { bytes: HEADER.to_vec(), symbols: Vec::new() };
    encoder.write_value(value);
    encoder.bytes
}

struct Encoder<'a> {
    bytes: Vec<u8>,
    /// Attribute names so far. R wants a reference instead of a name that occurs again.
    symbols: Vec<&'a str>,
}

impl<'a> Encoder<'a> {
    fn write_value(&mut self, value: &'a RValue) {
        let mut flags = kind_of(&value.data);
        if !value.attributes.is_empty() && flags != kind::NULL {
            flags |= flag::HAS_ATTRIBUTES;
        }
        // Without this flag R does not dispatch methods on the value, whatever its class attribute.
        if value.attribute("class").is_some() {
            flags |= flag::IS_OBJECT;
        }
        self.write_u32(flags);
        match &value.data {
            Data::Null => return,
            Data::Logical(items) => {
                self.write_length(items.len());
                items.iter().for_each(|item| self.write_i32(item.map_or(NA_INTEGER, i32::from)));
            }
            Data::Integer(items) => {
                self.write_length(items.len());
                items.iter().for_each(|item| self.write_i32(*item));
            }
            Data::Double(items) => {
                self.write_length(items.len());
                // Written as bits, because only they distinguish NA from other NaNs.
                items.iter().for_each(|item| self.bytes.extend(item.to_bits().to_le_bytes()));
            }
            Data::Character(items) => {
                self.write_length(items.len());
                items.iter().for_each(|item| self.write_string(item.as_deref()));
            }
            Data::Raw(items) => {
                self.write_length(items.len());
                self.bytes.extend(items);
            }
            Data::List(items) => {
                self.write_length(items.len());
                items.iter().for_each(|item| self.write_value(item));
            }
        }
        self.write_attributes(&value.attributes);
    }

    /// Attributes are a pairlist with tags, which ends with `NULL`.
    fn write_attributes(&mut self, attributes: &'a [(String, RValue)]) {
        for (name, value) in attributes {
            self.write_u32(kind::PAIRLIST | flag::HAS_TAG);
            self.write_symbol(name);
            self.write_value(value);
        }
        if !attributes.is_empty() {
            self.write_u32(kind::NULL);
        }
    }

    fn write_symbol(&mut self, name: &'a str) {
        match self.symbols.iter().position(|known| *known == name) {
            // References count from one, and the index is packed into the upper bytes.
            Some(index) => self.write_u32(kind::REFERENCE | (index as u32 + 1) << 8),
            None => {
                self.symbols.push(name);
                self.write_u32(kind::SYMBOL);
                self.write_string(Some(name));
            }
        }
    }

    /// A missing string has the length -1.
    fn write_string(&mut self, text: Option<&str>) {
        let encoding =
            // R has a mark of its own for ASCII strings, which need no conversion in any locale.
            text.map_or(0, |text| if text.is_ascii() { flag::ASCII } else { flag::UTF8 });
        self.write_u32(kind::STRING | encoding);
        match text {
            Some(text) => {
                self.write_length(text.len());
                self.bytes.extend(text.as_bytes());
            }
            None => self.write_i32(-1),
        }
    }

    /// A length beyond 31 bits is -1 and two words.
    fn write_length(&mut self, length: usize) {
        match i32::try_from(length) {
            Ok(length) => self.write_i32(length),
            Err(_) => {
                self.write_i32(-1);
                self.write_u32((length as u64 >> 32) as u32);
                self.write_u32(length as u32);
            }
        }
    }

    fn write_i32(&mut self, number: i32) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn write_u32(&mut self, number: u32) {
        self.bytes.extend(number.to_le_bytes());
    }
}

fn kind_of(data: &Data) -> u32 {
    match data {
        Data::Null => kind::NULL,
        Data::Logical(_) => kind::LOGICAL,
        Data::Integer(_) => kind::INTEGER,
        Data::Double(_) => kind::DOUBLE,
        Data::Character(_) => kind::CHARACTER,
        Data::Raw(_) => kind::RAW,
        Data::List(_) => kind::LIST,
    }
}
