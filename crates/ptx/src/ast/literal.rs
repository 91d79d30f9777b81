/// A number as written, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    text: Box<str>,
}

impl Literal {
    /// Returns the literal of an integer in decimal.
    pub fn integer(value: u64) -> Self {
        Self {
            text: value.to_string().into(),
        }
    }

    /// Creates a single-precision number, written as `0f` and its bits.
    pub fn f32(value: f32) -> Self {
        let bits = value.to_bits();
        Self {
            text: format!("0f{bits:08X}").into(),
        }
    }

    /// Creates a double-precision number, written as `0d` and its bits.
    pub fn f64(value: f64) -> Self {
        let bits = value.to_bits();
        Self {
            text: format!("0d{bits:016X}").into(),
        }
    }

    /// Returns the text as the module spells it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value that the text denotes.
    pub fn number(&self) -> Number {
        let zero = Number::Integer {
            value: 0,
            unsigned: false,
        };
        // The text is always a valid number, since it was parsed before or written here.
        Number::read(&self.text).unwrap_or(zero)
    }

    /// Reads the text of a number token; `None` if an integer has more than 64 bits.
    pub(crate) fn read(text: &str) -> Option<Self> {
        Number::read(text)?;
        Some(Self { text: text.into() })
    }
}

/// The value of a [`Literal`]: an integer or a float's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// An integer, as its 64 bits.
    Integer {
        /// The 64 bits of the integer.
        value: u64,
        /// True if `U` follows the digits.
        unsigned: bool,
    },
    /// Single precision: `0f` and eight hexadecimal digits.
    F32 {
        /// The 32 bits of the number.
        bits: u32,
    },
    /// `0d` and sixteen digits, or a decimal number.
    F64 {
        /// The 64 bits of the number.
        bits: u64,
    },
}

impl Number {
    fn read(text: &str) -> Option<Self> {
        let prefix = text.get(..2).unwrap_or("").to_ascii_lowercase();
        match prefix.as_str() {
            "0f" => Some(Self::F32 {
                bits: u32::from_str_radix(&text[2..], 16).ok()?,
            }),
            "0d" => Some(Self::F64 {
                bits: u64::from_str_radix(&text[2..], 16).ok()?,
            }),
            "0x" => Self::read_integer(&text[2..], 16),
            "0b" => Self::read_integer(&text[2..], 2),
            _ if text.contains(['.', 'e', 'E']) => Some(Self::F64 {
                bits: text.parse::<f64>().ok()?.to_bits(),
            }),
            _ if text.len() > 1 && text.starts_with('0') && text != "0U" => {
                Self::read_integer(&text[1..], 8)
            }
            _ => Self::read_integer(text, 10),
        }
    }

    fn read_integer(text: &str, radix: u32) -> Option<Self> {
        let digits = text.strip_suffix('U');
        let value = u64::from_str_radix(digits.unwrap_or(text), radix).ok()?;
        Some(Self::Integer {
            value,
            unsigned: digits.is_some(),
        })
    }
}
