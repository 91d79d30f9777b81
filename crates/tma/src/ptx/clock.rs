//! `%clock64` and `%globaltimer`, special registers that change. PTX ISA 10.

macro_rules! clocks {
    ($($(#[$attribute:meta])* $name:ident = $register:literal;)*) => { $(
        #[doc = concat!("`mov.u64 value, %", $register, ";`")]
        ///
        $(#[$attribute])*
        #[device_fn(isa = "7.0", arch = sm_80)]
        pub fn $name() -> u64 {
            let value;
            // SAFETY: a register is only read. It is not `pure`, since each read returns another value.
            unsafe {
                core::arch::asm!(
                    concat!("mov.u64 {value}, %", $register, ";"),
                    value = out(reg64) value,
                    options(nostack, preserves_flags),
                )
            }
            value
        }
    )* };
}

clocks! {
    /// Cycles of this multiprocessor.
    #[doc(alias = "get_sreg_clock64")]
    clock64 = "clock64";
    /// Nanoseconds, the same for all; the time between two steps depends on the GPU.
    #[doc(alias = "get_sreg_globaltimer")]
    globaltimer = "globaltimer";
}
