//! `cvt` between formats of numbers, derived from the formats.

/// A format by the bits of its exponent and of its fraction, its largest number, its infinity and its NaN, and how
/// far above the lowest bit it is.
struct Format {
    exponent: u32,
    fraction: u32,
    largest: u64,
    infinity: Option<u64>,
    nan: u64,
    shift: u32,
}

fn format(ty: &str) -> Format {
    let (exponent, fraction, largest, infinity, nan, shift) = match ty {
        "f16" => (5, 10, 0x7bff, Some(0x7c00), 0x7fff, 0),
        "bf16" => (8, 7, 0x7f7f, Some(0x7f80), 0x7fff, 0),
        "tf32" => (
            8,
            10,
            0x7f7f_e000 >> 13,
            Some(0x7f80_0000 >> 13),
            0x3ffff,
            13,
        ),
        "e4m3" => (4, 3, 0x7e, None, 0x7f, 0),
        "e5m2" => (5, 2, 0x7b, Some(0x7c), 0x7f, 0),
        // A NaN becomes the largest number.
        "e3m2" => (3, 2, 0x1f, None, 0x1f, 0),
        "e2m3" => (2, 3, 0x1f, None, 0x1f, 0),
        "e2m1" => (2, 1, 0x07, None, 0x07, 0),
        _ => (8, 23, 0x7f7f_ffff, Some(0x7f80_0000), 0x7fff_ffff, 0),
    };
    Format {
        exponent,
        fraction,
        largest,
        infinity,
        nan,
        shift,
    }
}

impl Format {
    fn sign(&self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    fn value(&self, bits: u64) -> f64 {
        let magnitude = bits & (self.sign() - 1);
        let exponent = (magnitude >> self.fraction) as i32;
        let fraction =
            (magnitude & ((1 << self.fraction) - 1)) as f64 / f64::from(1_u32 << self.fraction);
        let bias = (1 << (self.exponent - 1)) - 1;
        let value = match exponent {
            _ if Some(magnitude) == self.infinity => f64::INFINITY,
            _ if magnitude > self.largest => f64::NAN,
            0 => fraction * 2.0_f64.powi(1 - bias),
            _ => (1.0 + fraction) * 2.0_f64.powi(exponent - bias),
        };
        if bits & self.sign() != 0 {
            -value
        } else {
            value
        }
    }

    /// The number that a value becomes.
    fn round(&self, value: f64, parts: &[&str]) -> u64 {
        let has = |word: &str| parts.contains(&word);
        if value.is_nan() {
            return self.nan << self.shift;
        }
        if has("relu") && value < 0.0 {
            return 0;
        }
        let sign = if value.is_sign_negative() {
            self.sign()
        } else {
            0
        };
        let magnitude = value.abs();
        let (mut low, mut high) = (0, self.largest + 1);
        while high - low > 1 {
            let middle = (low + high) / 2;
            match self.value(middle) <= magnitude {
                true => low = middle,
                false => high = middle,
            }
        }
        let below = self.value(low);
        // Beyond the largest number the next one would be as far away as the one before.
        let above = match high > self.largest {
            true => 2.0 * below - self.value(low - 1),
            false => self.value(high),
        };
        let (down, up) = (magnitude - below, above - magnitude);
        let goes_up = match () {
            () if has("rz") => magnitude.is_infinite(),
            () if has("rna") => up <= down,
            () => up < down || up == down && low & 1 == 1,
        };
        let bits = match (goes_up, high > self.largest) {
            (false, _) => low,
            (true, false) => high,
            (true, true) if has("satfinite") => self.largest,
            (true, true) => self.infinity.unwrap_or(self.nan),
        };
        (sign | bits) << self.shift
    }
}

/// The result of a conversion.
pub(super) fn convert(parts: &[&str], operands: &[u64]) -> u64 {
    let [.., to, from] = parts else { return 0 };
    let (to_one, from_one) = (to.trim_end_matches("x2"), from.trim_end_matches("x2"));
    let (of, into) = (format(from_one), format(to_one));
    let one = |bits: u64, scale: f64| match (from_one, to_one) {
        // Bits of a NaN are kept.
        ("bf16", "f32") => bits << 16,
        (_, "tf32") if parts.contains(&"rna") && of.value(bits).is_nan() => {
            (bits >> 13 << 13) - 0x2000 * u64::from(parts.contains(&"satfinite"))
        }
        (_, "ue8m0") => exponent(of.value(bits), parts),
        ("ue8m0", _) => into.round(power(bits), parts),
        _ => into.round(of.value(bits) * scale, parts),
    };
    if to_one == *to {
        return one(operands[0], 1.0);
    }
    // Numbers of 6 bits are in bytes.
    let width = |ty: &str| match ty {
        "e2m1" => 4,
        "f16" | "bf16" => 16,
        _ => 8,
    };
    let part =
        |bits: u64, index: u32| bits >> (index * width(from_one)) & ((1 << width(from_one)) - 1);
    let scale = |index: u32| match operands {
        [_, scales] if parts.contains(&"scaled::n2::ue8m0") => power(scales >> (8 * index) & 0xff),
        _ => 1.0,
    };
    let (high, low) = match (from_one, operands) {
        ("f32", [high, low]) => (*high, *low),
        _ => (part(operands[0], 1), part(operands[0], 0)),
    };
    one(high, scale(1)) << width(to_one) | one(low, scale(0))
}

/// The power of two of an exponent of 8 bits.
fn power(exponent: u64) -> f64 {
    match exponent {
        255 => f64::NAN,
        _ => 2.0_f64.powi(exponent as i32 - 127),
    }
}

/// The exponent of the power of two below a magnitude, or above it.
fn exponent(value: f64, parts: &[&str]) -> u64 {
    let magnitude = value.abs();
    let mut exponents = 0..255;
    let found = match () {
        () if value.is_nan() => return 255,
        () if parts.contains(&"rp") => exponents.find(|exponent| power(*exponent) >= magnitude),
        () if magnitude.is_infinite() => None,
        () => Some(
            exponents
                .rfind(|exponent| power(*exponent) <= magnitude)
                .unwrap_or(0),
        ),
    };
    let beyond = if parts.contains(&"satfinite") {
        254
    } else {
        255
    };
    found.unwrap_or(beyond)
}

/// Numbers of single precision near the limits of the formats, in turns.
pub(super) fn special(number: usize) -> u32 {
    let numbers = [
        65504.0,
        65519.0,
        -65520.0,
        448.0,
        464.0,
        -465.0,
        57344.0,
        61439.0,
        -61440.0,
        3.4e38,
        -1.0,
        2e-8,
        2.981e-8,
        0.0009765625,
        0.0029296875,
        1.0e-5,
        7.6e-6,
        -0.5,
        f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        9.2e-41,
        1.000_976_6,
        1.000_488_3,
        1.0014648,
    ];
    f32::to_bits(numbers[number % numbers.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_known_formats() {
        let of = |text: &str, operands: &[f32]| {
            let operands: Vec<u64> = operands.iter().map(|x| x.to_bits().into()).collect();
            convert(&text.split('.').collect::<Vec<_>>(), &operands)
        };
        assert_eq!(of("cvt.rn.f16x2.f32", &[1.0, -2.0]), 0x3c00_c000);
        assert_eq!(of("cvt.rn.f16.f32", &[65520.0]), 0x7c00);
        assert_eq!(of("cvt.rn.satfinite.f16.f32", &[65520.0]), 0x7bff);
        assert_eq!(of("cvt.rz.f16.f32", &[65520.0]), 0x7bff);
        assert_eq!(of("cvt.rn.satfinite.e4m3x2.f32", &[1000.0, 1.0]), 0x7e38);
        assert_eq!(of("cvt.rn.satfinite.e2m1x2.f32", &[-3.6, 0.3]), 0xe1);
        assert_eq!(of("cvt.rn.satfinite.e3m2x2.f32", &[f32::NAN, -1.0]), 0x1f2c);
        assert_eq!(of("cvt.rz.ue8m0x2.f32", &[1.5, 0.0]), 0x7f00);
        assert_eq!(of("cvt.rp.ue8m0x2.f32", &[1.5, f32::INFINITY]), 0x80ff);
        assert_eq!(
            of("cvt.rna.tf32.f32", &[f32::from_bits(0x3f80_1000)]),
            0x3f80_2000
        );
        assert_eq!(
            of("cvt.rn.tf32.f32", &[f32::from_bits(0x3f80_1000)]),
            0x3f80_0000
        );
        assert_eq!(
            convert(&["cvt", "rn", "f16x2", "e5m2x2"], &[0x7cbc]),
            0x7c00_bc00
        );
    }
}
