//! Macros that define the exported functions.

/// Exports functions that return a code, each with a body in safe code: `runtime` for the runtime, which remembers
/// the last error of a thread, and `driver` for the driver. `as OTHER` exports the same function under a second
/// name.
macro_rules! export {
    ($kind:ident; $(fn $name:ident $(as $($other:ident),+)? ($($arguments:tt)*) $body:block)*) => {
        $($crate::export::export_all!($kind, [$name $($($other)+)?], ($($arguments)*), $body);)*
    };
}

macro_rules! export_all {
    ($kind:ident, [$($name:ident)+], $arguments:tt, $body:block) => {
        $($crate::export::export_one!($kind, $name, $arguments, $body);)+
    };
}

macro_rules! export_one {
    ($kind:ident, $name:ident, ($($argument:ident: $ty:ty),* $(,)?), $body:block) => {
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: <$ty as $crate::ffi::FromC>::C),*) -> i32 {
            $(
                // SAFETY: the value comes from the caller of this exported function (1).
                let $argument = unsafe { <$ty as $crate::ffi::FromC>::from_c($argument) };
            )*
            $crate::calls::$kind(stringify!($name), || $body)
        }
    };
}

/// Exports unsupported functions, whose arguments are ignored.
macro_rules! missing {
    ($kind:ident; $($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $name() -> i32 {
            $crate::calls::$kind(stringify!($name), || Err($crate::calls::unsupported(stringify!($name))))
        }
    )*};
}

pub(crate) use {export, export_all, export_one, missing};
