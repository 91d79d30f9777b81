//! Arithmetic of two numbers of single precision in 64 bits, exactly and then rounded.

/// The last bit of a product of two numbers from 2^-8 on.
const LOWEST: i32 = -62;

/// Returns numbers for three operands of two words each: random ones of some size, or in turns some special ones, in
/// pairs whose result is exact.
pub(super) fn tame(parts: &[&str], lane: usize, words: &mut [u32]) {
    let one = 1.0_f32.to_bits();
    let (subnormal, infinity, nan) = (0x0040_0001, 0x7f80_0000, 0x7fff_ffff);
    let special = [
        [subnormal, one, subnormal | 1 << 31],
        [infinity, one, infinity],
        [infinity, 0, infinity | 1 << 31],
        [nan, one, one],
        [one, nan, one],
        [1 << 31, one, 1 << 31],
        [subnormal | 1 << 31, one, 1],
        [0x7f7f_ffff, one, 0x7f7f_ffff],
    ];
    for word in words.iter_mut() {
        // From 2^-8 to 2^7, of either sign.
        *word = *word & 0x807f_ffff | (119 + (*word >> 8 & 15)) << 23;
    }
    if lane.is_multiple_of(3) {
        let [a, b, c] = special[lane / 3 % special.len()];
        // A sum equals the sum of the first and the last.
        let numbers = match parts[0] {
            "add" | "sub" => [a, c, b],
            _ => [a, b, c],
        };
        for (operand, bits) in numbers.into_iter().enumerate() {
            words[2 * operand + lane % 2] = bits;
        }
    }
}

/// Both results.
pub(super) fn pair(parts: &[&str], operands: &[u64]) -> u64 {
    let of = |shift: u32| {
        let operands = operands.iter().map(|bits| (bits >> shift) as u32);
        u64::from(one(parts, &operands.collect::<Vec<u32>>()))
    };
    of(0) | of(32) << 32
}

fn one(parts: &[&str], operands: &[u32]) -> u32 {
    let flushes = parts.contains(&"ftz");
    let flush = |bits: u32| match flushes && bits & 0x7f80_0000 == 0 {
        true => bits & 1 << 31,
        false => bits,
    };
    let values: Vec<f32> = operands
        .iter()
        .map(|bits| f32::from_bits(flush(*bits)))
        .collect();
    let is_tame = |value: &f32| (118..=135).contains(&(value.to_bits() >> 23 & 0xff));
    let (a, b) = (values[0], values[1]);
    if values.iter().all(is_tame) {
        let unit = 2.0_f64.powi(-LOWEST);
        // Exact: a number has 24 bits.
        let whole = |value: f32| (f64::from(value) * unit) as i128;
        let product = || (f64::from(a) * f64::from(b) * unit) as i128;
        let exact = match parts[0] {
            "add" => whole(a) + whole(b),
            "sub" => whole(a) - whole(b),
            "mul" => product(),
            _ => product() + whole(values[2]),
        };
        return round(exact, parts);
    }
    let (a, b) = (f64::from(a), f64::from(b));
    let terms = match parts[0] {
        "add" => [a, b],
        "sub" => [a, -b],
        "mul" => [a * b; 2],
        _ => [a * b, f64::from(values[2])],
    };
    let result = match parts[0] {
        "mul" => terms[0],
        _ => terms[0] + terms[1],
    };
    let signs = terms.map(f64::is_sign_negative);
    if result == 0.0 && signs[0] != signs[1] && parts.contains(&"rm") {
        return 1 << 31;
    }
    if result.is_nan() {
        return 0x7fff_ffff;
    }
    match result.is_infinite() || result.abs() <= f32::MAX.into() {
        true => flush((result as f32).to_bits()),
        false => too_large(result > 0.0, parts),
    }
}

/// The result beyond the largest number.
fn too_large(is_positive: bool, parts: &[&str]) -> u32 {
    let to_largest = match is_positive {
        true => parts.contains(&"rz") || parts.contains(&"rm"),
        false => parts.contains(&"rz") || parts.contains(&"rp"),
    };
    (0x7f80_0000 - u32::from(to_largest)) | u32::from(!is_positive) << 31
}

/// Returns a multiple of the last bit, rounded to 24 bits.
fn round(exact: i128, parts: &[&str]) -> u32 {
    if exact == 0 {
        // Two numbers that cancel out.
        return u32::from(parts.contains(&"rm")) << 31;
    }
    let magnitude = exact.unsigned_abs();
    let dropped = (128 - magnitude.leading_zeros()).saturating_sub(24);
    let (kept, step) = (magnitude >> dropped, 1 << dropped);
    let twice = 2 * (magnitude & (step - 1));
    let away = match () {
        () if parts.contains(&"rz") => false,
        () if parts.contains(&"rm") => twice > 0 && exact < 0,
        () if parts.contains(&"rp") => twice > 0 && exact > 0,
        () => twice > step || twice == step && kept & 1 == 1,
    };
    let value = (kept + u128::from(away)) as f64 * 2.0_f64.powi(dropped as i32 + LOWEST);
    (value as f32).to_bits() | u32::from(exact < 0) << 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_between_two_others_go_where_they_are_told() {
        let third = (1 << 40) / 3;
        let of = |exact, way| f32::from_bits(round(exact, &["add", way, "f32x2"]));
        let unit = 2.0_f64.powi(LOWEST);
        let exact = third as f64 * unit;
        assert!(f64::from(of(third, "rz")) < exact && f64::from(of(third, "rp")) > exact);
        assert_eq!(of(third, "rm"), of(third, "rz"));
        assert_eq!(of(-third, "rm"), -of(third, "rp"));
        assert_eq!(of(third, "rn"), exact as f32);
        assert_eq!(
            pair(&["add", "rn", "f32x2"], &[0x3f80_0000, 0x3f80_0000 << 32]),
            0x3f80_0000_3f80_0000
        );
    }
}
