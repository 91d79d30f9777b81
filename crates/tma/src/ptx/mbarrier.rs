//! `mbarrier`, barriers in shared memory that count arrivals and bytes. PTX ISA 9.7.13.15.
//!
//! `SPACE` in the text of an instruction follows from the type of the address: `.shared::cta` for
//! [`SharedPtr`], `.shared::cluster` for [`ClusterPtr`](crate::ClusterPtr), empty
//! for a raw pointer. A form without semantics and scope is the one with `.release.cta`,
//! `.acquire.cta` or `.relaxed.cta`; `.shared` is `.shared::cta`.

use super::operand::{
    SharedPtr,
    address::{SharedAddress, SharedClusterAddress, SharedCtaAddress},
};
use super::{ArriveSem, MbarrierLayout, MbarrierScope, WaitSem};

/// The 8 opaque bytes of a barrier in shared memory.
///
/// Only the instructions of this module touch barriers; they have no fields.
#[repr(C, align(8))]
pub struct Mbarrier {
    opaque: [u8; 8],
}

/// `mbarrier.init.SPACE.b64 [bar], count;`
///
/// A new barrier: phase 0, `count` arrivals pending and expected in every phase, no bytes
/// expected.
///
/// # Safety
/// 1. `bar` is a multiple of 8 in this block's shared memory and holds no barrier.
/// 2. `count` is 1 to 2^20 - 1.
#[doc(alias("mbarrier_init", "__mbarrier_init"))]
#[device_fn(isa = "7.8, with a generic address 7.0", arch = sm_80)]
pub unsafe fn init(bar: impl SharedCtaAddress<Mbarrier>, count: u32) {
    // SAFETY: the address is aligned, shared and free (1), and the count is in range (2).
    unsafe {
        ptx_asm! { []
            ("mbarrier.init") { space bar } (".b64" " [{bar}], {count};"; count = in(reg32) count)
        }
    }
}

/// `mbarrier.init.L.SPACE.b64 [bar], count;`
///
/// Makes a barrier of a layout: phase 0, `count` arrivals pending and expected in every phase, no bytes
/// expected and no report.
///
/// # Safety
/// 1. `bar` is a multiple of 8 in this block's shared memory and holds no barrier.
/// 2. `count` is 1 to 2^20 - 1, or with `V1` to 2^9 - 1 (PTX ISA 9.4, 9.7.15.16.3), which ptxas
///    13.5 does not check and no GPU has shown.
#[doc(alias = "mbarrier_init")]
#[device_fn(isa = "9.3", arch = sm_90)]
pub unsafe fn init_layout<L: MbarrierLayout>(bar: impl SharedCtaAddress<Mbarrier>, count: u32) {
    // SAFETY: the address is aligned, shared and free (1), and the count is in the layout's range (2).
    unsafe {
        ptx_asm! { []
            ("mbarrier.init") { layout L } { space bar } (".b64" " [{bar}], {count};"; count = in(reg32) count)
        }
    }
}

/// `mbarrier.check_layout.L.SPACE.b64 is, [bar];`
///
/// Does the barrier have this layout?
///
/// # Safety
/// 1. `bar` is an initialised barrier of this block.
#[doc(alias = "mbarrier_check_layout")]
#[device_fn(isa = "9.3", arch = sm_90)]
pub unsafe fn check_layout<L: MbarrierLayout>(bar: impl SharedCtaAddress<Mbarrier>) -> bool {
    let is: u32;
    // SAFETY: the address has an initialised barrier (1), which is only read.
    unsafe {
        ptx_asm! { []
            ("{{ .reg .pred p; mbarrier.check_layout") { layout L } { space bar }
            (".b64" " p, [{bar}]; selp.b32 {is}, 1, 0, p; }}"; is = out(reg32) is)
        }
    }
    is != 0
}

/// `mbarrier.inval.SPACE.b64 [bar];`
///
/// Ends the barrier's life.
///
/// # Safety
/// 1. `bar` is an initialised barrier of this block that no thread uses any more.
#[doc(alias = "mbarrier_inval")]
#[device_fn(isa = "7.8, with a generic address 7.0", arch = sm_80)]
pub unsafe fn inval(bar: impl SharedCtaAddress<Mbarrier>) {
    // SAFETY: the address has an initialised barrier that has no later use (1).
    unsafe {
        ptx_asm! { [] ("mbarrier.inval") { space bar } (".b64" " [{bar}];") }
    }
}

/// `mbarrier.pending_count.b64 count, state;`
///
/// Returns the arrivals that were pending when an arrival returned `state`.
///
/// # Safety
/// 1. `state` came from an arrival.
#[doc(alias = "mbarrier_pending_count")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn pending_count(state: u64) -> u32 {
    let count;
    // SAFETY: the state has the encoding of an arrival (1). No memory is touched.
    unsafe {
        ptx_asm! { [pure nomem]
            ("mbarrier.pending_count.b64" " {count}, {state};"; count = out(reg32) count, state = in(reg64) state)
        }
    }
    count
}

/// Instructions that change the bytes which the current phase waits for.
macro_rules! bytes {
    ($($(#[$attribute:meta])* $name:ident = $mnemonic:literal;)+) => { $(
        #[doc = concat!("`", $mnemonic, ".relaxed.C.SPACE.b64 [bar], bytes;`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block, or of another block of the cluster that has
        ///    not ended, with an arrival of this phase pending.
        /// 2. The bytes that the phase waits for stay within 2^20 - 1 in both directions.
        #[device_fn(isa = "8.0", arch = sm_90)]
        pub unsafe fn $name<C: MbarrierScope>(bar: impl SharedAddress<Mbarrier>, bytes: u32) {
            // SAFETY: the barrier is initialised and its phase cannot complete before this call (1); its byte count
            // stays in range (2).
            unsafe {
                ptx_asm! { []
                    ($mnemonic) (".relaxed") { scope C } { space bar }
                    (".b64" " [{bar}], {bytes};"; bytes = in(reg32) bytes)
                }
            }
        }
    )+ };
}

bytes! {
    /// The current phase waits for `bytes` more bytes.
    #[doc(alias = "mbarrier_expect_tx")]
    expect_tx = "mbarrier.expect_tx";
    /// The current phase waits for `bytes` fewer bytes, as if a copy had brought them.
    #[doc(alias = "mbarrier_complete_tx")]
    complete_tx = "mbarrier.complete_tx";
}

/// Operations on the barriers at one offset in many blocks of the cluster.
macro_rules! multicasts {
    ($($(#[$attribute:meta])* $name:ident = $mnemonic:literal
        $([.sem $sink:literal $sem:ident: $sems:ident])? $([.scope $scope:ident: $scopes:ident])? $number:ident; $condition:literal)+) => {
    $(
        #[doc = concat!("`", $mnemonic, multicasts!(@order $(sem $sem)? $(scope $scope)?),
            ".shared::cluster.multicast::cluster::32b.b64 " $(, $sink)?, "[bar], ",
            stringify!($number), ", mask;`")]
        ///
        $(#[$attribute])*
        ///
        /// The same happens at the barrier at the offset of `bar` in every block of the cluster with a bit in
        /// `mask`.
        ///
        /// # Safety
        /// 1. In every block of the cluster with a bit in `mask`, there is an initialised barrier at the
        ///    offset of `bar`, with an arrival of this phase pending, and the block has not ended.
        #[doc = concat!("2. ", $condition)]
        #[device_fn(isa = "9.4", arch = sm_107a)]
        pub unsafe fn $name<$($sem: $sems,)? $($scope: $scopes,)?>(
            bar: impl SharedClusterAddress<Mbarrier>, $number: u32, mask: u32
        ) {
            // SAFETY: each block of the mask is alive and has a barrier with an arrival pending (1); the number is in
            // range (2).
            unsafe {
                ptx_asm! { []
                    ($mnemonic) $({ sem $sem } (".cluster"))? $((".relaxed") { scope $scope })?
                    (".shared::cluster.multicast::cluster::32b.b64 ") $(($sink))?
                    ("" "[{bar}], {number}, {mask};"; bar = in(reg32) bar.address32(), number = in(reg32) $number,
                        mask = in(reg32) mask)
                }
            }
        }
    )+ };
    (@order sem $sem:ident) => { ".S.cluster" };
    (@order scope $scope:ident) => { ".relaxed.C" };
}

multicasts! {
    /// The current phase waits for `bytes` more bytes.
    expect_tx_multicast_32b = "mbarrier.expect_tx" [.scope C: MbarrierScope] bytes;
        "The bytes that the phase waits for stay within 2^20 - 1 in both directions."
    /// The current phase waits for `bytes` fewer bytes, as if a copy had brought them.
    complete_tx_multicast_32b = "mbarrier.complete_tx" [.scope C: MbarrierScope] bytes;
        "The bytes that the phase waits for stay within 2^20 - 1 in both directions."
    /// Makes `count` arrivals at each barrier.
    arrive_multicast_32b = "mbarrier.arrive" [.sem "_, " S: ArriveSem] count;
        "`count` is 1 to the arrivals of this phase that are pending."
    /// Makes `count` arrivals at each barrier, and expects `count` fewer in every later phase.
    arrive_drop_multicast_32b = "mbarrier.arrive_drop" [.sem "_, " S: ArriveSem] count;
        "`count` is 1 to the arrivals of this phase that are pending."
    /// Expects `bytes` more bytes in this phase, then one arrival.
    arrive_expect_tx_multicast_32b = "mbarrier.arrive.expect_tx" [.sem "_, " S: ArriveSem] bytes;
        "The bytes expected in a phase stay below 2^20."
    /// Expects `bytes` more bytes in this phase, then one arrival, and one fewer in every later phase.
    arrive_drop_expect_tx_multicast_32b = "mbarrier.arrive_drop.expect_tx" [.sem "_, " S: ArriveSem] bytes;
        "The bytes expected in a phase stay below 2^20."
}

/// One of the instructions that arrive, in all its forms. `$also` is its additional effect.
macro_rules! arrivals {
    ($mnemonic:literal, $also:literal,
        $plain:ident $count:ident $sink:ident $sink_count:ident $expect_tx:ident $expect_tx_sink:ident
        $no_complete:ident,
        $plain_alias:literal $expect_tx_alias:literal $no_complete_alias:literal) => {
        #[doc = concat!("`", $mnemonic, ".S.C.SPACE.b64 state, [bar];`")]
        ///
        #[doc = concat!("One arrival", $also, "; returns the phase as a state.")]
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block, with an arrival of this phase pending.
        #[doc(alias = $plain_alias)]
        #[device_fn(isa = "8.0, with `Relaxed` 8.6", arch = sm_90)]
        pub unsafe fn $plain<S: ArriveSem, C: MbarrierScope>(bar: impl SharedCtaAddress<Mbarrier>) -> u64 {
            let state;
            // SAFETY: the barrier is initialised, and its phase counts this arrival (1).
            unsafe {
                ptx_asm! { []
                    ($mnemonic) { sem S } { scope C } { space bar }
                    (".b64" " {state}, [{bar}];"; state = out(reg64) state)
                }
            }
            state
        }

        #[doc = concat!("`", $mnemonic, ".S.C.SPACE.b64 state, [bar], count;`")]
        ///
        #[doc = concat!("`count` arrivals", $also, "; returns the phase as a state.")]
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block.
        /// 2. `count` is 1 to the arrivals of this phase that are pending.
        #[doc(alias = $plain_alias)]
        #[device_fn(isa = "8.0, with `Relaxed` 8.6", arch = sm_90)]
        pub unsafe fn $count<S: ArriveSem, C: MbarrierScope>(
            bar: impl SharedCtaAddress<Mbarrier>, count: u32
        ) -> u64 {
            let state;
            // SAFETY: the barrier is initialised (1), and its phase counts these arrivals (2).
            unsafe {
                ptx_asm! { []
                    ($mnemonic) { sem S } { scope C } { space bar }
                    (".b64" " {state}, [{bar}], {count};"; state = out(reg64) state, count = in(reg32) count)
                }
            }
            state
        }

        #[doc = concat!("`", $mnemonic, ".S.C.SPACE.b64 _, [bar];`")]
        ///
        #[doc = concat!("One arrival", $also, ", perhaps at a barrier of another block.")]
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block, or of another block of the cluster that has
        ///    not ended, with an arrival of this phase pending.
        #[doc(alias = $plain_alias)]
        #[device_fn(isa = "8.0, with `Relaxed` 8.6", arch = sm_90)]
        pub unsafe fn $sink<S: ArriveSem, C: MbarrierScope>(bar: impl SharedAddress<Mbarrier>) {
            // SAFETY: the barrier is initialised in a live block, and its phase counts this arrival (1).
            unsafe {
                ptx_asm! { [] ($mnemonic) { sem S } { scope C } { space bar } (".b64" " _, [{bar}];") }
            }
        }

        #[doc = concat!("`", $mnemonic, ".S.C.SPACE.b64 _, [bar], count;`")]
        ///
        #[doc = concat!("`count` arrivals", $also, ", perhaps at a barrier of another block.")]
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block, or of another block of the cluster that has
        ///    not ended.
        /// 2. `count` is 1 to the arrivals of this phase that are pending.
        #[doc(alias = $plain_alias)]
        #[device_fn(isa = "8.0, with `Relaxed` 8.6", arch = sm_90)]
        pub unsafe fn $sink_count<S: ArriveSem, C: MbarrierScope>(bar: impl SharedAddress<Mbarrier>, count: u32) {
            // SAFETY: the barrier is initialised in a live block (1), and its phase counts these arrivals (2).
            unsafe {
                ptx_asm! { []
                    ($mnemonic) { sem S } { scope C } { space bar }
                    (".b64" " _, [{bar}], {count};"; count = in(reg32) count)
                }
            }
        }

        #[doc = concat!("`", $mnemonic, ".expect_tx.S.C.SPACE.b64 state, [bar], bytes;`")]
        ///
        #[doc = concat!("Expects `bytes` more bytes in this phase, then one arrival", $also,
            "; returns the phase as a state.")]
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block, with an arrival of this phase pending.
        /// 2. The bytes expected in a phase stay below 2^20.
        #[doc(alias = $expect_tx_alias)]
        #[device_fn(isa = "8.0, with `Relaxed` 8.6", arch = sm_90)]
        pub unsafe fn $expect_tx<S: ArriveSem, C: MbarrierScope>(
            bar: impl SharedCtaAddress<Mbarrier>, bytes: u32
        ) -> u64 {
            let state;
            // SAFETY: the barrier is initialised, its phase counts this arrival (1), and its byte count stays in
            // range (2).
            unsafe {
                ptx_asm! { []
                    ($mnemonic) (".expect_tx") { sem S } { scope C } { space bar }
                    (".b64" " {state}, [{bar}], {bytes};"; state = out(reg64) state, bytes = in(reg32) bytes)
                }
            }
            state
        }

        #[doc = concat!("`", $mnemonic, ".expect_tx.S.C.SPACE.b64 _, [bar], bytes;`")]
        ///
        #[doc = concat!("Expects `bytes` more bytes in this phase, then one arrival", $also,
            ", perhaps at a barrier of another block.")]
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block, or of another block of the cluster that has
        ///    not ended, with an arrival of this phase pending.
        /// 2. The bytes expected in a phase stay below 2^20.
        #[doc(alias = $expect_tx_alias)]
        #[device_fn(isa = "8.0, with `Relaxed` 8.6", arch = sm_90)]
        pub unsafe fn $expect_tx_sink<S: ArriveSem, C: MbarrierScope>(
            bar: impl SharedClusterAddress<Mbarrier>, bytes: u32
        ) {
            // SAFETY: the barrier is initialised in a live block, its phase counts this arrival (1), and its byte
            // count stays in range (2).
            unsafe {
                ptx_asm! { []
                    ($mnemonic) (".expect_tx") { sem S } { scope C } { space bar }
                    (".b64" " _, [{bar}], {bytes};"; bytes = in(reg32) bytes)
                }
            }
        }

        #[doc = concat!("`", $mnemonic, ".noComplete.release.cta.SPACE.b64 state, [bar], count;`")]
        ///
        #[doc = concat!("`count` arrivals", $also,
            " that do not complete the phase; returns the phase as a state.")]
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block.
        /// 2. `count` is at least 1 and below the arrivals of this phase that are pending.
        #[doc(alias = $no_complete_alias)]
        #[device_fn(isa = "8.0", arch = sm_80)]
        pub unsafe fn $no_complete(bar: impl SharedCtaAddress<Mbarrier>, count: u32) -> u64 {
            let state;
            // SAFETY: the barrier is initialised (1), and these arrivals do not complete its phase (2).
            unsafe {
                ptx_asm! { []
                    ($mnemonic) (".noComplete.release.cta") { space bar }
                    (".b64" " {state}, [{bar}], {count};"; state = out(reg64) state, count = in(reg32) count)
                }
            }
            state
        }
    };
}

arrivals! {
    "mbarrier.arrive", "",
    arrive arrive_count arrive_sink arrive_sink_count arrive_expect_tx arrive_expect_tx_sink arrive_no_complete,
    "mbarrier_arrive" "mbarrier_arrive_expect_tx" "mbarrier_arrive_no_complete"
}

arrivals! {
    "mbarrier.arrive_drop", ", and as many fewer in every later phase",
    arrive_drop arrive_drop_count arrive_drop_sink arrive_drop_sink_count arrive_drop_expect_tx
    arrive_drop_expect_tx_sink arrive_drop_no_complete,
    "mbarrier_arrive_drop" "mbarrier_arrive_drop_expect_tx" "mbarrier_arrive_drop_no_complete"
}

/// Instructions that test whether a phase has completed, by its state or by its parity.
macro_rules! waits {
    ($($(#[$attribute:meta])* $name:ident = $mnemonic:literal, $phase:ident: $type:ty, $class:ident
        $(, $hint:ident)?; isa $isa:literal on $arch:ident; $condition:literal)+) => { $(
        #[doc = concat!("`", $mnemonic, ".S.C.SPACE.b64 done, [bar], ", stringify!($phase)
            $(, ", ", stringify!($hint))?, ";`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block.
        #[doc = concat!("2. `", stringify!($phase), "` ", $condition)]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<S: WaitSem, C: MbarrierScope>(
            bar: impl SharedCtaAddress<Mbarrier>, $phase: $type $(, $hint: u32)?
        ) -> bool {
            let done: u32;
            // SAFETY: the barrier is initialised (1), and the phase waited for is the current or the last one (2).
            unsafe {
                ptx_asm! { []
                    ("{{ .reg .pred p; ") ($mnemonic) { sem S } { scope C } { space bar }
                    (".b64" " p, [{bar}], {phase}"; phase = in($class) $phase)
                    $(("" ", {hint}"; hint = in(reg32) $hint))?
                    ("" "; selp.b32 {done}, 1, 0, p; }}"; done = out(reg32) done)
                }
            }
            done != 0
        }
    )+ };
}

waits! {
    /// Returns whether the phase of `state` has completed.
    #[doc(alias = "mbarrier_test_wait")]
    test_wait = "mbarrier.test_wait", state: u64, reg64;
        isa "8.0, with `Relaxed` 8.6" on sm_90; "came from an arrival of its current or last phase."
    /// Returns whether the phase of this parity has completed.
    #[doc(alias = "mbarrier_test_wait_parity")]
    test_wait_parity = "mbarrier.test_wait.parity", parity: u32, reg32;
        isa "8.0, with `Relaxed` 8.6" on sm_90; "is 0 or 1, the parity of the current or the last phase."
    /// Returns whether the phase of `state` has completed. May sleep a while before it returns `false`.
    #[doc(alias("mbarrier_try_wait", "__mbarrier_try_wait"))]
    try_wait = "mbarrier.try_wait", state: u64, reg64;
        isa "8.0, with `Relaxed` 8.6" on sm_90; "came from an arrival of its current or last phase."
    /// Returns whether the phase of `state` has completed. May sleep up to about `nanoseconds` before that.
    #[doc(alias("mbarrier_try_wait", "__mbarrier_try_wait"))]
    try_wait_suspend_hint = "mbarrier.try_wait", state: u64, reg64, nanoseconds;
        isa "8.0, with `Relaxed` 8.6" on sm_90; "came from an arrival of its current or last phase."
    /// Returns whether the phase of this parity has completed. May sleep a while before it returns `false`.
    #[doc(alias = "mbarrier_try_wait_parity")]
    try_wait_parity = "mbarrier.try_wait.parity", parity: u32, reg32;
        isa "8.0, with `Relaxed` 8.6" on sm_90; "is 0 or 1, the parity of the current or the last phase."
    /// Returns whether the phase of this parity has completed. May sleep up to about `nanoseconds` before that.
    #[doc(alias = "mbarrier_try_wait_parity")]
    try_wait_parity_suspend_hint = "mbarrier.try_wait.parity", parity: u32, reg32, nanoseconds;
        isa "8.0, with `Relaxed` 8.6" on sm_90; "is 0 or 1, the parity of the current or the last phase."
}

/// The state of a phase, and the report of its barrier.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    /// True if the phase has completed. Until then the other fields have no meaning.
    pub is_done: bool,
    /// True if an error was reported, so that the conditional phase has not advanced.
    pub is_reported: bool,
    /// The report; 0 if it was not requested.
    pub value: u8,
}

/// Instructions that test a phase and return its report. Brackets contain the way in which the report is
/// returned and read.
macro_rules! reports {
    ($($name:ident = $mnemonic:literal, $phase:ident: $type:ty, $class:ident
        $([$value:ident $report:literal $read:literal])?; $condition:literal)+) => { $(
        #[doc = concat!("`", $mnemonic, ".phase_type::primary.S.C.shared::cta.b64 done|reported"
            $(, ", ", stringify!($value))?, ", [bar], ", stringify!($phase), ";`")]
        ///
        #[doc = concat!("Returns whether the phase of this `", stringify!($phase), "` has completed, and whether a copy reported an error.")]
        /// A barrier of the layout v0 reports no bytes.
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block.
        #[doc = concat!("2. `", stringify!($phase), "` ", $condition)]
        #[doc(alias("mbarrier_test_wait", "mbarrier_try_wait"))]
        #[device_fn(isa = "9.3", arch = sm_90)]
        pub unsafe fn $name<S: WaitSem, C: MbarrierScope>(bar: SharedPtr<Mbarrier>, $phase: $type) -> Reported {
            let (done, reported): (u32, u32);
            $(let $value: u32;)?
            // SAFETY: the barrier is initialised (1), and the phase waited for is the current or the last one (2).
            unsafe {
                ptx_asm! { []
                    ("{{ .reg .pred p, r; .reg .b8 v; ") ($mnemonic) (".phase_type::primary")
                    { sem S } { scope C } (".shared::cta.b64" " p|r") $(("" $report))?
                    ("" ", [{bar}], {phase}; selp.b32 {done}, 1, 0, p; selp.b32 {reported}, 1, 0, r;";
                        bar = in(reg32) bar.address(), phase = in($class) $phase, done = out(reg32) done,
                        reported = out(reg32) reported)
                    $(("" $read; value = out(reg32) $value))?
                    ("" " }}")
                }
            }
            Reported { is_done: done != 0, is_reported: reported != 0, value: reports!(@value $($value)?) as u8 }
        }
    )+ };
    (@value $value:ident) => { $value };
    (@value) => { 0_u32 };
}

reports! {
    test_wait_phase_type_primary = "mbarrier.test_wait", state: u64, reg64;
        "came from an arrival of its current or last phase."
    test_wait_phase_type_primary_value = "mbarrier.test_wait", state: u64, reg64
        [value ", v" " cvt.u32.u8 {value}, v;"]; "came from an arrival of its current or last phase."
    try_wait_phase_type_primary = "mbarrier.try_wait", state: u64, reg64;
        "came from an arrival of its current or last phase."
    try_wait_phase_type_primary_value = "mbarrier.try_wait", state: u64, reg64
        [value ", v" " cvt.u32.u8 {value}, v;"]; "came from an arrival of its current or last phase."
    test_wait_parity_phase_type_primary = "mbarrier.test_wait.parity", parity: u32, reg32;
        "is 0 or 1, the parity of the current or the last phase."
    test_wait_parity_phase_type_primary_value = "mbarrier.test_wait.parity", parity: u32, reg32
        [value ", v" " cvt.u32.u8 {value}, v;"]; "is 0 or 1, the parity of the current or the last phase."
    try_wait_parity_phase_type_primary = "mbarrier.try_wait.parity", parity: u32, reg32;
        "is 0 or 1, the parity of the current or the last phase."
    try_wait_parity_phase_type_primary_value = "mbarrier.try_wait.parity", parity: u32, reg32
        [value ", v" " cvt.u32.u8 {value}, v;"]; "is 0 or 1, the parity of the current or the last phase."
}

/// Instructions that test a conditional phase.
macro_rules! conditional {
    ($($name:ident = $mnemonic:literal;)+) => { $(
        #[doc = concat!("`", $mnemonic, ".parity.phase_type::conditional.S.C.shared::cta.b64 done, [bar], parity;`")]
        ///
        /// Returns whether the conditional phase of this parity has completed. The conditional phase lags the primary
        /// one by each phase in which a copy reported something.
        ///
        /// # Safety
        /// 1. `bar` is an initialised barrier of this block.
        /// 2. `parity` is 0 or 1, the parity of the current or the last conditional phase.
        #[doc(alias("mbarrier_test_wait_parity", "mbarrier_try_wait_parity"))]
        #[device_fn(isa = "9.3", arch = sm_90)]
        pub unsafe fn $name<S: WaitSem, C: MbarrierScope>(bar: SharedPtr<Mbarrier>, parity: u32) -> bool {
            let done: u32;
            // SAFETY: the barrier is initialised (1), and the parity is that of the current or the last conditional
            // phase (2).
            unsafe {
                ptx_asm! { []
                    ("{{ .reg .pred p; ") ($mnemonic) (".parity.phase_type::conditional") { sem S } { scope C }
                    (".shared::cta.b64" " p, [{bar}], {parity}; selp.b32 {done}, 1, 0, p; }}";
                        bar = in(reg32) bar.address(), parity = in(reg32) parity, done = out(reg32) done)
                }
            }
            done != 0
        }
    )+ };
}

conditional! {
    test_wait_parity_phase_type_conditional = "mbarrier.test_wait";
    try_wait_parity_phase_type_conditional = "mbarrier.try_wait";
}
