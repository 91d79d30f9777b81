//! The exported functions that replace the driver's.
//!
//! Each calls the driver's function of the same name with the same arguments. Their conditions are those of the
//! driver's documentation: pointers are null or valid as described there.

mod launches;
mod memory;
mod modules;
mod procedures;
mod textures;

use std::ffi::c_void;

use crate::driver::Slot;

/// An exported function and the driver's function that it calls.
pub(crate) struct Hook {
    pub(crate) slot: &'static Slot,
    pub(crate) function: *const c_void,
}

/// Returns all hooks.
fn all() -> impl Iterator<Item = Hook> {
    let all = [
        launches::HOOKS,
        memory::HOOKS,
        modules::HOOKS,
        procedures::HOOKS,
        textures::HOOKS,
    ];
    all.into_iter().flatten().map(|hook| hook())
}

/// Exports functions under one or several names. `real` calls the driver's function with the same arguments and
/// returns its code. The body returns the code for the program; it is skipped for calls made by the driver and by
/// this library.
macro_rules! hooks {
    ($($(fn $name:ident),+ ($($argument:ident: $ty:ty),* $(,)?) |$real:ident| $body:block)*) => {
        /// The functions of this file.
        pub(super) const HOOKS: &[fn() -> $crate::hooks::Hook] = &[$($($name::hook),+),*];

        $($crate::hooks::one!([$($name)+], ($($argument: $ty),*), $real, $body);)*
    };
}

macro_rules! one {
    ([$($name:ident)+], $arguments:tt, $real:ident, $body:block) => {
        $($crate::hooks::export!($name, $arguments, $real, $body);)+
    };
}

macro_rules! export {
    ($name:ident, ($($argument:ident: $ty:ty),*), $real:ident, $body:block) => {
        mod $name {
            use $crate::driver::Slot;

            // The name ends with a zero and has no other.
            pub(super) static SLOT: Slot = Slot::new(
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => c"",
                },
            );

            pub(super) fn hook() -> $crate::hooks::Hook {
                $crate::hooks::Hook {
                    slot: &SLOT,
                    function: super::$name as *const std::ffi::c_void,
                }
            }
        }

        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: $ty),*) -> i32 {
            type Function = unsafe extern "C" fn($($ty),*) -> i32;
            let found = $name::SLOT.get();
            if found.is_null() {
                return $crate::driver::NOT_FOUND;
            }
            // SAFETY: the name of a driver's function fixes its type.
            let function = unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(found) };
            // SAFETY: the values are the program's, which calls this function as the driver's.
            let $real = || unsafe { function($($argument),*) };
            let Some(_inside) = $crate::state::Inside::enter() else {
                return $real();
            };
            $body
        }
    };
}

use {export, hooks, one};
