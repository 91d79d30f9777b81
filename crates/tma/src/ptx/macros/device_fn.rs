/// Defines functions with a body on the device only.
///
/// For any other target the body is replaced by a panic, so that the crate compiles, documents
/// and lints there. All of them are inlined: an instruction costs no call.
///
/// Generic parameters are in brackets; they and the parameters may come in several parts. A line
/// `isa "8.6" on sm_100a;` among the attributes becomes a line of the documentation, and the function is refused on an
/// architecture without the instruction; the names come from `architectures!`.
macro_rules! device_fn {
    ($(
        $(#[$attribute:meta])*
        $(isa $isa:literal on $arch:ident; $(#[$more:meta])*)?
        pub $(unsafe $(@ $never:tt)?)? fn $name:ident $([$($generic:tt)*])*
            $(($($argument:ident: $type:ty),* $(,)?))+ $(-> $result:ty)?
        $body:block
    )*) => {$(
        $(#[$attribute])*
        $(
            #[doc = ""]
            #[doc = concat!("PTX ISA ", $isa, "; ", architectures!(names $arch), ".")]
            #[doc = ""]
            $(#[$more])*
        )?
        // So that a refusal comes with the location of the call.
        #[cfg_attr(target_arch = "nvptx64", rustc_no_mir_inline)]
        #[inline(always)]
        pub $(unsafe $(@ $never)?)? fn $name<$($($generic)*)*>($($($argument: $type,)*)+) $(-> $result)? {
            #[cfg(target_arch = "nvptx64")]
            {
                $(gate!(concat!(module_path!(), "::", stringify!($name)), $arch);)?
                $body
            }
            #[cfg(not(target_arch = "nvptx64"))]
            {
                let _ = ($($($argument,)*)+);
                $crate::ptx::macros::device_only(stringify!($name))
            }
        }
    )*};
}

/// The body of every device function on other targets.
///
/// # Panics
/// Always.
#[cold]
#[track_caller]
pub fn device_only(name: &str) -> ! {
    panic!("`{name}` runs on the GPU only")
}
