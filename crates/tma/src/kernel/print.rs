//! The expansion of [`println!`](crate::println): C's format string, made of Rust's where the types of the
//! values are known, and the values in a row for the device's `vprintf`.

/// Most bytes of a format string.
const MOST_BYTES: usize = 512;

/// A format string as its pieces, a type for each call.
pub trait Format {
    /// The pieces of the format string, in order.
    const PIECES: &'static [Piece];
}

/// A piece of a format string.
pub enum Piece {
    /// A text that is printed as it is.
    Text(&'static str),
    /// The place of a value, and its format.
    Value(Spec),
}

/// The part of a placeholder after the colon.
#[derive(Clone, Copy)]
pub struct Spec {
    /// The alignment: `Some(true)` for `<`, `Some(false)` for `>`.
    pub left: Option<bool>,
    /// `+`.
    pub plus: bool,
    /// `#`.
    pub alternate: bool,
    /// `0`.
    pub zeros: bool,
    /// The least number of characters.
    pub width: u8,
    /// Digits after the point, or the greatest number of characters of a text.
    pub precision: Option<u8>,
    /// `d` by default, or the character of the type.
    pub kind: u8,
}

/// The class of a value in the C format of `vprintf`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// `long long`
    Signed,
    /// `unsigned long long`
    Unsigned,
    /// `double`
    Float,
    /// A text that ends with a zero.
    Text,
    /// An address, printed in hexadecimal.
    Pointer,
}

/// Values that [`println!`](crate::println) prints.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed on the device",
    note = "integers of up to 64 bits, `f32`, `f64`, `bool`, C strings and pointers can"
)]
///
/// # Safety
/// 1. The bits are of the class: for [`Class::Text`] they are the address of a text that ends with a zero.
pub unsafe trait Print: Copy {
    /// The class of its values in C.
    const CLASS: Class;

    /// Returns the 64 bits, and the bits with zeros in front.
    fn bits(self) -> (u64, u64);
}

macro_rules! integers {
    ($class:ident: $($integer:ty as $wide:ty, $own:ty;)*) => {$(
        // SAFETY: the bits are those of the number, of its class (1).
        unsafe impl Print for $integer {
            const CLASS: Class = Class::$class;

            #[inline(always)]
            fn bits(self) -> (u64, u64) {
                (self as $wide as u64, self as $own as u64)
            }
        }
    )*};
}

integers! { Signed: i8 as i64, u8; i16 as i64, u16; i32 as i64, u32; i64 as i64, u64; isize as i64, usize; }
integers! { Unsigned: u8 as u64, u8; u16 as u64, u16; u32 as u64, u32; u64 as u64, u64; usize as u64, usize; }

macro_rules! others {
    ($($class:ident $type:ty, $value:ident: $bits:expr;)*) => {$(
        // SAFETY: the bits are a number, or the address of a zero-terminated text (1).
        unsafe impl Print for $type {
            const CLASS: Class = Class::$class;

            #[inline(always)]
            fn bits(self) -> (u64, u64) {
                let $value = self;
                let bits = $bits;
                (bits, bits)
            }
        }
    )*};
}

others! {
    Float f32, value: f64::from(value).to_bits();
    Float f64, value: value.to_bits();
    Text &'static core::ffi::CStr, text: text.as_ptr().addr() as u64;
    Text bool, value: (if value { c"true" } else { c"false" }).as_ptr().addr() as u64;
}

// SAFETY: the bits are the pointer's address (1).
unsafe impl<T> Print for *const T {
    const CLASS: Class = Class::Pointer;

    #[inline(always)]
    fn bits(self) -> (u64, u64) {
        (self.addr() as u64, self.addr() as u64)
    }
}

// SAFETY: the bits are the pointer's address (1).
unsafe impl<T> Print for *mut T {
    const CLASS: Class = Class::Pointer;

    #[inline(always)]
    fn bits(self) -> (u64, u64) {
        self.cast_const().bits()
    }
}

/// Values as a list: `(first, (second, ()))`.
pub trait Values {
    /// The classes of the values, in order.
    const CLASSES: [Class; 32];

    /// Writes the values, each as its placeholder requires.
    fn write(self, pieces: &[Piece], to: &mut [u64]);
}

impl Values for () {
    const CLASSES: [Class; 32] = [Class::Unsigned; 32];

    #[inline(always)]
    fn write(self, _: &[Piece], _: &mut [u64]) {}
}

impl<First: Print, Rest: Values> Values for (First, Rest) {
    const CLASSES: [Class; 32] = {
        let mut classes = Rest::CLASSES;
        let mut index = classes.len() - 1;
        while index > 0 {
            classes[index] = classes[index - 1];
            index -= 1;
        }
        classes[0] = First::CLASS;
        classes
    };

    #[inline(always)]
    fn write(self, mut pieces: &[Piece], to: &mut [u64]) {
        while let [piece, rest @ ..] = pieces {
            pieces = rest;
            if let (Piece::Value(spec), Some((first, to))) = (piece, to.split_first_mut()) {
                let (wide, own) = self.0.bits();
                *first = if matches!(spec.kind, b'x' | b'X' | b'o') {
                    own
                } else {
                    wide
                };
                return self.1.write(rest, to);
            }
        }
    }
}

/// The format string for C, with a zero at its end.
struct Text {
    bytes: [u8; MOST_BYTES],
    length: usize,
}

impl Text {
    const fn push(&mut self, byte: u8) {
        assert!(
            self.length < MOST_BYTES - 1,
            "a format string has at most 511 bytes"
        );
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    const fn push_all(&mut self, text: &[u8]) {
        let mut index = 0;
        while index < text.len() {
            self.push(text[index]);
            index += 1;
        }
    }

    const fn push_number(&mut self, number: u8) {
        if number >= 10 {
            self.push_number(number / 10);
        }
        self.push(b'0' + number % 10);
    }

    const fn push_value(&mut self, spec: Spec, class: Class) {
        let is_number = !matches!(class, Class::Text | Class::Pointer);
        let is_integer = matches!(class, Class::Signed | Class::Unsigned);
        let mut width = spec.width;
        let prefix: &[u8] = match (class, spec.kind, spec.alternate) {
            (_, b'x' | b'X', true) if is_integer => b"0x",
            (_, b'o', true) if is_integer => b"0o",
            (Class::Pointer, ..) => b"0x",
            (Class::Unsigned, _, _) if spec.plus => b"+",
            _ => b"",
        };
        if !prefix.is_empty() {
            assert!(
                width == 0 || spec.zeros,
                "a width with `#`, with `+` of an unsigned number or with a pointer needs a `0`: `{{:#010x}}`"
            );
            width = width.saturating_sub(prefix.len() as u8);
            self.push_all(prefix);
        }
        self.push(b'%');
        // Rust puts texts on the left and numbers on the right, C all on the right.
        let left = match spec.left {
            Some(left) => left,
            None => matches!(class, Class::Text),
        };
        if left && width > 0 && !spec.zeros {
            self.push(b'-');
        }
        if spec.plus && !matches!(class, Class::Unsigned) {
            assert!(is_number, "`+` is for numbers");
            self.push(b'+');
        }
        if spec.zeros && width > 0 {
            assert!(!matches!(class, Class::Text), "`0` is for numbers");
            self.push(b'0');
        }
        if width > 0 {
            self.push_number(width);
        }
        if let (Some(digits), false) = (spec.precision, is_integer) {
            self.push(b'.');
            self.push_number(digits);
        }
        self.push_all(match (class, spec.kind) {
            (Class::Signed, b'd' | b'?') => b"lld",
            (Class::Unsigned, b'd' | b'?') => b"llu",
            (Class::Signed | Class::Unsigned, b'x') | (Class::Pointer, b'p' | b'?') => b"llx",
            (Class::Signed | Class::Unsigned, b'X') => b"llX",
            (Class::Signed | Class::Unsigned, b'o') => b"llo",
            (Class::Float, b'd') if spec.precision.is_some() => b"f",
            (Class::Float, b'd') => b"g",
            (Class::Float, b'e') => b"e",
            (Class::Float, b'E') => b"E",
            (Class::Text, b'd') => b"s",
            _ => panic!(
                "the placeholder does not fit the type of its value: integers have `{{}}`, `{{:?}}`, `{{:x}}`, \
                 `{{:X}}` and `{{:o}}`, floats `{{}}`, `{{:.3}}`, `{{:e}}` and `{{:E}}`, pointers `{{:p}}`, texts and \
                 `bool` `{{}}`"
            ),
        });
    }
}

const fn text(pieces: &[Piece], classes: &[Class]) -> Text {
    let mut text = Text {
        bytes: [0; MOST_BYTES],
        length: 0,
    };
    let (mut index, mut value) = (0, 0);
    while index < pieces.len() {
        match &pieces[index] {
            Piece::Text(piece) => {
                let bytes = piece.as_bytes();
                let mut at = 0;
                while at < bytes.len() {
                    assert!(bytes[at] != 0, "a format string has no zero");
                    if bytes[at] == b'%' {
                        text.push(b'%');
                    }
                    text.push(bytes[at]);
                    at += 1;
                }
            }
            Piece::Value(spec) => {
                text.push_value(*spec, classes[value]);
                value += 1;
            }
        }
        index += 1;
    }
    text
}

/// A format and the types of its values.
struct Call<F, V>(F, V);

impl<F: Format, V: Values> Call<F, V> {
    const TEXT: Text = text(F::PIECES, &V::CLASSES);
    const BYTES: &'static [u8] = Self::TEXT.bytes.split_at(Self::TEXT.length + 1).0;
}

#[cfg(target_arch = "nvptx64")]
unsafe extern "C" {
    /// A function of every GPU. The host formats its values, when it waits for the kernel.
    fn vprintf(format: *const u8, values: *const u64) -> i32;
}

/// Formats values and prints them with `vprintf`.
#[inline(always)]
pub fn print<F: Format, V: Values, const COUNT: usize>(values: V) {
    let mut words = [0; COUNT];
    values.write(F::PIECES, &mut words);
    let format = Call::<F, V>::BYTES;
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the format ends with a zero and has a conversion of 64 bits for each word.
    unsafe {
        vprintf(format.as_ptr(), words.as_ptr());
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let _ = (format, words);
        crate::ptx::macros::device_only("println")
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::String;

    use super::*;

    const PLAIN: Spec = Spec {
        left: None,
        plus: false,
        alternate: false,
        zeros: false,
        width: 0,
        precision: None,
        kind: b'd',
    };

    fn conversion(spec: Spec, class: Class) -> String {
        let text = text(&[Piece::Text("100% "), Piece::Value(spec)], &[class]);
        let bytes = text.bytes[5..text.length].to_vec();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn conversions_are_those_of_c() {
        let cases = [
            (PLAIN, Class::Signed, " %lld"),
            (PLAIN, Class::Float, " %g"),
            (PLAIN, Class::Text, " %s"),
            (Spec { width: 5, ..PLAIN }, Class::Unsigned, " %5llu"),
            (Spec { width: 5, ..PLAIN }, Class::Text, " %-5s"),
            (
                Spec {
                    left: Some(true),
                    width: 12,
                    ..PLAIN
                },
                Class::Signed,
                " %-12lld",
            ),
            (
                Spec {
                    precision: Some(3),
                    width: 8,
                    ..PLAIN
                },
                Class::Float,
                " %8.3f",
            ),
            (
                Spec {
                    kind: b'x',
                    alternate: true,
                    zeros: true,
                    width: 10,
                    ..PLAIN
                },
                Class::Signed,
                " 0x%08llx",
            ),
            (
                Spec {
                    plus: true,
                    ..PLAIN
                },
                Class::Signed,
                " %+lld",
            ),
            (
                Spec {
                    plus: true,
                    ..PLAIN
                },
                Class::Unsigned,
                " +%llu",
            ),
            (
                Spec {
                    kind: b'p',
                    ..PLAIN
                },
                Class::Pointer,
                " 0x%llx",
            ),
        ];
        for (spec, class, expected) in cases {
            assert_eq!(conversion(spec, class), expected);
        }
    }

    #[test]
    #[should_panic(expected = "the placeholder does not fit the type of its value")]
    fn a_float_has_no_hexadecimal_digits() {
        conversion(
            Spec {
                kind: b'x',
                ..PLAIN
            },
            Class::Float,
        );
    }

    #[test]
    fn hexadecimal_digits_are_those_of_the_type() {
        let hex = [
            Piece::Value(Spec {
                kind: b'x',
                ..PLAIN
            }),
            Piece::Text(" "),
            Piece::Value(PLAIN),
        ];
        let mut words = [0; 2];
        (-2_i8, (-2_i8, ())).write(&hex, &mut words);
        assert_eq!(words, [0xfe, u64::MAX - 1]);
    }
}
