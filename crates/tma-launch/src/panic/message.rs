//! Formats the message of a panic from a template of `core::fmt` and the bytes of its arguments.
//!
//! The template is that of `core` 1.96: literal pieces preceded by their length, and `{}` as a byte from 0xC0 with
//! the presence of flags, width, precision and argument.

use super::Reader;

/// Replaces a value that cannot be read.
const UNKNOWN: &str = "…";

/// The format options of a placeholder.
struct Options {
    flags: u32,
    width: usize,
    precision: Option<usize>,
}

const PLUS: u32 = 1 << 21;
const ALTERNATE: u32 = 1 << 23;
const ZEROS: u32 = 1 << 24;
const HAS_PRECISION: u32 = 1 << 28;
/// A space as the fill character, and no alignment.
const DEFAULT_FLAGS: u32 = 0x20 | 3 << 29;

/// Formats as the kernel's `format_args!` would; each argument is a tag and its bytes.
pub(super) fn format(template: &[u8], arguments: &[(u32, &[u8])]) -> String {
    let mut rest = Reader(template);
    let mut message = String::new();
    let mut next = 0;
    while let [head, ..] = *rest.take(1) {
        match head {
            0 => break,
            1..0x80 => message += &String::from_utf8_lossy(rest.take(head.into())),
            0x80 => {
                let length = rest.half().unwrap_or(0);
                message += &String::from_utf8_lossy(rest.take(length.into()));
            }
            _ => {
                let has = |bit: u8| head & bit != 0;
                let flags = if has(1) { rest.number() } else { None };
                let width = if has(2) { rest.half() } else { None };
                let precision = if has(4) { rest.half() } else { None };
                if has(8) {
                    next = rest.half().unwrap_or(0).into();
                }
                let flags = flags.unwrap_or(DEFAULT_FLAGS);
                let options = Options {
                    flags,
                    width: width.unwrap_or(0).into(),
                    precision: precision
                        .filter(|_| flags & HAS_PRECISION != 0)
                        .map(usize::from),
                };
                // A width or precision that is itself an argument is not in the record.
                let value = arguments.get(next).filter(|_| !has(16) && !has(32));
                let text = value.and_then(|(tag, bytes)| value_text(*tag, bytes, &options));
                message += text.as_deref().unwrap_or(UNKNOWN);
                next += 1;
            }
        }
    }
    message
}

/// A tag contains the number of bytes, the type, the number of followed references, and the trait.
fn value_text(tag: u32, bytes: &[u8], options: &Options) -> Option<String> {
    let [_, kind, _, written] = tag.to_le_bytes();
    let number = (bytes.len() <= 16).then(|| {
        let low = bytes.iter().rev();
        low.fold(0_u128, |number, byte| number << 8 | u128::from(*byte))
    })?;
    let (text, is_number) = match kind {
        b's' => {
            let text = String::from_utf8_lossy(bytes);
            let quoted = || format!("{text:?}");
            (
                if written == b'?' {
                    quoted()
                } else {
                    text.into()
                },
                false,
            )
        }
        b'b' => ((number != 0).to_string(), false),
        b'c' => {
            let char = char::from_u32(number as u32)?;
            (
                if written == b'?' {
                    format!("{char:?}")
                } else {
                    char.into()
                },
                false,
            )
        }
        b'f' if bytes.len() == 4 => (
            float(f32::from_bits(number as u32), written, options)?,
            true,
        ),
        b'f' => (
            float(f64::from_bits(number as u64), written, options)?,
            true,
        ),
        b'u' | b'i' | b'p' => {
            let unused = 128 - 8 * bytes.len() as u32;
            (integer(number, kind, unused, written, options), true)
        }
        _ => return None,
    };
    Some(padded(text, is_number, options))
}

fn integer(number: u128, kind: u8, unused: u32, written: u8, options: &Options) -> String {
    let prefix = |prefix: &str| {
        if options.flags & ALTERNATE != 0 {
            prefix.to_owned()
        } else {
            String::new()
        }
    };
    match written {
        b'x' => prefix("0x") + &format!("{number:x}"),
        b'X' => prefix("0x") + &format!("{number:X}"),
        b'o' => prefix("0o") + &format!("{number:o}"),
        b'b' => prefix("0b") + &format!("{number:b}"),
        _ if kind == b'p' => format!("{number:#x}"),
        _ => {
            let negative = (number << unused.min(127)) as i128 >> unused.min(127);
            match (kind, options.flags & PLUS != 0) {
                (b'i', false) => negative.to_string(),
                (b'i', true) => format!("{negative:+}"),
                (_, false) => number.to_string(),
                (_, true) => format!("{number:+}"),
            }
        }
    }
}

fn float<F>(value: F, written: u8, options: &Options) -> Option<String>
where
    F: std::fmt::Display + std::fmt::Debug + std::fmt::LowerExp + std::fmt::UpperExp,
{
    let text = match (written, options.precision) {
        (b'd' | b'?', Some(digits)) => format!("{value:.digits$}"),
        (b'd', None) => format!("{value}"),
        (b'?', None) => format!("{value:?}"),
        (b'e', Some(digits)) => format!("{value:.digits$e}"),
        (b'e', None) => format!("{value:e}"),
        (b'E', Some(digits)) => format!("{value:.digits$E}"),
        (b'E', None) => format!("{value:E}"),
        _ => return None,
    };
    let is_plain = text.starts_with('-') || text == "NaN";
    let plus = options.flags & PLUS != 0 && !is_plain;
    Some(if plus { format!("+{text}") } else { text })
}

/// Aligns numbers right and texts left by default.
fn padded(mut text: String, is_number: bool, options: &Options) -> String {
    if let (false, Some(longest)) = (is_number, options.precision) {
        text = text.chars().take(longest).collect();
    }
    let missing = options.width.saturating_sub(text.chars().count());
    if is_number && options.flags & ZEROS != 0 {
        let sign = text.find(|c: char| c.is_ascii_hexdigit()).unwrap_or(0);
        let prefix = ["0x", "0o", "0b"]
            .iter()
            .any(|prefix| text[sign..].starts_with(prefix));
        let start = sign
            + if prefix && options.flags & ALTERNATE != 0 {
                2
            } else {
                0
            };
        text.insert_str(start, &"0".repeat(missing));
        return text;
    }
    let fill = char::from_u32(options.flags & 0x1f_ffff).unwrap_or(' ');
    let left = match options.flags >> 29 & 3 {
        0 => 0,
        1 => missing,
        2 => missing / 2,
        _ if is_number => missing,
        _ => 0,
    };
    let fill = |count: usize| String::from(fill).repeat(count);
    fill(left) + &text + &fill(missing - left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(bytes: u8, kind: u8, written: u8) -> u32 {
        u32::from_le_bytes([bytes, kind, 0, written])
    }

    /// Formats one placeholder with these flags, width and precision.
    fn formatted(flags: u32, width: u16, precision: u16, argument: (u32, &[u8])) -> String {
        let mut template = vec![0xC7];
        template.extend(flags.to_le_bytes());
        template.extend(width.to_le_bytes());
        template.extend(precision.to_le_bytes());
        template.push(0);
        format(&template, &[argument])
    }

    #[test]
    fn values_are_formatted_as_rust_does() {
        let seven = (tag(4, b'u', b'd'), &7_u32.to_le_bytes()[..]);
        let minus = (tag(4, b'i', b'd'), &(-7_i32).to_le_bytes()[..]);
        let hex = (tag(1, b'i', b'x'), &(-2_i8).to_le_bytes()[..]);
        let half = (tag(8, b'f', b'd'), &0.5_f64.to_le_bytes()[..]);
        let scientific = |written| (tag(8, b'f', written), half.1);
        let text = (tag(0, b's', b'?'), &b"a\"b"[..]);
        let plain = (tag(0, b's', b'd'), &b"abc"[..]);
        let cases = [
            (formatted(DEFAULT_FLAGS, 0, 0, seven), format!("{}", 7)),
            (formatted(DEFAULT_FLAGS, 4, 0, minus), format!("{:4}", -7)),
            (
                formatted(DEFAULT_FLAGS | ZEROS, 4, 0, minus),
                format!("{:04}", -7),
            ),
            (
                formatted(DEFAULT_FLAGS | PLUS, 0, 0, seven),
                format!("{:+}", 7),
            ),
            (
                formatted(DEFAULT_FLAGS | ALTERNATE | ZEROS, 8, 0, hex),
                format!("{:#08x}", -2_i8),
            ),
            (
                formatted(DEFAULT_FLAGS | HAS_PRECISION, 8, 3, half),
                format!("{:8.3}", 0.5),
            ),
            (
                formatted(DEFAULT_FLAGS, 0, 0, text),
                format!("{:?}", "a\"b"),
            ),
            (
                formatted('*' as u32 | 2 << 29, 6, 0, plain),
                format!("{:*^6}", "abc"),
            ),
            (
                formatted(DEFAULT_FLAGS, 6, 0, plain),
                format!("{:6}", "abc"),
            ),
            (
                formatted(DEFAULT_FLAGS, 0, 0, scientific(b'e')),
                format!("{:e}", 0.5),
            ),
            (
                formatted(DEFAULT_FLAGS, 0, 0, scientific(b'E')),
                format!("{:E}", 0.5),
            ),
            (
                formatted(DEFAULT_FLAGS | HAS_PRECISION, 0, 2, plain),
                format!("{:.2}", "abc"),
            ),
        ];
        for (ours, rusts) in cases {
            assert_eq!(ours, rusts);
        }
    }

    #[test]
    fn arguments_are_found_by_their_number() {
        let one = (tag(4, b'u', b'd'), &1_u32.to_le_bytes()[..]);
        let two = (tag(4, b'u', b'd'), &2_u32.to_le_bytes()[..]);
        assert_eq!(format(b"\xC8\x01\0\xC8\0\0\xC0\0", &[one, two]), "212");
    }
}
