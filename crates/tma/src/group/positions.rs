/// Functions that read a special register of three dimensions.
macro_rules! positions {
    ($($(#[$attribute:meta])* $name:ident = $register:ident;)*) => {$(
        $(#[$attribute])*
        #[inline(always)]
        pub fn $name() -> $crate::group::thread::Dim3 {
            $crate::group::thread::Dim3 {
                x: $crate::ptx::sreg::$register::<0>(),
                y: $crate::ptx::sreg::$register::<1>(),
                z: $crate::ptx::sreg::$register::<2>(),
            }
        }
    )*};
}
