//! `setmaxnreg`, registers that warpgroups hand to each other. PTX ISA 9.7.19.5.

/// Refuses, when the kernel is compiled, numbers that the instruction does not take.
pub(crate) const fn assert_registers(registers: u32) {
    assert!(
        24 <= registers && registers <= 256 && registers.is_multiple_of(8),
        "`setmaxnreg` takes multiples of 8 from 24 to 256"
    );
}

/// Changes in one direction or the other.
macro_rules! changes {
    ($($(#[$attribute:meta])* $name:ident = $mnemonic:literal, $intrinsic:ident, $condition:literal;)+) => {
    $(
        #[doc = concat!("`", $mnemonic, " REGISTERS;`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        /// 1. All threads of the warpgroup reach this same call, those of a warp together, and
        ///    synchronise before the next one.
        /// 2. The kernel was launched with a number of registers that is known when it is compiled
        ///    (`.maxnreg`).
        #[doc = concat!("3. ", $condition)]
        #[device_fn(isa = "8.0", arch = sm_90a)]
        pub unsafe fn $name<const REGISTERS: u32>() {
            const { assert_registers(REGISTERS) };
            // SAFETY: the warpgroup takes part as a whole (1) in a kernel with a known register count (2), which the
            // change respects (3).
            unsafe { crate::ptx::intrinsics::$intrinsic(REGISTERS) }
        }
    )+ };
}

changes! {
    /// Waits until the block has enough spare registers, and raises the registers of each thread of the warp
    /// to `REGISTERS`.
    #[doc(alias = "warpgroup_reg_alloc")]
    inc_sync_aligned = "setmaxnreg.inc.sync.aligned.u32", setmaxnreg_inc_sync_aligned,
        "The warp has at most `REGISTERS` registers a thread before.";
    /// Releases the registers above `REGISTERS` of each thread of the warp.
    #[doc(alias = "warpgroup_reg_dealloc")]
    dec_sync_aligned = "setmaxnreg.dec.sync.aligned.u32", setmaxnreg_dec_sync_aligned,
        "The warp has at least `REGISTERS` registers a thread before.";
}
