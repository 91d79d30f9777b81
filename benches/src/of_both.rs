//! Tests of a kernel in Rust and of the same kernel in CUDA C++.

/// Tests the PTX of a Rust module with a function, and with the same function that of the CUDA kernels; without nvcc the
/// latter test is listed as ignored.
macro_rules! of_both {
    ($($test:ident = $rust:ident;)*) => {$(
        mod $test {
            use crate::modules::BUILT;

            #[test]
            fn rust() {
                super::$test(BUILT[0].$rust);
            }

            #[test]
            #[cfg_attr(not(nvcc), ignore = "needs nvcc")]
            fn cuda() {
                super::$test(BUILT[0].cuda.expect("nvcc compiled it"));
            }
        }
    )*};
}
pub(crate) use of_both;
