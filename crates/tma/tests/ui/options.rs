use tma::kernel;

#[kernel(threads = 128)]
pub unsafe fn unknown() {}

#[kernel(max_threads = 0)]
pub unsafe fn zero() {}

#[kernel(max_threads = [1, 2, 3, 4])]
pub unsafe fn four_dimensions() {}

#[kernel(cluster = N)]
pub unsafe fn not_a_literal() {}

fn main() {}
