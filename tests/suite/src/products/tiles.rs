//! Random and adversarial tiles; the class of a tile describes its numbers.

use super::{
    form::{Element, ProductForm, Sum},
    layout::Parts,
};

/// The number of classes.
pub(super) const CLASSES: usize = 10;

pub(super) struct Rng(u64);

impl Rng {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((self.next() >> 32) * bound) >> 32
    }

    fn one_of<const N: usize>(&mut self, values: [u64; N]) -> u64 {
        values[self.below(N as u64) as usize]
    }
}

/// A format of floating-point numbers by its bits of exponent and fraction, and the number of bits below them.
type Format = (u32, u32, u32);

fn format(element: Element) -> Option<Format> {
    Some(match element {
        Element::F16 => (5, 10, 0),
        Element::Bf16 => (8, 7, 0),
        Element::Tf32 => (8, 10, 13),
        Element::E4m3 => (4, 3, 0),
        Element::E5m2 => (5, 2, 0),
        Element::F64 => (11, 52, 0),
        _ => return None,
    })
}

/// A floating-point number of a class; `spread` is how far exponents of a class of powers of two reach.
fn float(rng: &mut Rng, class: usize, (exponent, fraction, below): Format, spread: i64) -> u64 {
    let random = rng.next();
    let width = exponent + fraction;
    let all = (1_u64 << exponent) - 1;
    let bias = (all >> 1) as i64;
    let sign = (random >> 63) << width;
    let part = random & ((1 << fraction) - 1);
    let with = |field: i64, part: u64| (field.clamp(0, all as i64) as u64) << fraction | part;
    let magnitude = match class {
        // Any bits.
        0 => random & ((1 << width) - 1),
        // All exponents of finite numbers.
        1 => with(rng.below(all) as i64, part),
        // Some size.
        2 => with(bias - 2 + rng.below(5) as i64, part),
        // Subnormal numbers and the smallest others.
        3 => with(rng.below(3) as i64, part),
        // The largest numbers, whose sums overflow.
        4 => with(all as i64 - 1 - rng.below(3) as i64, part),
        // Few numbers, so that sums cancel.
        5 => with(
            bias + rng.below(3) as i64 - 1,
            rng.one_of([0, 1 << (fraction - 1)]),
        ),
        // NaN, infinities and zeros among others.
        6 => match rng.below(12) {
            0 => rng.one_of([
                with(all as i64, 0),
                with(all as i64, part),
                (1 << width) - 1,
            ]),
            1 => 0,
            _ => with(bias - 2 + rng.below(5) as i64, part),
        },
        // Powers of two, far apart: the last bit that counts shows.
        7 => with(bias - spread + rng.below(2 * spread as u64 + 1) as i64, 0),
        // Mostly zeros.
        8 => match rng.below(4) {
            0 => with(bias - spread + rng.below(2 * spread as u64) as i64, part),
            _ => 0,
        },
        // Halfway cases: a one, and small numbers with few bits.
        _ => with(
            bias - rng.one_of([0, 1, 5, 6, 11, 12]) as i64,
            rng.one_of([0, 1, part]),
        ),
    };
    // Bits that do not count are not zero.
    (sign | magnitude) << below | rng.next() & ((1 << below) - 1)
}

fn factor(rng: &mut Rng, class: usize, element: Element) -> u64 {
    let bits = element.bits() as u32;
    if let Some(format) = format(element) {
        return float(rng, class, format, 7);
    }
    let least = 1 << (bits - 1);
    match (element, class % 3) {
        (Element::B1, _) | (_, 0) => rng.next() & (u64::MAX >> (64 - bits)),
        (_, 1) => rng.one_of([least, least - 1, 2 * least - 1, least]),
        _ => rng.one_of([0, 1, 2 * least - 1, least]),
    }
}

fn sum(rng: &mut Rng, class: usize, ty: Sum) -> u64 {
    let format = match ty {
        Sum::F16 => (5, 10, 0),
        Sum::F32 => (8, 23, 0),
        Sum::F64 => (11, 52, 0),
        Sum::S32 => {
            return match class % 3 {
                0 => rng.next() & 0xffff_ffff,
                1 => rng.one_of([0x7fff_ffff, 0x8000_0000, 0x7fff_ff00, 0x8000_0100]),
                _ => rng.next() & 0xff,
            };
        }
    };
    match rng.below(4) {
        0 => rng.next() >> 63 << (format.0 + format.1),
        1 if class != 5 => float(rng, rng_class(class), format, 28),
        _ => float(rng, class, format, 14),
    }
}

/// Another class for some sums.
fn rng_class(class: usize) -> usize {
    if class == 3 { 2 } else { 7 }
}

/// The words of a tile.
pub(super) fn tile(form: &ProductForm, seed: u64, number: usize) -> Vec<u32> {
    let mut rng = Rng(seed ^ (number as u64).wrapping_mul(0x2545_f491_4f6c_dd1d));
    let class = number % CLASSES;
    let parts = Parts::of(form);
    let mut words = Vec::with_capacity(parts.words());
    let mut put = |count: usize, bits: usize, next: &mut dyn FnMut() -> u64| match bits {
        64 => (0..count / 2).for_each(|_| {
            let long = next();
            words.extend([long as u32, (long >> 32) as u32]);
        }),
        _ => (0..count).for_each(|_| {
            let parts = (0..32 / bits).map(|at| next() << (at * bits));
            words.push(parts.sum::<u64>() as u32);
        }),
    };
    put(parts.c, form.c.bits(), &mut || sum(&mut rng, class, form.c));
    let [a, b] = form.elements;
    put(parts.a, a.bits(), &mut || factor(&mut rng, class, a));
    put(parts.b, b.bits(), &mut || factor(&mut rng, class, b));
    let is_pairs = a == Element::Tf32;
    put(parts.metadata, 4, &mut || match is_pairs {
        true => rng.one_of([4, 0xe]),
        false => rng.one_of([4, 8, 9, 0xc, 0xd, 0xe]),
    });
    let adds = u64::from(number % 4 != 3);
    put(parts.flag, 32, &mut || adds);
    words
}
