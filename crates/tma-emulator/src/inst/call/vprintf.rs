//! `vprintf`, the device side of CUDA's `printf`: a format, and arguments packed in memory.

use crate::{
    inst::Step,
    machine::{Space, Trapped},
};

/// Limit in bytes; longer texts are cut.
const LONGEST: usize = 4096;

/// Reads a zero-terminated text.
pub(crate) fn text(step: &mut Step<'_>, lane: usize, address: u64) -> Result<String, Trapped> {
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

/// Formats the output of one thread. Integers and pointers have the 4 or 8 bytes of their conversion,
/// floating-point numbers 8, each aligned to its size.
pub(crate) fn format(
    step: &mut Step<'_>,
    lane: usize,
    format: u64,
    values: u64,
) -> Result<String, Trapped> {
    let format = text(step, lane, format)?;
    let mut values = Values {
        step,
        lane,
        address: values,
    };
    let mut out = String::new();
    let mut rest = format.as_str();
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let (specification, behind) = Specification::read(&rest[at + 1..], || {
            values.next(4).map(|value| i64::from(value as i32))
        })?;
        match specification {
            Some(specification) => out.push_str(&values.write(&specification)?),
            // Text that is not a conversion is printed as it is.
            None => out.push_str(&rest[at..rest.len() - behind.len()]),
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// The arguments that are left.
struct Values<'s, 'a> {
    step: &'s mut Step<'a>,
    lane: usize,
    address: u64,
}

impl Values<'_, '_> {
    fn next(&mut self, size: u64) -> Result<u64, Trapped> {
        self.address = self.address.next_multiple_of(size);
        let (lane, at) = (self.lane, self.address);
        let located = self.step.locate_at(lane, Space::Generic, at, size, 1)?;
        let bytes = self.step.bytes(lane, located, size as usize).iter().rev();
        self.address += size;
        Ok(bytes.fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    fn write(&mut self, specification: &Specification) -> Result<String, Trapped> {
        if specification.conversion == '%' {
            return Ok("%".to_owned());
        }
        let value = self.next(specification.size_bytes())?;
        match specification.conversion {
            's' => {
                let text = text(self.step, self.lane, value)?;
                Ok(specification.text(&text))
            }
            _ => Ok(specification.number(value)),
        }
    }
}

/// A conversion of a format: `%-8.3ld`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Specification {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    /// Size in bytes that the length modifier selects: `hh`, `h`, none, `l` and the like.
    bytes: u64,
    conversion: char,
}

impl Specification {
    /// Parses the text after a `%`. `star` returns the number for a `*`. Returns the specification and the rest
    /// of the text.
    fn read<E>(
        text: &str,
        mut star: impl FnMut() -> Result<i64, E>,
    ) -> Result<(Option<Self>, &str), E> {
        let mut read = Self {
            bytes: 4,
            ..Self::default()
        };
        let flags = text.trim_start_matches(['-', '+', ' ', '#', '0']);
        for flag in text[..text.len() - flags.len()].chars() {
            match flag {
                '-' => read.left = true,
                '+' => read.plus = true,
                ' ' => read.space = true,
                '#' => read.alternative = true,
                _ => read.zeros = true,
            }
        }
        let mut number = |text: &mut &str| -> Result<i64, E> {
            if let Some(behind) = text.strip_prefix('*') {
                *text = behind;
                return star();
            }
            let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = &text[..text.len() - behind.len()];
            *text = behind;
            Ok(match digits {
                "" => 0,
                digits => digits.parse().unwrap_or(LONGEST as i64),
            })
        };
        let mut rest = flags;
        let width = number(&mut rest)?;
        read.left |= width < 0;
        read.width = (width.unsigned_abs() as usize).min(LONGEST);
        if let Some(behind) = rest.strip_prefix('.') {
            rest = behind;
            let precision = usize::try_from(number(&mut rest)?).ok();
            read.precision = precision.map(|precision| precision.min(LONGEST));
        }
        let lengths = [
            ("hh", 1),
            ("h", 2),
            ("ll", 8),
            ("l", 8),
            ("z", 8),
            ("j", 8),
            ("t", 8),
        ];
        if let Some((length, bytes)) = lengths.iter().find(|(length, _)| rest.starts_with(length)) {
            (rest, read.bytes) = (&rest[length.len()..], *bytes);
        }
        let Some(conversion) = rest.chars().next() else {
            return Ok((None, rest));
        };
        let behind = &rest[conversion.len_utf8()..];
        read.conversion = conversion;
        let is_known = "diouxXcsfFeEgGaAp%".contains(conversion);
        Ok((is_known.then_some(read), behind))
    }

    /// Returns the size of the argument in bytes.
    fn size_bytes(&self) -> u64 {
        match self.conversion {
            'c' => 4,
            'd' | 'i' | 'o' | 'u' | 'x' | 'X' => self.bytes.max(4),
            _ => 8,
        }
    }

    fn number(&self, value: u64) -> String {
        let bits = 8 * self.bytes as u32;
        let (cut, signed) = (
            value & (u64::MAX >> (64 - bits)),
            (value << (64 - bits)) as i64 >> (64 - bits),
        );
        let sign = |is_negative: bool| match is_negative {
            true => "-",
            false if self.plus => "+",
            false if self.space => " ",
            false => "",
        };
        match self.conversion {
            'c' => self.text(&char::from(value as u8).to_string()),
            'd' | 'i' => self.integer(sign(signed < 0), &signed.unsigned_abs().to_string()),
            'u' => self.integer("", &cut.to_string()),
            'o' => {
                let digits = format!("{cut:o}");
                let zero = if self.alternative && cut != 0 {
                    "0"
                } else {
                    ""
                };
                self.integer("", &format!("{zero}{digits}"))
            }
            'x' | 'X' => {
                let prefix = if self.alternative && cut != 0 {
                    "0x"
                } else {
                    ""
                };
                let text = self.integer(prefix, &format!("{cut:x}"));
                if self.conversion == 'X' {
                    text.to_uppercase()
                } else {
                    text
                }
            }
            'p' => self.integer("0x", &format!("{value:x}")),
            _ => {
                let value = f64::from_bits(value);
                let digits = float(value.abs(), self);
                // Infinity and NaN are not filled with zeros.
                let zeros = self.zeros && value.is_finite();
                self.filled(sign(value.is_sign_negative()), &digits, zeros)
            }
        }
    }

    /// Formats digits, padded with zeros to the precision.
    fn integer(&self, prefix: &str, digits: &str) -> String {
        let least = self.precision.unwrap_or(1);
        let digits = if least == 0 && digits == "0" {
            ""
        } else {
            digits
        };
        let digits = format!("{digits:0>least$}");
        self.filled(prefix, &digits, self.zeros && self.precision.is_none())
    }

    fn text(&self, text: &str) -> String {
        let longest = self.precision.unwrap_or(usize::MAX);
        let text: String = text.chars().take(longest).collect();
        self.filled("", &text, false)
    }

    /// Pads to the width, with zeros after the prefix or with spaces around the text.
    fn filled(&self, prefix: &str, digits: &str, zeros: bool) -> String {
        let width = self.width;
        match (self.left, zeros) {
            (true, _) => format!("{:<width$}", format!("{prefix}{digits}")),
            (_, true) => {
                let rest = width.saturating_sub(prefix.len());
                format!("{prefix}{digits:0>rest$}")
            }
            _ => format!("{:>width$}", format!("{prefix}{digits}")),
        }
    }
}

/// Formats a non-negative floating-point number, as C does.
fn float(value: f64, specification: &Specification) -> String {
    let Specification {
        conversion,
        alternative,
        precision,
        ..
    } = *specification;
    // More digits than a number of 64 bits can have.
    let digits = precision.unwrap_or(6).min(1100);
    let point = if alternative && digits == 0 { "." } else { "" };
    let exponential = |digits: usize| {
        let text = format!("{value:.digits$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        (mantissa.to_owned(), exponent)
    };
    let text = match conversion {
        _ if value.is_nan() => "nan".to_owned(),
        _ if value.is_infinite() => "inf".to_owned(),
        'f' | 'F' => format!("{value:.digits$}{point}"),
        'e' | 'E' => {
            let (mantissa, exponent) = exponential(digits);
            format!("{mantissa}{point}e{}", signed(exponent))
        }
        'a' | 'A' => hexadecimal(value, precision),
        _ => {
            let digits = digits.max(1);
            let (mantissa, exponent) = exponential(digits - 1);
            let short = |text: &str| match text.contains('.') && !alternative {
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

/// Formats as `0x1.8p+1`, with all non-zero digits, or with `precision` digits, rounded to even.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    const BITS: usize = 52;
    let bits = value.to_bits();
    let (exponent, mut mantissa) = ((bits >> BITS & 0x7ff) as i32, bits & ((1 << BITS) - 1));
    if exponent != 0 {
        mantissa |= 1 << BITS;
    }
    let exponent = match (exponent, mantissa) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => exponent - 1023,
    };
    if let Some(digits) = precision.filter(|digits| 4 * digits < BITS) {
        let unit = 1_u64 << (BITS - 4 * digits);
        let (below, half) = (mantissa % unit, unit / 2);
        mantissa -= below;
        if below > half || below == half && mantissa / unit % 2 == 1 {
            mantissa += unit;
        }
    }
    let all = format!("{:013x}", mantissa & ((1 << BITS) - 1));
    let digits = match precision {
        None => all.trim_end_matches('0').to_owned(),
        Some(digits) => format!("{all:0<digits$}")[..digits].to_owned(),
    };
    let point = if digits.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!(
        "0x{}{point}{digits}p{sign}{}",
        mantissa >> BITS,
        exponent.abs()
    )
}

/// Formats an exponent with its sign and at least two digits.
fn signed(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::Specification;

    fn written(format: &str, value: u64) -> String {
        let read = Specification::read(format, || Ok::<_, ()>(-7));
        let (specification, _) = read.unwrap_or((None, ""));
        specification.map_or_else(String::new, |found| found.number(value))
    }

    // The expected texts are the output of glibc.
    #[test]
    fn integers_are_written_as_in_c() {
        for (format, value, text) in [
            ("d", 5_i64, "5"),
            ("*d", 5, "5      "),
            ("5d", -42, "  -42"),
            ("05d", -42, "-0042"),
            ("-5d", 42, "42   "),
            ("+d", 42, "+42"),
            (" d", 42, " 42"),
            (".3d", 7, "007"),
            ("6.3d", -7, "  -007"),
            ("06.3d", 7, "   007"),
            (".0d", 0, ""),
            ("hhd", 300, "44"),
            ("hd", 70000, "4464"),
            ("ld", -1, "-1"),
            ("u", -1, "4294967295"),
            ("lu", -1, "18446744073709551615"),
            ("#x", 255, "0xff"),
            ("#x", 0, "0"),
            ("#10X", 255, "      0XFF"),
            ("#010x", 255, "0x000000ff"),
            ("#o", 8, "010"),
            ("llx", 1 << 40, "10000000000"),
            ("c", 65, "A"),
            ("3c", 65, "  A"),
            ("p", 4096, "0x1000"),
        ] {
            assert_eq!(written(format, value as u64), text, "%{format}");
        }
    }

    #[test]
    fn floats_are_written_as_in_c() {
        for (format, value, text) in [
            ("g", f64::from(0.1_f32), "0.1"),
            ("g", 100_000.0, "100000"),
            ("g", 1_234_567.0, "1.23457e+06"),
            ("g", 0.000_012_5, "1.25e-05"),
            ("g", 0.0, "0"),
            ("#g", 1.5, "1.50000"),
            (".3f", -2.5, "-2.500"),
            ("e", 12345.678, "1.234568e+04"),
            (".0e", 12345.678, "1e+04"),
            ("#.0f", 3.0, "3."),
            ("08.2f", -1.5, "-0001.50"),
            ("+.1f", 0.25, "+0.2"),
            ("-8.1f", 0.25, "0.2     "),
            ("G", 1e-10, "1E-10"),
            ("f", f64::INFINITY, "inf"),
            ("06f", f64::NEG_INFINITY, "  -inf"),
            ("F", f64::NAN, "NAN"),
            ("a", 3.0, "0x1.8p+1"),
            ("a", 0.0, "0x0p+0"),
            (".2a", 1.999, "0x2.00p+0"),
            (".1A", -0.1, "-0X1.AP-4"),
        ] {
            assert_eq!(written(format, value.to_bits()), text, "%{format}");
        }
    }

    #[test]
    fn what_is_no_conversion_stands() {
        let read = |text| Specification::read(text, || Ok::<_, ()>(0)).unwrap();
        assert_eq!(read("5k rest"), (None, " rest"));
        assert_eq!(read("5"), (None, ""));
        assert_eq!(read("-*.*lfx").1, "x");
    }
}
