use tma::{KernelArg, kernel, thread};

/// Fields with gaps between them.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
pub struct Fields {
    /// Three bytes before the next field.
    pub byte: u8,
    /// An array.
    pub triple: [u32; 3],
    /// A struct in the struct.
    pub inner: Inner,
}

/// A field of [`Fields`].
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
pub struct Inner {
    /// Six bytes before the next field.
    pub half: i16,
    /// The widest field.
    pub wide: f64,
}

/// The bits of a parameter of a generic type.
pub trait Bits: Copy {
    /// The number's bits.
    fn bits(self) -> u32;
}

impl Bits for f32 {
    fn bits(self) -> u32 {
        self.to_bits()
    }
}

impl Bits for u32 {
    fn bits(self) -> u32 {
        self
    }
}

/// Writes each field, times `TIMES`, as words, then whether `FLAG`, then the bits of `last`; and the
/// number of written words to the end of its dynamic shared memory and from there to the last word.
///
/// # Safety
/// 1. `output` has 10 numbers.
#[kernel(
    max_threads = 32,
    instances(TIMES = 1, 3; FLAG = true, false; T = f32, u32),
    shared_bytes = |threads| u64::from(TIMES) * 4 * threads
)]
pub unsafe fn by_value<const TIMES: u32, const FLAG: bool, T: Bits>(
    output: *mut u32,
    fields: Fields,
    last: T,
) {
    if thread::thread_idx().x == 0 {
        let wide = (fields.inner.wide * f64::from(TIMES)).to_bits();
        let end = tma::shared::dynamic::<u32, 16>().add(TIMES * thread::block_dim().x - 1);
        // SAFETY: the launch has four bytes for each thread and `TIMES`, and no other thread runs.
        let written = unsafe {
            end.write(9);
            end.read()
        };
        let values = [
            u32::from(fields.byte) * TIMES,
            fields.triple[0] * TIMES,
            fields.triple[1] * TIMES,
            fields.triple[2] * TIMES,
            (i32::from(fields.inner.half) * TIMES as i32) as u32,
            wide as u32,
            (wide >> 32) as u32,
            u32::from(FLAG),
            last.bits(),
            written,
        ];
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: ten numbers (1).
            unsafe { *output.add(index) = value };
        }
    }
}
