use tma::kernel;

#[kernel]
pub unsafe fn unmarked(map: &tma::TensorMap) {}

#[kernel]
pub unsafe fn by_value(#[grid_constant] map: tma::TensorMap) {}

fn main() {}
