//! Instructions that compute, by plain references.

use std::collections::BTreeMap;

use half::{bf16, f16};

use super::{conversions, plan::Plan, singles};

const LANES: usize = 32;
/// Words of a lane, as the template has them.
const WORDS: usize = 11;

/// Words for the operands of one call.
pub(super) fn random_words(seed: u64) -> [u32; WORDS] {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::array::from_fn(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as u32
    })
}

/// The operands that a call names, as bits, by their words.
pub(super) fn operands(call: &str, words: &[u32]) -> Vec<u64> {
    let long = |index: usize| u64::from(words[index]) | u64::from(words[index + 1]) << 32;
    let word = |index: usize| u64::from(words[index]);
    let values = BTreeMap::from([
        ("n", word(0)),
        ("m", word(1)),
        ("b", word(2)),
        ("c", word(3)),
        ("f", word(0)),
        ("g", word(1)),
        ("h", word(0) & 0xffff),
        ("i", word(1) & 0xffff),
        ("j", word(2) & 0xffff),
        ("w", long(4)),
        ("v", long(6)),
        ("r", long(8)),
        ("l", long(4)),
        ("e", long(4)),
        ("t", word(8)),
        ("u", word(9)),
        ("x", word(10)),
    ]);
    let names = call.split(|character: char| !character.is_ascii_alphanumeric());
    names.filter_map(|name| values.get(name).copied()).collect()
}

/// The lanes compute with random operands, or with operands whose exact result the hardware returns.
pub(super) fn plans(form: &str, call: &str) -> Vec<Plan> {
    let opcode = form.split(' ').next().unwrap_or_default();
    let parts: Vec<&str> = opcode.split('.').collect();
    let arguments = call.split_once('(').map_or("", |(_, arguments)| arguments);
    let (mut words, mut expected) = (Vec::new(), Vec::new());
    for lane in 0..LANES {
        let mut of_lane = random_words(lane as u64 + 1);
        let result = match exact(parts[0]) {
            Some(values) => {
                let (value, result) = values[lane % values.len()];
                match parts[parts.len() - 1] {
                    "f64" => {
                        let bits = value.to_bits();
                        (of_lane[4], of_lane[5]) = (bits as u32, (bits >> 32) as u32);
                        result.to_bits()
                    }
                    ty => {
                        of_lane[0] = encode(value, ty) as u32;
                        encode(result, ty)
                    }
                }
            }
            None => {
                tame(&parts, lane, &mut of_lane);
                compute(&parts, &operands(arguments, &of_lane))
            }
        };
        words.extend(of_lane);
        expected.extend([result as u32, (result >> 32) as u32, 0, 0]);
    }
    vec![Plan::new(&words, expected)]
}

/// Arguments and values of approximated functions where the result is exact.
fn exact(stem: &str) -> Option<&'static [(f64, f64)]> {
    const INFINITY: f64 = f64::INFINITY;
    Some(match stem {
        "ex2" => &[
            (0.0, 1.0),
            (1.0, 2.0),
            (10.0, 1024.0),
            (-3.0, 0.125),
            (INFINITY, INFINITY),
            (-INFINITY, 0.0),
        ],
        "lg2" => &[
            // Not 0.25, for which an H200 returns -1.9999999.
            (8.0, 3.0),
            (1.0, 0.0),
            (0.0, -INFINITY),
            (INFINITY, INFINITY),
        ],
        "rcp" => &[
            (4.0, 0.25),
            (-2.0, -0.5),
            (1.0, 1.0),
            (0.0, INFINITY),
            (INFINITY, 0.0),
        ],
        "rsqrt" => &[
            (4.0, 0.5),
            (1.0, 1.0),
            (0.0625, 4.0),
            (0.0, INFINITY),
            (INFINITY, 0.0),
        ],
        "sqrt" => &[
            (4.0, 2.0),
            (0.0625, 0.25),
            (1.0, 1.0),
            (0.0, 0.0),
            (INFINITY, INFINITY),
        ],
        "sin" => &[(0.0, 0.0), (INFINITY, f64::NAN), (-0.0, -0.0)],
        "cos" => &[(0.0, 1.0), (INFINITY, f64::NAN), (-0.0, 1.0)],
        "tanh" => &[(INFINITY, 1.0), (-INFINITY, -1.0), (0.0, 0.0), (-0.0, -0.0)],
        _ => return None,
    })
}

/// Halves and single numbers of some size, with a few that are special, so that sums are exact in double
/// precision; lengths and positions of fields that are often small.
fn tame(parts: &[&str], lane: usize, words: &mut [u32; WORDS]) {
    let special = [0x7fff, 0x7c00, 0x8000, 0x0001, 0xfc00, 0x7f80];
    // Only some sizes have plain conversions.
    let is_special = parts.len() > 4 || parts.contains(&"rz") || parts.contains(&"tf32");
    for (number, word) in words[..3].iter_mut().enumerate() {
        let half = |bits: u32| match (parts.contains(&"bf16") || parts.contains(&"bf16x2"), bits) {
            (true, bits) => bits & 0x83ff | 0x3e00,
            (false, bits) => bits & 0x8fff | 0x3000,
        };
        match parts[0] {
            "bfe" | "bfi" if number > 0 && !lane.is_multiple_of(4) => *word &= 63,
            // The manual does not define positions above 255, and an H200 does not mask the position in 64 bits.
            "bfe" if number > 0 => *word &= 255,
            // The result of `.relu` for -0 is undefined, and so are the upper two bits of a byte.
            "cvt" if is_narrow(parts[parts.len() - 1]) && number == 0 => {
                *word &= if parts[parts.len() - 1] == "e2m1x2" {
                    !0
                } else {
                    !0xc0c0
                };
                *word |= if parts.contains(&"relu") { 0x1111 } else { 0 };
            }
            "cvt" if parts[parts.len() - 1] != "f32" => {}
            "cvt" if is_special && (lane + number).is_multiple_of(3) => {
                *word = conversions::special(lane + number);
            }
            // About the numbers that formats of 4 and 6 bits have.
            "cvt" if is_narrow(parts[parts.len() - 2]) => {
                *word = (*word & 0x83ff_ffff | 0x3c00_0000) + (3 << 23);
            }
            "cvt" => *word = *word & 0x83ff_ffff | 0x3c00_0000,
            "bfe" | "bfi" | "prmt" | "dp4a" | "dp2a" => {}
            "add" | "sub" | "min" | "max" if is_of_bytes(parts) => {}
            _ => *word = half(*word & 0xffff) | half(*word >> 16) << 16,
        }
        if matches!(parts[0], "min" | "max") && (lane + number).is_multiple_of(5) {
            *word = *word & !0xffff | special[lane % special.len()];
        }
    }
    if parts.contains(&"f32x2") {
        singles::tame(parts, lane, &mut words[4..10]);
        return;
    }
    if let Some(special) = special_halves(parts) {
        let number = lane % 15;
        if number < 3 {
            words[number] = words[number] & !0xffff | special[lane % special.len()];
        }
        // A zero of either sign may be the result of `.sat`.
        let mask = if parts.contains(&"sat") && parts.contains(&"ftz") {
            0x7fff_7fff
        } else {
            !0
        };
        words.iter_mut().for_each(|word| *word &= mask);
    }
    if parts[0] == "bfi" {
        words[1] = random_words(lane as u64 + 100)[0];
        words[3] &= 63;
    }
}

/// Formats of 4 and 6 bits.
fn is_narrow(ty: &str) -> bool {
    matches!(ty, "e3m2x2" | "e2m3x2" | "e2m1x2")
}

/// Halves for which a modifier matters.
fn special_halves(parts: &[&str]) -> Option<&'static [u32]> {
    let has = |word: &str| parts.contains(&word);
    Some(match () {
        () if has("xorsign") => &[0xfe00, 0x8001, 0x7c00, 0x8000, 0x7fff, 0x03ff, 0xfc00],
        () if has("ftz") => &[0x0001, 0x83ff, 0x0400, 0x03ff, 0x8001, 0x8400, 0x0000],
        () if has("sat") => &[0x7fff, 0x4500, 0xfc00, 0x0001, 0x7c00, 0xc500, 0x3c01],
        // The bits of a NaN are open.
        () if has("neg") || has("abs") => &[0x8000, 0xfc00, 0x0001, 0x83ff, 0x0000, 0x7c00],
        () => return None,
    })
}

/// The result of an instruction on these operands.
fn compute(parts: &[&str], operands: &[u64]) -> u64 {
    let ty = parts[parts.len() - 1];
    let at = |index: usize| operands.get(index).copied().unwrap_or_default();
    match parts[0] {
        "nanosleep" => 0,
        "prmt" => permute(at(0) | at(1) << 32, at(2)),
        "bfe" => extract(at(0), at(1) as u32 & 255, at(2) as u32 & 255, ty),
        "bfi" => insert(at(0), at(1), at(2) as u32 & 255, at(3) as u32 & 255, ty),
        "dp4a" | "dp2a" => dot(parts, at(0), at(1), at(2)),
        "cvt" => conversions::convert(parts, operands),
        _ if ty == "f32x2" => singles::pair(parts, operands),
        "add" | "sub" | "min" | "max" if integer_bits(ty).is_some() => {
            integers(parts, at(0), at(1))
        }
        _ => match ty.strip_suffix("x2") {
            None => half(parts, ty, operands),
            Some(ty) => {
                let of = |shift: u32| {
                    let operands: Vec<u64> =
                        operands.iter().map(|bits| bits >> shift & 0xffff).collect();
                    half(parts, ty, &operands)
                };
                of(0) | of(16) << 16
            }
        },
    }
}

/// Arithmetic of one half.
fn half(parts: &[&str], ty: &str, operands: &[u64]) -> u64 {
    let has = |word: &str| parts.contains(&word);
    let flush = |bits: u64| match has("ftz") && bits & 0x7c00 == 0 {
        true => bits & 0x8000,
        false => bits,
    };
    let flushed = operands.iter().map(|bits| flush(*bits));
    let magnitude = if has("xorsign") || parts[0] == "abs" {
        0x7fff
    } else {
        0xffff
    };
    let values: Vec<f64> = flushed.map(|bits| decode(bits & magnitude, ty)).collect();
    let (a, b) = (values[0], values.get(1).copied().unwrap_or_default());
    let is_nan = a.is_nan() || b.is_nan();
    let lesser = |a: f64, b: f64| {
        if a.is_nan() || b < a || (a == b && b.is_sign_negative()) {
            b
        } else {
            a
        }
    };
    let result = match parts[0] {
        "abs" => a,
        "neg" => -a,
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "fma" => a * b + values[2],
        "min" | "max" if is_nan && has("NaN") => f64::NAN,
        "min" => lesser(a, b),
        _ if a.is_nan() || b.is_nan() => lesser(a, b),
        _ => -lesser(-a, -b),
    };
    let result = match () {
        () if has("relu") && result < 0.0 => 0.0,
        () if has("sat") && result.is_nan() => 0.0,
        () if has("sat") => result.clamp(0.0, 1.0),
        () => result,
    };
    let is_negative = has("xorsign") && !result.is_nan() && (operands[0] ^ operands[1]) >> 15 == 1;
    flush(encode(result, ty)) | u64::from(is_negative) << 15
}

/// The value of a half.
pub(crate) fn decode(bits: u64, ty: &str) -> f64 {
    match ty {
        "f16" => f16::from_bits(bits as u16).to_f64(),
        _ => bf16::from_bits(bits as u16).to_f64(),
    }
}

/// Returns the bits of the nearest number, the even one of two; for two halves, in both of them.
pub(crate) fn encode(value: f64, ty: &str) -> u64 {
    if ty == "f32" {
        return if value.is_nan() {
            0x7fff_ffff
        } else {
            u64::from((value as f32).to_bits())
        };
    }
    if let Some(half) = ty.strip_suffix("x2") {
        let bits = encode(value, half);
        return bits | bits << 16;
    }
    if value.is_nan() {
        return 0x7fff;
    }
    let infinity = if ty == "f16" { 0x7c00 } else { 0x7f80 };
    // Halves of one sign are in the order of their bits.
    let (mut low, mut high) = (0, infinity);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if decode(middle, ty) <= value.abs() {
            low = middle
        } else {
            high = middle
        }
    }
    let step = decode(low, ty) - decode(low.saturating_sub(1), ty);
    let end = if high == infinity {
        decode(low, ty) + step
    } else {
        decode(high, ty)
    };
    let (below, above) = (value.abs() - decode(low, ty), end - value.abs());
    let is_above =
        above < below || (above == below && low & 1 == 1) || value.abs() == f64::INFINITY;
    let bits = if is_above { high } else { low };
    bits | u64::from(value.is_sign_negative()) << 15
}

/// `add`, `min` and `max` of integers, of 32 bits or of each half.
fn integers(parts: &[&str], a: u64, b: u64) -> u64 {
    let ty = parts[parts.len() - 1];
    let width = integer_bits(ty).unwrap_or(32);
    let of = |shift: u32| {
        let number = |bits: u64| {
            let bits = bits >> shift & ((1 << width) - 1);
            match ty.starts_with('s') && bits >> (width - 1) != 0 {
                true => bits as i64 - (1 << width),
                false => bits as i64,
            }
        };
        let (a, b) = (number(a), number(b));
        let result = match parts[0] {
            "add" => a + b,
            "sub" => a - b,
            stem => {
                if (a < b) == (stem == "min") {
                    a
                } else {
                    b
                }
            }
        };
        let result = if parts.contains(&"relu") && result < 0 {
            0
        } else {
            result
        };
        let (least, most) = match ty.starts_with('s') {
            true => (-1 << (width - 1), (1 << (width - 1)) - 1),
            false => (0, (1 << width) - 1),
        };
        let result = if parts.contains(&"sat") {
            result.clamp(least, most)
        } else {
            result
        };
        (result as u64 & ((1 << width) - 1)) << shift
    };
    (0..32).step_by(width).map(|shift| of(shift as u32)).sum()
}

/// Packs of bytes, and sums of packs that saturate: all bits count.
fn is_of_bytes(parts: &[&str]) -> bool {
    let bits = integer_bits(parts[parts.len() - 1]);
    bits == Some(8) || bits == Some(16) && parts.contains(&"sat")
}

/// The bits of each integer of a word.
fn integer_bits(ty: &str) -> Option<usize> {
    match ty {
        "s32" => Some(32),
        "s16x2" | "u16x2" => Some(16),
        "s8x4" | "u8x4" => Some(8),
        _ => None,
    }
}

fn permute(bytes: u64, selectors: u64) -> u64 {
    let byte = |index: u64| {
        let selector = selectors >> (4 * index) & 15;
        let byte = bytes >> (8 * (selector & 7)) & 0xff;
        let byte = match selector & 8 {
            0 => byte,
            _ if byte & 0x80 != 0 => 0xff,
            _ => 0,
        };
        byte << (8 * index)
    };
    (0..4).map(byte).sum()
}

/// Bit by bit, as the manual's text has it.
fn extract(value: u64, position: u32, length: u32, ty: &str) -> u64 {
    let width = ty[1..].parse::<u32>().unwrap_or(32);
    let bit = |at: u32| at < width && value >> at & 1 != 0;
    let is_signed = ty.starts_with('s') && length > 0;
    let sign = is_signed && bit((position + length - 1).min(width - 1));
    let of = |index: u32| {
        let is_field = index < length && position + index < width;
        u64::from(if is_field {
            bit(position + index)
        } else {
            sign
        }) << index
    };
    (0..width).map(of).sum()
}

fn insert(value: u64, into: u64, position: u32, length: u32, ty: &str) -> u64 {
    let width = ty[1..].parse::<u32>().unwrap_or(32);
    let of = |index: u32| {
        let is_field = index >= position && index < position + length;
        let bit = if is_field {
            value >> (index - position)
        } else {
            into >> index
        };
        (bit & 1) << index
    };
    (0..width).map(of).sum()
}

fn dot(parts: &[&str], a: u64, b: u64, c: u64) -> u64 {
    let types = &parts[parts.len() - 2..];
    let number = |bits: u64, width: u32, ty: &str| {
        let bits = bits & ((1 << width) - 1);
        match ty {
            "s32" if bits >> (width - 1) != 0 => bits as i64 - (1 << width),
            _ => bits as i64,
        }
    };
    let sum: i64 = match parts {
        ["dp4a", ..] => {
            let product =
                |at: u32| number(a >> (8 * at), 8, types[0]) * number(b >> (8 * at), 8, types[1]);
            (0..4).map(product).sum()
        }
        [_, part, ..] => {
            let first = if *part == "lo" { 0 } else { 16 };
            let product = |at: u32| {
                number(a >> (16 * at), 16, types[0]) * number(b >> (first + 8 * at), 8, types[1])
            };
            (0..2).map(product).sum()
        }
        _ => 0,
    };
    (c as i64).wrapping_add(sum) as u32 as u64
}
