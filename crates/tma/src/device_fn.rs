/// Defines functions whose body exists on the device only.
///
/// For any other target the body is replaced by a panic, so that the crate compiles, documents
/// and lints there. All of them are inlined: an instruction costs no call.
macro_rules! device_fn {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis unsafe fn $name:ident $(<$(const $constant:ident: $constant_type:ty),*>)?
            ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?
        $body:block
    )*) => {$(
        $(#[$attribute])*
        #[inline(always)]
        $visibility unsafe fn $name $(<$(const $constant: $constant_type),*>)?
            ($($argument: $type),*) $(-> $result)?
        {
            #[cfg(target_arch = "nvptx64")]
            $body
            #[cfg(not(target_arch = "nvptx64"))]
            {
                let _ = ($($argument,)*);
                $crate::__private::device_only(stringify!($name))
            }
        }
    )*};
}
