//! R's serialization format, written: version 2, little-endian.

use super::value::{Data, NA_INTEGER, RValue};

/// The format, its version, an R that writes it and the oldest that reads it.
pub(super) const HEADER: &[u8] = b"B\n\x02\0\0\0\x02\x02\x04\0\0\x03\x02\0";

/// Kinds of items, as R numbers them.
pub(super) mod kind {
    pub(in super::super) const SYMBOL: u32 = 1;
    pub(in super::super) const PAIRS: u32 = 2;
    pub(in super::super) const TEXT: u32 = 9;
    pub(in super::super) const LOGICAL: u32 = 10;
    pub(in super::super) const INTEGER: u32 = 13;
    pub(in super::super) const DOUBLE: u32 = 14;
    pub(in super::super) const CHARACTER: u32 = 16;
    pub(in super::super) const LIST: u32 = 19;
    pub(in super::super) const RAW: u32 = 24;
    pub(in super::super) const NULL: u32 = 254;
    pub(in super::super) const REFERENCE: u32 = 255;
}

/// Annotations beside the kind of an item.
pub(super) mod flag {
    pub(in super::super) const IS_OBJECT: u32 = 1 << 8;
    pub(in super::super) const HAS_ATTRIBUTES: u32 = 1 << 9;
    pub(in super::super) const HAS_TAG: u32 = 1 << 10;
    /// Of a text: that it is UTF-8, or nothing but ASCII.
    pub(in super::super) const UTF8: u32 = 1 << (12 + 3);
    pub(in super::super) const ASCII: u32 = 1 << (12 + 6);
    pub(in super::super) const LATIN1: u32 = 1 << (12 + 2);
}

/// The bytes that R's `unserialize` makes the value of.
pub(crate) fn encode(value: &RValue) -> Vec<u8> {
    let mut writer = Writer { bytes: HEADER.to_vec(), symbols: Vec::new() };
    writer.value(value);
    writer.bytes
}

struct Writer<'a> {
    bytes: Vec<u8>,
    /// Names of attributes that were written: from the second time on, they are referred to.
    symbols: Vec<&'a str>,
}

impl<'a> Writer<'a> {
    fn value(&mut self, value: &'a RValue) {
        let mut flags = kind_of(&value.data);
        if !value.attributes.is_empty() && flags != kind::NULL {
            flags |= flag::HAS_ATTRIBUTES;
        }
        if value.attribute("class").is_some() {
            flags |= flag::IS_OBJECT;
        }
        self.number(flags);
        match &value.data {
            Data::Null => return,
            Data::Logical(items) => {
                self.length(items.len());
                items.iter().for_each(|item| self.integer(item.map_or(NA_INTEGER, i32::from)));
            }
            Data::Integer(items) => {
                self.length(items.len());
                items.iter().for_each(|item| self.integer(*item));
            }
            Data::Double(items) => {
                self.length(items.len());
                items.iter().for_each(|item| self.bytes.extend(item.to_bits().to_le_bytes()));
            }
            Data::Character(items) => {
                self.length(items.len());
                items.iter().for_each(|item| self.text(item.as_deref()));
            }
            Data::Raw(items) => {
                self.length(items.len());
                self.bytes.extend(items);
            }
            Data::List(items) => {
                self.length(items.len());
                items.iter().for_each(|item| self.value(item));
            }
        }
        self.attributes(&value.attributes);
    }

    fn attributes(&mut self, attributes: &'a [(String, RValue)]) {
        for (name, value) in attributes {
            self.number(kind::PAIRS | flag::HAS_TAG);
            self.symbol(name);
            self.value(value);
        }
        if !attributes.is_empty() {
            self.number(kind::NULL);
        }
    }

    fn symbol(&mut self, name: &'a str) {
        match self.symbols.iter().position(|known| *known == name) {
            Some(index) => self.number(kind::REFERENCE | (index as u32 + 1) << 8),
            None => {
                self.symbols.push(name);
                self.number(kind::SYMBOL);
                self.text(Some(name));
            }
        }
    }

    fn text(&mut self, text: Option<&str>) {
        let encoding =
            text.map_or(0, |text| if text.is_ascii() { flag::ASCII } else { flag::UTF8 });
        self.number(kind::TEXT | encoding);
        match text {
            Some(text) => {
                self.length(text.len());
                self.bytes.extend(text.as_bytes());
            }
            None => self.integer(-1),
        }
    }

    /// Longer than an integer can say is written as two.
    fn length(&mut self, length: usize) {
        match i32::try_from(length) {
            Ok(length) => self.integer(length),
            Err(_) => {
                self.integer(-1);
                self.number((length as u64 >> 32) as u32);
                self.number(length as u32);
            }
        }
    }

    fn integer(&mut self, integer: i32) {
        self.bytes.extend(integer.to_le_bytes());
    }

    fn number(&mut self, number: u32) {
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
