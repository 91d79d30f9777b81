//! `vprintf`, CUDA's way of printing: a format, and arguments one behind the other in memory.

use crate::{
    decode::Space,
    machine::{Step, Trapped},
    observer::Observer,
};

/// Longer texts are cut.
const LONGEST: usize = 4096;

/// A text that ends with a zero.
pub(crate) fn text<O: Observer>(
    step: &mut Step<'_, O>,
    lane: usize,
    address: u64,
) -> Result<String, Trapped> {
    let mut bytes = Vec::new();
    while bytes.len() < LONGEST {
        let at = address.wrapping_add(bytes.len() as u64);
        let located = step.locate_at(lane, Space::Generic, at, 1, 1)?;
        match step.bytes(lane, located, 1) {
            [0] | [] => break,
            [byte, ..] => bytes.push(*byte),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What one thread prints. Integers and pointers have 4 or 8 bytes as their conversion says,
/// floating-point numbers 8, each at a multiple of its size.
pub(crate) fn format<O: Observer>(
    step: &mut Step<'_, O>,
    lane: usize,
    format: u64,
    mut values: u64,
) -> Result<String, Trapped> {
    let format = text(step, lane, format)?;
    let mut out = String::new();
    let mut rest = format.as_str();
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| c.is_ascii_alphabetic() && !"lhzjt".contains(c) || c == '%');
        let Some(end) = end else { break };
        let (flags, conversion) = (&rest[..end], rest[end..].chars().next().unwrap_or('%'));
        rest = &rest[end + 1..];
        if conversion == '%' {
            out.push('%');
            continue;
        }
        let wide = flags.contains(['l', 'z', 'j', 't']) || "psfFeEgGaA".contains(conversion);
        let size = if wide { 8 } else { 4 };
        values = values.next_multiple_of(size);
        let located = step.locate_at(lane, Space::Generic, values, size, 1)?;
        let bytes = step.bytes(lane, located, size as usize).iter().rev();
        let value = bytes.fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
        values += size;
        let signed = if wide {
            value as i64
        } else {
            i64::from(value as u32 as i32)
        };
        let text = match conversion {
            's' => text(step, lane, value)?,
            'c' => char::from(value as u8).to_string(),
            'd' | 'i' => signed.to_string(),
            'u' => value.to_string(),
            'x' => format!("{value:x}"),
            'X' => format!("{value:X}"),
            'o' => format!("{value:o}"),
            'p' => format!("{value:#x}"),
            'e' | 'E' => format!("{:e}", f64::from_bits(value)),
            'f' | 'F' => {
                let digits = flags.split_once('.').and_then(|(_, digits)| {
                    digits.trim_end_matches(['l', 'h']).parse::<usize>().ok()
                });
                format!("{:.*}", digits.unwrap_or(6).min(60), f64::from_bits(value))
            }
            _ => f64::from_bits(value).to_string(),
        };
        let flags = flags
            .split('.')
            .next()
            .unwrap_or("")
            .trim_end_matches(['l', 'h', 'z', 'j', 't']);
        let (left, zeros) = (
            flags.contains('-'),
            flags.trim_start_matches(['+', ' ', '#']).starts_with('0'),
        );
        let width: usize = flags
            .trim_start_matches(['-', '+', ' ', '#', '0'])
            .parse()
            .unwrap_or(0);
        let width = width.min(LONGEST);
        match (left, zeros) {
            (true, _) => out.push_str(&format!("{text:<width$}")),
            (_, true) => match text.strip_prefix('-') {
                Some(digits) => {
                    out.push_str(&format!("-{digits:0>w$}", w = width.saturating_sub(1)))
                }
                None => out.push_str(&format!("{text:0>width$}")),
            },
            _ => out.push_str(&format!("{text:>width$}")),
        }
    }
    out.push_str(rest);
    Ok(out)
}
