use tma::kernel;

#[kernel]
pub fn safe() {}

#[kernel]
pub unsafe fn returns() -> u32 {
    0
}

#[kernel]
pub unsafe extern "C" fn convention() {}

#[kernel]
pub unsafe fn generic<const N: u32>() {}

#[kernel]
pub unsafe fn generic_type<T>() {}

#[kernel]
pub unsafe fn lifetime<'a>() {}

fn main() {}
