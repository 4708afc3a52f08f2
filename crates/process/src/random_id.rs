//! Names that cannot be guessed.

use std::{fs::File, io, io::Read};

/// 128 random bits as 32 hexadecimal digits.
pub fn random_id() -> io::Result<String> {
    let mut bits = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bits)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bits)))
}
