//! Numbers, exactly as serde_json represents them.

use serde_json::Number;

/// Why a token is not a number.
pub(crate) enum NumberError {
    /// It does not match the grammar of JSON numbers.
    Spelling,
    /// It is too large for a double.
    Range,
}

/// Parses a number.
pub(crate) fn parse(token: &str) -> Result<Number, NumberError> {
    if !is_number(token.as_bytes()) {
        return Err(NumberError::Spelling);
    }
    // Integers are parsed here because that is much faster. Minus zero, fractions and large numbers
    // are left to serde_json, so that every number has the representation serde_json would give it.
    if let Ok(number) = token.parse::<u64>() {
        return Ok(number.into());
    }
    match token.parse::<i64>() {
        Ok(number) if number != 0 => Ok(number.into()),
        _ => serde_json::from_str(token).map_err(|_| NumberError::Range),
    }
}

fn is_number(token: &[u8]) -> bool {
    let unsigned = token.strip_prefix(b"-").unwrap_or(token);
    let whole = count_digits(unsigned);
    if whole == 0 || whole > 1 && unsigned[0] == b'0' {
        return false;
    }
    let mut rest = &unsigned[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = count_digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    match rest {
        [] => true,
        [b'e' | b'E', exponent @ ..] => {
            let exponent = exponent
                .strip_prefix(b"+")
                .or_else(|| exponent.strip_prefix(b"-"))
                .unwrap_or(exponent);
            !exponent.is_empty() && count_digits(exponent) == exponent.len()
        }
        _ => false,
    }
}

fn count_digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}
