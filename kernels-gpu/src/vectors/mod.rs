//! Numbers four at a time, for the kernels that add one.

/// Four numbers, which one instruction moves.
pub(crate) type Vector = [u32; 4];

/// The number of bytes of a vector.
pub(crate) const VECTOR_BYTES: u32 = size_of::<Vector>() as u32;

/// Returns the bytes of `vectors` vectors for each thread.
pub(crate) const fn tile_bytes(threads: u32, vectors: u32) -> u32 {
    threads.wrapping_mul(vectors).wrapping_mul(VECTOR_BYTES)
}

/// Adds one to each of the numbers.
#[inline(always)]
pub(crate) fn one_more(vector: Vector) -> Vector {
    vector.map(|number| number.wrapping_add(1))
}
