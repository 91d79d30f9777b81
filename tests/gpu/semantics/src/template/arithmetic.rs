//! Instructions that compute: operands from the host, and the result.

use tma::thread;

use crate::io::{Io, NONE, Operands};

/// Words of each lane: `n`, `m`, `b` and `c`; `w` and `v`, of two words each; `t`, `u` and `x`; `r` is
/// `t` and `u` together.
const WORDS: u32 = 11;

/// A value as words; missing words are 0.
pub(crate) trait Words {
    fn words(self) -> [u32; 4];
}

macro_rules! words {
    ($($type:ty: $value:ident => $words:expr;)+) => {$(
        impl Words for $type {
            #[inline(always)]
            fn words(self) -> [u32; 4] {
                let $value = self;
                $words
            }
        }
    )+};
}

words! {
    (): _value => [0; 4];
    u8: value => [value.into(), 0, 0, 0];
    u16: value => [value.into(), 0, 0, 0];
    u32: value => [value, 0, 0, 0];
    i32: value => [value as u32, 0, 0, 0];
    f32: value => [value.to_bits(), 0, 0, 0];
    u64: value => [value as u32, (value >> 32) as u32, 0, 0];
    i64: value => (value as u64).words();
    f64: value => value.to_bits().words();
    [u32; 2]: value => [value[0], value[1], 0, 0];
    [u32; 4]: value => value;
    [u64; 2]: value => [value[0] as u32, (value[0] >> 32) as u32, value[1] as u32, (value[1] >> 32) as u32];
}

/// Returns the operands in the words from here on, in the order of [`WORDS`].
#[inline(always)]
pub(crate) unsafe fn operands(io: Io, from: u32) -> Operands {
    let word = |index: u32| io.word((from + index) as usize);
    let long = |index: u32| u64::from(word(index)) | u64::from(word(index + 1)) << 32;
    Operands {
        n: word(0),
        m: word(1),
        b: word(2),
        c: word(3),
        f: f32::from_bits(word(0)),
        g: f32::from_bits(word(1)),
        h: word(0) as u16,
        i: word(1) as u16,
        j: word(2) as u16,
        w: long(4),
        v: long(6),
        r: long(8),
        l: long(4) as i64,
        e: f64::from_bits(long(4)),
        t: word(8) as i32,
        u: word(9) as i32,
        x: word(10) as i32,
        ..NONE
    }
}

/// Each lane computes with its operands and writes four words.
#[inline(always)]
pub(crate) unsafe fn computed<R: Words>(io: Io, form: impl Fn(Operands) -> R) {
    let lane = thread::thread_idx().x;
    let words = form(operands(io, WORDS * lane)).words();
    let mut index = 0;
    while index < 4 {
        io.put(
            4 * thread::block_dim().x,
            4 * lane + index,
            words[index as usize],
        );
        index += 1;
    }
}
