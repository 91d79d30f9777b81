//! `vprintf`, CUDA's way of printing: a format, and arguments one behind the other in memory.

use crate::{
    inst::Step,
    machine::{Space, Trapped, observer::Watch},
};

/// Longer texts are cut.
const LONGEST: usize = 4096;

/// A text that ends with a zero.
pub(crate) fn text<O: Watch>(
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
pub(crate) fn format<O: Watch>(
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
            _ => {
                let digits = flags.split_once('.').and_then(|(_, digits)| {
                    digits.trim_end_matches(['l', 'h']).parse::<usize>().ok()
                });
                let digits = digits.unwrap_or(6).min(60);
                float(f64::from_bits(value), conversion, digits)
            }
        };
        let is_signed = "dieEfFgG".contains(conversion);
        let plus = flags.contains('+') && is_signed && !text.starts_with('-');
        let text = if plus { format!("+{text}") } else { text };
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

/// A floating-point number, as C writes it.
fn float(value: f64, conversion: char, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let exponential = |digits: usize| {
        let text = format!("{value:.digits$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        (mantissa.to_owned(), exponent)
    };
    let text = match conversion {
        'f' | 'F' => format!("{value:.digits$}"),
        'e' | 'E' => {
            let (mantissa, exponent) = exponential(digits);
            format!("{mantissa}e{}", signed(exponent))
        }
        _ => {
            let digits = digits.max(1);
            let (mantissa, exponent) = exponential(digits - 1);
            let short = |text: &str| match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text.to_owned(),
            };
            if exponent < -4 || exponent >= digits as i32 {
                format!("{}e{}", short(&mantissa), signed(exponent))
            } else {
                let behind = (digits as i32 - 1 - exponent) as usize;
                short(&format!("{value:.behind$}"))
            }
        }
    };
    match conversion.is_ascii_uppercase() {
        true => text.to_uppercase(),
        false => text,
    }
}

/// An exponent with its sign and two digits at least.
fn signed(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn floats_are_written_as_in_c() {
        let cases = [
            (0.1_f32.into(), 'g', 6, "0.1"),
            (100_000.0, 'g', 6, "100000"),
            (1_234_567.0, 'g', 6, "1.23457e+06"),
            (0.000_012_5, 'g', 6, "1.25e-05"),
            (0.0, 'g', 6, "0"),
            (-2.5, 'f', 3, "-2.500"),
            (12345.678, 'e', 6, "1.234568e+04"),
            (f64::INFINITY, 'g', 6, "inf"),
            (f64::NAN, 'f', 6, "nan"),
        ];
        for (value, conversion, digits, text) in cases {
            assert_eq!(float(value, conversion, digits), text);
        }
    }
}
