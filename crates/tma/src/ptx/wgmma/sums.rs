//! The registers of sums, and a product for each number of them.

use crate::modifier::{B1, Bf16, E4m3, E5m2, F16, S8, Tf32, U8};

/// A of a product: a matrix descriptor, or the registers of a thread.
pub trait Left: Copy + crate::sealed::Sealed {
    /// Whether it is a descriptor.
    #[doc(hidden)]
    const IS_SHARED: bool;

    /// The descriptor.
    #[doc(hidden)]
    fn descriptor(self) -> u64;

    /// The registers.
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
/// It is there for arrays of `f32` of 4 to 128 elements, of `u32` of 2 to 64, each with two halves, and of
/// `i32`, with the types that PTX ISA 9.7.14.7.3 lists.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what a product of `{A}` and `{B}` has",
    label = "the instruction has no such form"
)]
pub trait Sums<A, B>: Sized {
    /// Elements of 16 bits, of which K need not lie together.
    #[doc(hidden)]
    const IS_HALVES: bool;

    /// Elements whose sign can be changed.
    #[doc(hidden)]
    const IS_FLOAT: bool;

    /// Bytes that are numbers.
    #[doc(hidden)]
    const IS_BYTES: bool;

    /// The instruction.
    #[doc(hidden)]
    unsafe fn multiply<
        const SCALE_A: i32,
        const SCALE_B: i32,
        const TRANS_A: i32,
        const TRANS_B: i32,
    >(
        self,
        a: impl Left,
        b: u64,
        scale_d: bool,
    ) -> Self;

    /// The same with `.satfinite`.
    #[doc(hidden)]
    unsafe fn multiply_satfinite(self, _a: impl Left, _b: u64, _scale_d: bool) -> Self {
        self
    }
}

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

/// One `asm!`, of the text between the shape and the list, the registers of the sums, and what comes last.
#[cfg(target_arch = "nvptx64")]
macro_rules! product {
    ($d:ident $b:ident $scale_d:ident; $n:literal $type:literal [$first:ident $zero:tt $($r:ident $i:tt)*];
        $a:literal $end:literal $($operands:tt)*) => {
        core::arch::asm!(
            concat!(
                "{{ .reg .pred p; setp.ne.b32 p, {scale_d}, 0; wgmma.mma_async.sync.aligned.m64n", $n, $type,
                " {{ {", stringify!($first), "}", $(", {", stringify!($r), "}",)* " }}, ", $a, ", {b}, p",
                $end, "; }}"
            ),
            $first = inout(reg32) $d[$zero], $($r = inout(reg32) $d[$i],)*
            b = in(reg64) $b, scale_d = in(reg32) $scale_d as u32,
            $($operands)*
            options(nostack, preserves_flags),
        )
    };
}

/// Whether A is a descriptor.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
const fn is_shared<L: Left>(_: &L) -> bool {
    L::IS_SHARED
}

/// A product with A from shared memory or from registers.
#[cfg(target_arch = "nvptx64")]
macro_rules! either {
    ($d:ident $a:ident $b:ident $scale_d:ident; $n:literal $type:literal $list:tt;
        [$shared:literal $($of_shared:tt)*] [$registers:literal $($of_registers:tt)*]) => {
        if is_shared(&$a) {
            product! { $d $b $scale_d; $n $type $list; "{a}" $shared a = in(reg64) $a.descriptor(), $($of_shared)* }
        } else {
            let [a0, a1, a2, a3] = $a.registers();
            product! { $d $b $scale_d; $n $type $list; "{{ {a0}, {a1}, {a2}, {a3} }}" $registers
                a0 = in(reg32) a0, a1 = in(reg32) a1, a2 = in(reg32) a2, a3 = in(reg32) a3, $($of_registers)* }
        }
    };
}

/// The sums of one type of `A` and `B`; what follows are the constants, the text and the operands.
macro_rules! sums {
    ($array:ty, $n:literal $list:tt; $($a:ident $b:ident $type:literal $kind:ident;)+) => {$(
        impl Sums<$a, $b> for $array {
            const IS_HALVES: bool = sums!(@is $kind halves);
            const IS_FLOAT: bool = sums!(@is $kind halves) || sums!(@is $kind floats);
            const IS_BYTES: bool = sums!(@is $kind bytes);

            sums! { @multiply $kind $n $list $type }
        }
    )+};
    (@is halves halves) => { true };
    (@is floats floats) => { true };
    (@is bytes bytes) => { true };
    (@is $kind:ident $other:ident) => { false };
    (@multiply halves $n:literal $list:tt $type:literal) => {
        sums! { @function multiply [const SA: i32, const SB: i32, const TA: i32, const TB: i32] $n $list $type
            [", {sa}, {sb}, {ta}, {tb}" sa = const SA, sb = const SB, ta = const TA, tb = const TB,]
            [", {sa}, {sb}, {tb}" sa = const SA, sb = const SB, tb = const TB,] }
    };
    (@multiply floats $n:literal $list:tt $type:literal) => {
        sums! { @function multiply [const SA: i32, const SB: i32, const TA: i32, const TB: i32] $n $list $type
            [", {sa}, {sb}" sa = const SA, sb = const SB,] [", {sa}, {sb}" sa = const SA, sb = const SB,] }
    };
    (@multiply bytes $n:literal $list:tt $type:literal) => {
        sums! { @multiply bits $n $list $type }
        sums! { @function multiply_satfinite [] $n $list $type [".satfinite" ] [".satfinite" ] }
    };
    (@multiply bits $n:literal $list:tt $type:literal) => {
        sums! { @function multiply [const SA: i32, const SB: i32, const TA: i32, const TB: i32] $n $list $type
            ["" ] ["" ] }
    };
    (@function $name:ident [$($generic:tt)*] $n:literal $list:tt $type:literal $shared:tt $registers:tt) => {
        #[inline(always)]
        unsafe fn $name<$($generic)*>(self, a: impl Left, b: u64, scale_d: bool) -> Self {
            #[cfg(target_arch = "nvptx64")]
            {
                let mut d = self;
                // SAFETY: the conditions of `mma_async` are the caller's.
                unsafe { either! { d a b scale_d; $n $type $list; $shared $registers } }
                d
            }
            #[cfg(not(target_arch = "nvptx64"))]
            {
                let _ = (a, b, scale_d);
                self
            }
        }
    };
}

/// The sums of all types for one N.
macro_rules! width {
    ($n:literal $mark:ident [$words:literal $($word:tt)*] [$pairs:literal $($pair:tt)*]) => {
        sums! { [f32; $words], $n [$($word)*];
            F16 F16 "k16.f32.f16.f16" halves;
            Bf16 Bf16 "k16.f32.bf16.bf16" halves;
            Tf32 Tf32 "k8.f32.tf32.tf32" floats;
            E4m3 E4m3 "k32.f32.e4m3.e4m3" floats;
            E4m3 E5m2 "k32.f32.e4m3.e5m2" floats;
            E5m2 E4m3 "k32.f32.e5m2.e4m3" floats;
            E5m2 E5m2 "k32.f32.e5m2.e5m2" floats;
        }
        sums! { [u32; $pairs], $n [$($pair)*];
            F16 F16 "k16.f16.f16.f16" halves;
            E4m3 E4m3 "k32.f16.e4m3.e4m3" floats;
            E4m3 E5m2 "k32.f16.e4m3.e5m2" floats;
            E5m2 E4m3 "k32.f16.e5m2.e4m3" floats;
            E5m2 E5m2 "k32.f16.e5m2.e5m2" floats;
        }
        width! { @integers $mark $n $words [$($word)*] }
    };
    (@integers floats $n:literal $words:literal $list:tt) => {};
    (@integers any $n:literal $words:literal $list:tt) => {
        sums! { [i32; $words], $n $list;
            S8 S8 "k32.s32.s8.s8" bytes;
            S8 U8 "k32.s32.s8.u8" bytes;
            U8 S8 "k32.s32.u8.s8" bytes;
            U8 U8 "k32.s32.u8.u8" bytes;
            B1 B1 "k256.s32.b1.b1.and.popc" bits;
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
    (8 any [4 d0 0 d1 1 d2 2 d3 3] [2 d0 0 d1 1])
    (16 any [8 d4 4 d5 5 d6 6 d7 7] [4 d2 2 d3 3])
    (24 any [12 d8 8 d9 9 d10 10 d11 11] [6 d4 4 d5 5])
    (32 any [16 d12 12 d13 13 d14 14 d15 15] [8 d6 6 d7 7])
    (40 floats [20 d16 16 d17 17 d18 18 d19 19] [10 d8 8 d9 9])
    (48 any [24 d20 20 d21 21 d22 22 d23 23] [12 d10 10 d11 11])
    (56 floats [28 d24 24 d25 25 d26 26 d27 27] [14 d12 12 d13 13])
    (64 any [32 d28 28 d29 29 d30 30 d31 31] [16 d14 14 d15 15])
    (72 floats [36 d32 32 d33 33 d34 34 d35 35] [18 d16 16 d17 17])
    (80 any [40 d36 36 d37 37 d38 38 d39 39] [20 d18 18 d19 19])
    (88 floats [44 d40 40 d41 41 d42 42 d43 43] [22 d20 20 d21 21])
    (96 any [48 d44 44 d45 45 d46 46 d47 47] [24 d22 22 d23 23])
    (104 floats [52 d48 48 d49 49 d50 50 d51 51] [26 d24 24 d25 25])
    (112 any [56 d52 52 d53 53 d54 54 d55 55] [28 d26 26 d27 27])
    (120 floats [60 d56 56 d57 57 d58 58 d59 59] [30 d28 28 d29 29])
    (128 any [64 d60 60 d61 61 d62 62 d63 63] [32 d30 30 d31 31])
    (136 floats [68 d64 64 d65 65 d66 66 d67 67] [34 d32 32 d33 33])
    (144 any [72 d68 68 d69 69 d70 70 d71 71] [36 d34 34 d35 35])
    (152 floats [76 d72 72 d73 73 d74 74 d75 75] [38 d36 36 d37 37])
    (160 any [80 d76 76 d77 77 d78 78 d79 79] [40 d38 38 d39 39])
    (168 floats [84 d80 80 d81 81 d82 82 d83 83] [42 d40 40 d41 41])
    (176 any [88 d84 84 d85 85 d86 86 d87 87] [44 d42 42 d43 43])
    (184 floats [92 d88 88 d89 89 d90 90 d91 91] [46 d44 44 d45 45])
    (192 any [96 d92 92 d93 93 d94 94 d95 95] [48 d46 46 d47 47])
    (200 floats [100 d96 96 d97 97 d98 98 d99 99] [50 d48 48 d49 49])
    (208 any [104 d100 100 d101 101 d102 102 d103 103] [52 d50 50 d51 51])
    (216 floats [108 d104 104 d105 105 d106 106 d107 107] [54 d52 52 d53 53])
    (224 any [112 d108 108 d109 109 d110 110 d111 111] [56 d54 54 d55 55])
    (232 floats [116 d112 112 d113 113 d114 114 d115 115] [58 d56 56 d57 57])
    (240 any [120 d116 116 d117 117 d118 118 d119 119] [60 d58 58 d59 59])
    (248 floats [124 d120 120 d121 121 d122 122 d123 123] [62 d60 60 d61 61])
    (256 any [128 d124 124 d125 125 d126 126 d127 127] [64 d62 62 d63 63])
}
