//! The registers of sums, and a product for each number of them.

use super::super::{B1, Bf16, F16, S8, Small, Tf32, U8};

/// A of a product: a matrix descriptor, or the registers of a thread.
pub trait Left: Copy + crate::sealed::Sealed {
    /// True for the descriptor of a matrix in shared memory.
    #[doc(hidden)]
    const IS_SHARED: bool;

    /// Returns the descriptor of the matrix in shared memory.
    #[doc(hidden)]
    fn descriptor(self) -> u64;

    /// Returns the registers with this thread's elements.
    #[doc(hidden)]
    fn registers(self) -> [u32; 4];
}

impl Left for u64 {
    const IS_SHARED: bool = true;

    #[inline(always)]
    fn descriptor(self) -> u64 {
        self
    }

    #[inline(always)]
    fn registers(self) -> [u32; 4] {
        [0; 4]
    }
}

impl crate::sealed::Sealed for [u32; 4] {}

impl Left for [u32; 4] {
    const IS_SHARED: bool = false;

    #[inline(always)]
    fn descriptor(self) -> u64 {
        0
    }

    #[inline(always)]
    fn registers(self) -> [u32; 4] {
        self
    }
}

/// The registers of a thread for the sums of a product of matrices of `A` and `B`.
///
/// Implemented for arrays of `f32` of 4 to 128 elements, of `u32` of 2 to 64, each with two halves, and of
/// `i32`, with the types that PTX ISA 9.7.14.7.3 lists.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot contain the sums of a product of `{A}` and `{B}`",
    label = "the instruction has no such form"
)]
pub trait Sums<A, B>: Sized {
    /// Elements of 16 bits; their K need not be contiguous.
    #[doc(hidden)]
    const IS_HALVES: bool;

    /// Elements with a sign that can be changed.
    #[doc(hidden)]
    const IS_FLOAT: bool;

    /// True for elements that are integers of 8 bits.
    #[doc(hidden)]
    const IS_BYTES: bool;

    /// The number of sparsity selectors, counted from 0; none without a sparse product.
    #[doc(hidden)]
    const SELECTORS: u32;

    /// Emits the instruction for these sums.
    #[doc(hidden)]
    unsafe fn multiply<
        const SCALE_A: i32,
        const SCALE_B: i32,
        const TRANS_A: i32,
        const TRANS_B: i32,
    >(
        self,
        _a: impl Left,
        _b: u64,
        _scale_d: bool,
    ) -> Self {
        self
    }

    /// Emits the instruction with `.satfinite`.
    #[doc(hidden)]
    unsafe fn multiply_satfinite(self, _a: impl Left, _b: u64, _scale_d: bool) -> Self {
        self
    }

    /// Emits the instruction for a sparse A.
    #[doc(hidden)]
    unsafe fn multiply_sparse<
        const SELECTOR: u32,
        const SCALE_A: i32,
        const SCALE_B: i32,
        const TRANS_A: i32,
        const TRANS_B: i32,
    >(
        self,
        _a: impl Left,
        _b: u64,
        _metadata: u32,
        _scale_d: bool,
    ) -> Self {
        self
    }

    /// Emits the instruction with `.satfinite`.
    #[doc(hidden)]
    unsafe fn multiply_sparse_satfinite<const SELECTOR: u32>(
        self,
        _a: impl Left,
        _b: u64,
        _metadata: u32,
        _scale_d: bool,
    ) -> Self {
        self
    }
}

/// The registers of a thread for 64 rows of sums: arrays of `f32` or `i32`, or of `u32` with two halves each.
///
/// They are numbers with a zero of all zero bytes, so that no other type may be one:
///
/// ```compile_fail,E0277
/// use tma::ptx::wgmma::Registers;
///
/// struct Reference(&'static u32);
///
/// impl Registers for Reference {
///     const COLUMNS: usize = 8;
///     fn pinned(self) -> Self {
///         self
///     }
/// }
/// ```
pub trait Registers: Sized + crate::sealed::Array {
    /// The number of columns of the sums.
    #[doc(hidden)]
    const COLUMNS: usize;

    /// Returns the same values, in registers that are not read before or written after this point.
    #[doc(hidden)]
    fn pinned(self) -> Self;
}

/// Without the name of the architecture there is no product: they take the compiler long.
#[cfg(target_arch = "nvptx64")]
pub(super) const IS_COMPILED: bool = cfg!(tma_arch = "sm_90a");

/// Refuses, when the kernel is compiled, numbers that the form does not have.
#[cfg(target_arch = "nvptx64")]
pub(super) const fn assert_immediates<D: Sums<A, B>, A, B>(scales: [i32; 2], trans: [i32; 2]) {
    let mut at = 0;
    while at < 2 {
        let (scale, trans) = (scales[at], trans[at]);
        assert!(scale == 1 || scale == -1, "`imm-scale` is 1 or -1");
        assert!(scale == 1 || D::IS_FLOAT, "integers have no `imm-scale`");
        assert!(trans == 0 || trans == 1, "`imm-trans` is 0 or 1");
        assert!(
            trans == 0 || D::IS_HALVES,
            "only elements of 16 bits have `imm-trans`"
        );
        at += 1;
    }
}

/// Refuses, when the kernel is compiled, a sparsity selector that the form does not have.
#[cfg(target_arch = "nvptx64")]
pub(super) const fn assert_selector<D: Sums<A, B>, A, B>(selector: u32) {
    assert!(D::SELECTORS > 0, "there is no sparse product of bits");
    assert!(
        selector < D::SELECTORS,
        "the sparsity selector is 0 or 1, for elements of 8 bits 0"
    );
}

/// One `asm!`, of `.sp` or empty, the text between N and the list, the registers of the sums, and the text
/// after B and at the end.
#[cfg(tma_arch = "sm_90a")]
macro_rules! product {
    ($b:ident $scale_d:ident; $sparse:literal $n:literal [$($type:literal)+] [$first:ident $($r:ident)*];
        $a:literal $metadata:literal $end:literal $($operands:tt)*) => {
        core::arch::asm!(
            concat!(
                "{{ .reg .pred p; setp.ne.b32 p, {scale_d}, 0; wgmma.mma_async", $sparse, ".sync.aligned.m64n", $n,
                $($type,)+
                " {{ {", stringify!($first), "}", $(", {", stringify!($r), "}",)* " }}, ", $a, ", {b}, ", $metadata,
                "p", $end, "; }}"
            ),
            $first = inout(reg32) $first, $($r = inout(reg32) $r,)*
            b = in(reg64) $b, scale_d = in(reg32) $scale_d as u32,
            $($operands)*
            options(nostack, preserves_flags),
        )
    };
}

macro_rules! registers {
    ($array:ty, $n:literal [$($r:ident)+]) => {
        impl Registers for $array {
            const COLUMNS: usize = $n;

            #[inline(always)]
            fn pinned(self) -> Self {
                #[cfg(tma_arch = "sm_90a")]
                {
                    let [$(mut $r),+] = self;
                    // SAFETY: the text is a comment. As an operand of `asm!` a register has its value here.
                    unsafe {
                        core::arch::asm!(
                            concat!("//", $(" {", stringify!($r), "}"),+),
                            $($r = inout(reg32) $r,)+
                            options(nostack, preserves_flags),
                        );
                    }
                    [$($r),+]
                }
                #[cfg(not(tma_arch = "sm_90a"))]
                self
            }
        }
    };
}

/// Returns whether A is a descriptor.
#[cfg(tma_arch = "sm_90a")]
#[inline(always)]
const fn is_shared<L: Left>(_: &L) -> bool {
    L::IS_SHARED
}

/// The instruction, for a dense or a sparse A, from shared memory or from registers: the end of each, the
/// operands of both and the operands of the first only.
#[cfg(tma_arch = "sm_90a")]
macro_rules! multiply {
    (dense $name:ident $($rest:tt)*) => { multiply! { @emit "" "" [] [] $name $($rest)* } };
    (sparse $name:ident [$($generic:tt)*] $($rest:tt)*) => {
        multiply! { @emit ".sp" "{e}, {f}, " [_metadata: u32,] [e = in(reg32) _metadata, f = const SELECTOR,]
            $name [const SELECTOR: u32, $($generic)*] $($rest)* }
    };
    (@emit $sparse:literal $arguments:literal [$($metadata:tt)*] [$($of_metadata:tt)*]
        $name:ident [$($generic:tt)*] $n:literal [$($r:ident)+] $type:tt $shared:literal $registers:literal
        [$($of_both:tt)*] [$($of_shared:tt)*]) => {
        #[inline(always)]
        unsafe fn $name<$($generic)*>(self, a: impl Left, b: u64, $($metadata)* scale_d: bool) -> Self {
            let [$(mut $r),+] = self;
            // SAFETY: (1) to (5) of `mma_async` hold for these operands, by the caller's promise.
            unsafe {
                if is_shared(&a) {
                    product! { b scale_d; $sparse $n $type [$($r)+]; "{a}" $arguments $shared
                        a = in(reg64) a.descriptor(), $($of_metadata)* $($of_both)* $($of_shared)* }
                } else {
                    let [a0, a1, a2, a3] = a.registers();
                    product! { b scale_d; $sparse $n $type [$($r)+];
                        "{{ {a0}, {a1}, {a2}, {a3} }}" $arguments $registers
                        a0 = in(reg32) a0, a1 = in(reg32) a1, a2 = in(reg32) a2, a3 = in(reg32) a3,
                        $($of_metadata)* $($of_both)* }
                }
            }
            [$($r),+]
        }
    };
}

/// The sums of each type of A and B.
macro_rules! sums {
    ($array:ty, $n:literal $list:tt; $($a:ident $b:ident $kind:ident $type:literal;)+) => {$(
        sums! { @types $kind [$array] $a $b {
            const IS_HALVES: bool = sums!(@is $kind halves);
            const IS_FLOAT: bool = sums!(@is $kind halves) || sums!(@is $kind small) || sums!(@is $kind words);
            const IS_BYTES: bool = sums!(@is $kind bytes);
            const SELECTORS: u32 = sums!(@selectors $kind);

            // Elsewhere the wrappers are refused, and the functions of the trait stand in.
            #[cfg(tma_arch = "sm_90a")]
            sums! { @multiply $kind $n $list $type }
        } }
    )+};
    (@types small [$array:ty] $a:ident $b:ident $body:tt) => {
        impl<$a: Small, $b: Small> Sums<$a, $b> for $array $body
    };
    (@types $kind:ident [$array:ty] $a:ident $b:ident $body:tt) => {
        impl Sums<$a, $b> for $array $body
    };
    (@is halves halves) => { true };
    (@is words words) => { true };
    (@is small small) => { true };
    (@is bytes bytes) => { true };
    (@is $kind:ident $other:ident) => { false };
    (@selectors halves) => { 2 };
    (@selectors words) => { 2 };
    (@selectors bits) => { 0 };
    (@selectors $kind:ident) => { 1 };
    (@multiply halves $n:literal $list:tt $type:literal) => {
        sums! { @both [const SA: i32, const SB: i32, const TA: i32, const TB: i32] $n $list ["k16" "k32" $type]
            ", {sa}, {sb}, {ta}, {tb}" ", {sa}, {sb}, {tb}"
            [sa = const SA, sb = const SB, tb = const TB,] [ta = const TA,] }
    };
    (@multiply words $n:literal $list:tt $type:literal) => {
        sums! { @both [const SA: i32, const SB: i32, const TA: i32, const TB: i32] $n $list ["k8" "k16" $type]
            ", {sa}, {sb}" ", {sa}, {sb}" [sa = const SA, sb = const SB,] [] }
    };
    (@multiply small $n:literal $list:tt $type:literal) => {
        sums! { @both [const SA: i32, const SB: i32, const TA: i32, const TB: i32] $n $list ["k32" "k64" $type]
            ", {sa}, {sb}" ", {sa}, {sb}"
            [sa = const SA, sb = const SB, ae = const A::EXPONENT, am = const A::FRACTION,
                be = const B::EXPONENT, bm = const B::FRACTION,] [] }
    };
    (@multiply bytes $n:literal $list:tt $type:literal) => {
        sums! { @both [const SA: i32, const SB: i32, const TA: i32, const TB: i32] $n $list ["k32" "k64" $type]
            "" "" [] [] }
        multiply! { dense multiply_satfinite [] $n $list ["k32" $type ".satfinite"] "" "" [] [] }
        multiply! { sparse multiply_sparse_satfinite [] $n $list ["k64" $type ".satfinite"] "" "" [] [] }
    };
    (@multiply bits $n:literal $list:tt $type:literal) => {
        multiply! { dense multiply [const SA: i32, const SB: i32, const TA: i32, const TB: i32] $n $list
            ["k256" $type] "" "" [] [] }
    };
    (@both $generic:tt $n:literal $list:tt [$dense:literal $sparse:literal $type:literal] $($rest:tt)*) => {
        multiply! { dense multiply $generic $n $list [$dense $type] $($rest)* }
        multiply! { sparse multiply_sparse $generic $n $list [$sparse $type] $($rest)* }
    };
}

/// The sums of all types for one N.
macro_rules! width {
    ($n:literal $mark:ident [$words:literal $($word:ident)*] [$pairs:literal $($pair:ident)*]) => {
        registers! { [f32; $words], $n [$($word)*] }
        registers! { [i32; $words], $n [$($word)*] }
        registers! { [u32; $pairs], $n [$($pair)*] }
        sums! { [f32; $words], $n [$($word)*];
            F16 F16 halves ".f32.f16.f16";
            Bf16 Bf16 halves ".f32.bf16.bf16";
            Tf32 Tf32 words ".f32.tf32.tf32";
            A B small ".f32.e{ae}m{am}.e{be}m{bm}";
        }
        sums! { [u32; $pairs], $n [$($pair)*];
            F16 F16 halves ".f16.f16.f16";
            A B small ".f16.e{ae}m{am}.e{be}m{bm}";
        }
        width! { @integers $mark $n $words [$($word)*] }
    };
    (@integers floats $n:literal $words:literal $list:tt) => {};
    (@integers any $n:literal $words:literal $list:tt) => {
        sums! { [i32; $words], $n $list;
            S8 S8 bytes ".s32.s8.s8";
            S8 U8 bytes ".s32.s8.u8";
            U8 S8 bytes ".s32.u8.s8";
            U8 U8 bytes ".s32.u8.u8";
            B1 B1 bits ".s32.b1.b1.and.popc";
        }
    };
}

/// Each N has the registers of the one before and some more.
macro_rules! widths {
    ([$($words:tt)*] [$($pairs:tt)*]) => {};
    ([$($words:tt)*] [$($pairs:tt)*]
        ($n:literal $mark:ident [$word_count:literal $($word:tt)*] [$pair_count:literal $($pair:tt)*]) $($rest:tt)*) => {
        width! { $n $mark [$word_count $($words)* $($word)*] [$pair_count $($pairs)* $($pair)*] }
        widths! { [$($words)* $($word)*] [$($pairs)* $($pair)*] $($rest)* }
    };
}

// N, whether integers have it, and the registers that it has more than the N before.
#[rustfmt::skip]
widths! { [] []
    (8 any [4 d0 d1 d2 d3] [2 d0 d1])
    (16 any [8 d4 d5 d6 d7] [4 d2 d3])
    (24 any [12 d8 d9 d10 d11] [6 d4 d5])
    (32 any [16 d12 d13 d14 d15] [8 d6 d7])
    (40 floats [20 d16 d17 d18 d19] [10 d8 d9])
    (48 any [24 d20 d21 d22 d23] [12 d10 d11])
    (56 floats [28 d24 d25 d26 d27] [14 d12 d13])
    (64 any [32 d28 d29 d30 d31] [16 d14 d15])
    (72 floats [36 d32 d33 d34 d35] [18 d16 d17])
    (80 any [40 d36 d37 d38 d39] [20 d18 d19])
    (88 floats [44 d40 d41 d42 d43] [22 d20 d21])
    (96 any [48 d44 d45 d46 d47] [24 d22 d23])
    (104 floats [52 d48 d49 d50 d51] [26 d24 d25])
    (112 any [56 d52 d53 d54 d55] [28 d26 d27])
    (120 floats [60 d56 d57 d58 d59] [30 d28 d29])
    (128 any [64 d60 d61 d62 d63] [32 d30 d31])
    (136 floats [68 d64 d65 d66 d67] [34 d32 d33])
    (144 any [72 d68 d69 d70 d71] [36 d34 d35])
    (152 floats [76 d72 d73 d74 d75] [38 d36 d37])
    (160 any [80 d76 d77 d78 d79] [40 d38 d39])
    (168 floats [84 d80 d81 d82 d83] [42 d40 d41])
    (176 any [88 d84 d85 d86 d87] [44 d42 d43])
    (184 floats [92 d88 d89 d90 d91] [46 d44 d45])
    (192 any [96 d92 d93 d94 d95] [48 d46 d47])
    (200 floats [100 d96 d97 d98 d99] [50 d48 d49])
    (208 any [104 d100 d101 d102 d103] [52 d50 d51])
    (216 floats [108 d104 d105 d106 d107] [54 d52 d53])
    (224 any [112 d108 d109 d110 d111] [56 d54 d55])
    (232 floats [116 d112 d113 d114 d115] [58 d56 d57])
    (240 any [120 d116 d117 d118 d119] [60 d58 d59])
    (248 floats [124 d120 d121 d122 d123] [62 d60 d61])
    (256 any [128 d124 d125 d126 d127] [64 d62 d63])
}
