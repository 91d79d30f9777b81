//! Tests of Rust kernels and of the same kernels in CUDA C++.

/// Tests the PTX of a Rust module with a function, and the CUDA kernels with the same function; without nvcc the
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
