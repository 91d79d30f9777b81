use std::sync::LazyLock;

/// The value of a number of `e4m3`: a sign, 4 bits of exponent and 3 of fraction, and one NaN of each sign.
pub fn e4m3(bits: u8) -> f64 {
    let sign = if bits & 0x80 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 3 & 15), f64::from(bits & 7) / 8.0);
    let magnitude = match (exponent, bits & 7) {
        (15, 7) => f64::NAN,
        (0, _) => fraction * 2.0_f64.powi(-6),
        _ => (1.0 + fraction) * 2.0_f64.powi(exponent - 7),
    };
    sign * magnitude
}

/// Returns the bits of the `e4m3` of this value; the positive one of zeros.
///
/// # Panics
/// If there is no such number.
pub fn bits_of_e4m3(value: f64) -> u8 {
    static VALUES: LazyLock<Vec<f64>> = LazyLock::new(|| (0..=u8::MAX).map(e4m3).collect());
    let bits = VALUES.iter().position(|other| *other == value);
    bits.unwrap_or_else(|| panic!("{value} is not a number of e4m3")) as u8
}

/// Returns the values of numbers of `e4m3` in rows of this length, each multiplied by the scale of its row and column.
pub fn scaled(bits: &[u8], columns: usize, scale: impl Fn(usize, usize) -> f32) -> Vec<f64> {
    let value = |(at, bits): (usize, &u8)| {
        let scale = scale(at / columns, at % columns);
        e4m3(*bits) * f64::from(scale)
    };
    bits.iter().enumerate().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_e4m3_are_those_of_the_table() {
        // OCP 8-bit Floating Point Specification, table 2.
        for (bits, value) in [
            (0x00, 0.0),
            (0x01, 2.0_f64.powi(-9)),
            (0x07, 0.875 * 2.0_f64.powi(-6)),
            (0x08, 2.0_f64.powi(-6)),
            (0x38, 1.0),
            (0x39, 1.125),
            (0x7e, 448.0),
            (0xfe, -448.0),
        ] {
            assert_eq!(e4m3(bits), value);
            assert_eq!(bits_of_e4m3(value), bits);
        }
        assert!(e4m3(0x7f).is_nan() && e4m3(0xff).is_nan());
    }

    #[test]
    fn each_number_has_the_scale_of_its_place() {
        let bits = [1.0, 2.0, 3.0, 4.0].map(bits_of_e4m3);
        let values = scaled(&bits, 2, |row, column| (10 * row + column) as f32);
        assert_eq!(values, [0.0, 2.0, 30.0, 44.0]);
    }
}
