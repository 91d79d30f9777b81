use tma::kernel;

#[kernel]
pub unsafe fn slice(data: &mut [f32]) {}

fn main() {}
