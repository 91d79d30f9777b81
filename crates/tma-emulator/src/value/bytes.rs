//! Numbers as memory holds them.

/// Reads up to eight bytes as a number.
#[inline]
pub(crate) fn read(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => bytes
            .iter()
            .rev()
            .take(8)
            .fold(0, |value, byte| value << 8 | u64::from(*byte)),
    }
}

/// Writes the low bytes of a number, up to eight.
#[inline]
pub(crate) fn write(to: &mut [u8], value: u64) {
    let bytes = value.to_le_bytes();
    match to.len() {
        4 => to.copy_from_slice(&bytes[..4]),
        8 => to.copy_from_slice(&bytes),
        length => {
            let length = length.min(8);
            to[..length].copy_from_slice(&bytes[..length]);
        }
    }
}
