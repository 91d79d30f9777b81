//! Macros that define functions from lines with a driver function's signature.

/// Calls a driver function by name. Returns `Ok(CUresult as c_int)`, or an [`Origin`](crate::Origin) that names the
/// missing part. The expansion must be in an `unsafe` block, which must prove that the types match the driver's
/// function and that its conditions hold.
macro_rules! driver_call {
    ($name:ident($($arg:ident: $ty:ty),* $(,)?)) => {{
        static FUNCTION: $crate::library::Function =
            $crate::library::Function::new(stringify!($name));
        type Signature = unsafe extern "C" fn($($ty),*) -> ::std::ffi::c_int;
        FUNCTION.address().map(|address| {
            ::std::mem::transmute::<$crate::library::Address, Signature>(address)($($arg),*)
        })
    }};
}

/// Defines driver symbols that pass their arguments on, one per line, and the list `NAMES` of their names.
///
/// Each signature is compared with `cust_raw`'s at compile time.
#[cfg(feature = "cust")]
macro_rules! forward {
    ($( fn $name:ident($($arg:ident: $ty:ty),* $(,)?); )*) => {
        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[doc = concat!("`", stringify!($name), "`, passed on to the driver.")]
            ///
            /// # Safety
            /// The numbered conditions of the [module](crate::forwarded#safety).
            #[unsafe(no_mangle)]
            #[allow(non_snake_case)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> ::cust_raw::CUresult {
                // SAFETY: the signature is `cust_raw`'s, which is the driver's, but for the result,
                // which is taken as the integer it is in C; the caller meets the conditions.
                let result = unsafe { $crate::forward::driver_call!($name($($arg: $ty),*)) };
                $crate::error::to_result(result)
            }

            const _: unsafe extern "C" fn($($ty),*) -> ::cust_raw::CUresult = ::cust_raw::$name;
        )*
    };
}

/// Defines Rust functions that call a driver function and check its result, one per line.
macro_rules! checked {
    ($( fn $name:ident($($arg:ident: $ty:ty),* $(,)?); )*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`, checked.")]
            ///
            /// # Safety
            /// The numbered conditions of [`forwarded`](crate::forwarded#safety), and:
            #[doc = concat!("- the driver's `", stringify!($name), "` has this signature.")]
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub(super) unsafe fn $name($($arg: $ty),*) -> Result<(), $crate::DriverError> {
                // SAFETY: the caller vouches for the signature and meets the conditions.
                let result = unsafe { $crate::forward::driver_call!($name($($arg: $ty),*)) };
                $crate::error::check(stringify!($name), result)
            }
        )*
    };
}

#[cfg(feature = "cust")]
pub(crate) use forward;
pub(crate) use {checked, driver_call};
