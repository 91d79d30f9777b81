use tma::kernel;

#[kernel(threads = 128)]
pub unsafe fn unknown() {}

#[kernel(max_threads = 0)]
pub unsafe fn zero() {}

#[kernel(max_threads = [1, 2, 3, 4])]
pub unsafe fn four_dimensions() {}

#[kernel(cluster = N)]
pub unsafe fn not_a_literal() {}

#[kernel(max_threads = [64, 32])]
pub unsafe fn too_many() {}

#[kernel(cluster = 99)]
pub unsafe fn too_large() {}

#[kernel(min_blocks = 1, min_blocks = 2)]
pub unsafe fn twice() {}

#[kernel(allow(serialized))]
pub unsafe fn no_message() {}

fn main() {}
