//! `mma`, products of matrices in the registers of a warp. PTX ISA 9.7.14.5.14, 9.7.14.6.
//!
//! The sections 9.7.14.5.1 to 9.7.14.5.13 list the elements of each register. Registers of 32 bits are
//! `u32` where they hold several elements, or one of tf32.
//!
//! LLVM's intrinsics for half precision take vectors, which Rust cannot pass, and intrinsics for fp8 need a
//! later PTX version of the whole module, as intrinsics for ordered metadata do. Sparse products, and products of
//! formats with names as type parameters, are one function for several intrinsics, and assembly, too;
//! [`tensormap_cp_fenceproxy`](super::tensormap_cp_fenceproxy) explains the cost of assembly.

#[cfg(target_arch = "nvptx64")]
use super::Word;
use super::{Metadata, Narrow, Small};

/// Counts the parts.
macro_rules! count {
    ($($part:ident)+) => { [$(count!(@unit $part)),+].len() };
    (@unit $part:ident) => { () };
}

/// Products with operands in the same registers: A, B and C, and D. Each row has its way of
/// emitting the instruction after the text.
macro_rules! products {
    ($way:ident; $(isa $isa:literal on $arch:ident: $a:tt $b:tt $c:tt -> $d:tt {
        $($name:ident = $text:literal $(, $intrinsic:literal)?;)+
    })+) => {$(
        products! { @each $way $isa $arch [$a $b $c $d] $($name = $text $(, $intrinsic)?;)+ }
    )+};
    (@each $way:ident $isa:literal $arch:ident $registers:tt
        $($name:ident = $text:literal $(, $intrinsic:literal)?;)+) => {
        $(products! { @one $way $isa $arch $registers $name = $text $(, $intrinsic)? })+
    };
    (@one $way:ident $isa:literal $arch:ident
        [($a:ident $($a_part:ident)+) ($b:ident $($b_part:ident)+) ($c:ident $($c_part:ident)+)
            ($d:ident $($d_part:ident)+)]
        $name:ident = $text:literal $(, $intrinsic:literal)?) => {
        #[doc = concat!("`", $text, " result, a, b, c;` — `a * b + c`.")]
        ///
        /// # Safety
        /// 1. All threads of the warp reach this same call together.
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name(
            a: [$a; count!($($a_part)+)], b: [$b; count!($($b_part)+)], c: [$c; count!($($c_part)+)],
        ) -> [$d; count!($($d_part)+)] {
            let ([$($a_part),+], [$($b_part),+], [$($c_part),+]) = (a, b, c);
            $way! { $text [$($intrinsic)?] ($a $($a_part)+) ($b $($b_part)+) ($c $($c_part)+) ($d $($d_part)+) }
            [$($d_part),+]
        }
    };
}

/// An intrinsic, which has each register by itself.
#[cfg(target_arch = "nvptx64")]
macro_rules! intrinsic {
    ($text:literal [$intrinsic:literal] ($a:ident $($a_part:ident)+) ($b:ident $($b_part:ident)+)
        ($c:ident $($c_part:ident)+) ($d:ident $($d_part:ident)+)) => {
        #[allow(improper_ctypes, reason = "they are LLVM values, not C ones")]
        unsafe extern "unadjusted" {
            #[link_name = $intrinsic]
            fn intrinsic($($a_part: $a,)+ $($b_part: $b,)+ $($c_part: $c,)+) -> ($(intrinsic!(@$d_part $d),)+);
        }
        // SAFETY: the whole warp takes part in the product (1); its operands are registers.
        let ($($d_part,)+) = unsafe { intrinsic($($a_part,)+ $($b_part,)+ $($c_part,)+) };
    };
    (@$part:ident $type:ident) => { $type };
}

/// Assembly, for a product in registers of 32 bits, or of another class.
#[cfg(target_arch = "nvptx64")]
macro_rules! assembly {
    ($text:literal [] $a:tt $b:tt $c:tt ($d:ident $($d_part:ident)+)) => {
        let [$($d_part),+] = assembly! { @emit reg32 [$text] [] [] $a $b $c ($d $($d_part)+) };
    };
    // The text before D and after C, and its other operands.
    (@emit $class:ident [$($text:expr),+] [$($end:expr),* $(,)?] [$($operands:tt)*] ($a:ident $($a_part:ident)+)
        ($b:ident $($b_part:ident)+) ($c:ident $($c_part:ident)+) ($d:ident $($d_part:ident)+)) => {{
        $(let $d_part: $d;)+
        // SAFETY: the whole warp takes part in the product (1); its operands are registers, and the empty lines of
        // `weigh_down!` contain no instructions.
        unsafe {
            weigh_down!("" "" "" "" "" "" "" "" "" "");
            core::arch::asm!(
                concat!($($text,)+ " ", assembly!(@list $($d_part)+), ", ", assembly!(@list $($a_part)+), ", ",
                    assembly!(@list $($b_part)+), ", ", assembly!(@list $($c_part)+), $($end,)* ";"),
                $($d_part = out($class) $d_part,)+ $($a_part = in($class) $a_part,)+
                $($b_part = in($class) $b_part,)+ $($c_part = in($class) $c_part,)+
                $($operands)*
                options(nostack, preserves_flags),
            );
        }
        [$($d_part),+]
    }};
    (@list $first:ident $($part:ident)*) => {
        concat!("{{ {", stringify!($first), "}", $(", {", stringify!($part), "}",)* " }}")
    };
}

/// Assembly, of a product of double precision.
#[cfg(target_arch = "nvptx64")]
macro_rules! wide_assembly {
    ($text:literal [] $a:tt $b:tt $c:tt ($d:ident $($d_part:ident)+)) => {
        let [$($d_part),+] = assembly! { @emit reg64 [$text] [] [] $a $b $c ($d $($d_part)+) };
    };
}

/// Products of a sparse A. The greatest sparsity selector comes before the registers.
macro_rules! sparse {
    ($(isa $isa:literal on $arch:ident, selectors to $most:literal: $a:tt $b:tt $c:tt -> $d:tt {
        $($name:ident = $text:literal;)+
    })+) => {$(
        sparse! { @each $isa $arch $most [$a $b $c $d] $($name = $text;)+ }
    )+};
    (@each $isa:literal $arch:ident $most:literal $registers:tt $($name:ident = $text:literal;)+) => {
        $(sparse! { @one $isa $arch $most $registers $name = $text })+
    };
    (@one $isa:literal $arch:ident $most:literal
        [($a:ident $($a_part:ident)+) ($b:ident $($b_part:ident)+) ($c:ident $($c_part:ident)+)
            ($d:ident $($d_part:ident)+)]
        $name:ident = $text:literal) => {
        #[doc = concat!("`mma.M.sync.aligned.", $text, " result, a, b, c, metadata, SELECTOR;` — `a * b + c`,")]
        /// where A has the elements that `metadata` names, and the others are zeros.
        ///
        /// # Safety
        /// 1. All threads of the warp reach this same call together.
        /// 2. The `metadata` of the lanes that `SELECTOR` chooses is as PTX ISA 9.7.14.6 has it.
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<M: Metadata, const SELECTOR: u32>(
            a: [$a; count!($($a_part)+)], b: [$b; count!($($b_part)+)], c: [$c; count!($($c_part)+)],
            metadata: u32,
        ) -> [$d; count!($($d_part)+)] {
            const { assert!(SELECTOR <= $most, concat!("the sparsity selector is at most ", $most)) };
            let ([$($a_part),+], [$($b_part),+], [$($c_part),+]) = (a, b, c);
            match M::WORD {
                Word::OrderedMetadata => sparse! { @emit "mma.sp::ordered_metadata.sync.aligned." $text
                    metadata ($a $($a_part)+) ($b $($b_part)+) ($c $($c_part)+) ($d $($d_part)+) },
                _ => sparse! { @emit "mma.sp.sync.aligned." $text
                    metadata ($a $($a_part)+) ($b $($b_part)+) ($c $($c_part)+) ($d $($d_part)+) },
            }
        }
    };
    (@emit $head:literal $text:literal $metadata:ident $a:tt $b:tt $c:tt $d:tt) => {
        assembly! { @emit reg32 [$head, $text] [", {metadata}, {selector}"]
            [metadata = in(reg32) $metadata, selector = const SELECTOR,] $a $b $c $d }
    };
}

/// Products of formats of 4 to 8 bits: the text before and after the formats, and the registers, with the registers
/// of metadata if A is sparse. If some architectures have formats of 8 bits only, the row names the others.
macro_rules! narrow {
    ($($name:ident [$choice:ident] = $head:literal $tail:literal isa $isa:literal on $arch:ident
        $(, of 4 and 6 bits on $more:ident)?:
        ($a:ident $($a_part:ident)+) ($b:ident $($b_part:ident)+) ($c:ident $($c_part:ident)+)
        -> ($d:ident $($d_part:ident)+) $($metadata:ident)?;)+) => { $(
        #[doc = concat!("`", $head, "A.B", $tail, " result, a, b, c", $(", ", stringify!($metadata), ", 0",)?
            ";` — `a * b + c`.")]
        $(
            #[doc = concat!("Formats of 4 and 6 bits: ", architectures!(names $more), ".")]
            ///
        )?
        /// # Safety
        /// 1. All threads of the warp reach this same call together.
        $(#[doc = concat!("2. `", stringify!($metadata), "` is as PTX ISA 9.7.14.6 has it.")])?
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<A: $choice, B: $choice>(
            a: [$a; count!($($a_part)+)], b: [$b; count!($($b_part)+)], c: [$c; count!($($c_part)+)],
            $($metadata: u32)?
        ) -> [$d; count!($($d_part)+)] {
            $(gate!([A::EXPONENT + A::FRACTION < 7 || B::EXPONENT + B::FRACTION < 7]
                concat!(module_path!(), "::", stringify!($name), "::<A, B>"), $more);)?
            let ([$($a_part),+], [$($b_part),+], [$($c_part),+]) = (a, b, c);
            assembly! { @emit reg32 [$head, "e{ae}m{am}.e{be}m{bm}", $tail]
                [$(concat!(", {", stringify!($metadata), "}, 0"))?]
                [ae = const A::EXPONENT, am = const A::FRACTION, be = const B::EXPONENT, bm = const B::FRACTION,
                    $($metadata = in(reg32) $metadata,)?]
                ($a $($a_part)+) ($b $($b_part)+) ($c $($c_part)+) ($d $($d_part)+) }
        }
    )+ };
}

/// Products with scales of the rows of A and the columns of B. The numbers are the ones that the first byte of a scale
/// in its register can have, as bits and in words.
macro_rules! scaled {
    ($(isa $isa:literal on $arch:ident: $a:tt $b:tt $c:tt $(, $metadata:ident)? {
        $($name:ident $([$choice:ident])? = $head:literal $tail:literal, $bytes:literal $words:literal;)+
    })+) => {$(
        scaled! { @each $isa $arch [$a $b $c] [$($metadata)?] $($name $([$choice])? = $head $tail, $bytes $words;)+ }
    )+};
    (@each $isa:literal $arch:ident $registers:tt $metadata:tt
        $($name:ident $([$choice:ident])? = $head:literal $tail:literal, $bytes:literal $words:literal;)+) => {
        $(scaled! { @one $isa $arch $registers $metadata $name $([$choice])? = $head $tail, $bytes $words })+
    };
    (@one $isa:literal $arch:ident
        [($($a_part:ident)+) ($($b_part:ident)+) ($($c_part:ident)+)] [$($metadata:ident)?]
        $name:ident $([$choice:ident])? = $head:literal $tail:literal, $bytes:literal $words:literal) => {
        #[doc = concat!("`", $head, $(scaled!(@choice $choice),)? $tail, " result, a, b, c, ",
            $(stringify!($metadata), ", 0, ",)?
            "scales[0], { BYTE_A, THREAD_A }, scales[1], { BYTE_B, THREAD_B };`")]
        ///
        /// `a * b + c`, with a scale for each part of a row of A and of a column of B. PTX ISA 9.7.14.3 defines which
        /// lanes have them: `THREAD_A` is 0 or 1, for a pair of each four lanes, `THREAD_B` 0 to 3, for one of
        #[doc = concat!("each four. `BYTE_A` and `BYTE_B`, the first byte of a scale, are ", $words, ".")]
        ///
        /// # Safety
        /// 1. All threads of the warp reach this same call together.
        $(#[doc = concat!("2. `", stringify!($metadata), "` is as PTX ISA 9.7.14.6 has it.")])?
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<$(A: $choice, B: $choice,)? const BYTE_A: u32, const THREAD_A: u32, const BYTE_B: u32,
            const THREAD_B: u32>(
            a: [u32; count!($($a_part)+)], b: [u32; count!($($b_part)+)], c: [f32; count!($($c_part)+)],
            $($metadata: u32,)? scales: [u32; 2],
        ) -> [f32; 4] {
            const {
                assert!((BYTE_A | BYTE_B) & !$bytes == 0, concat!("the byte of a scale is ", $words));
                assert!(THREAD_A < 2 && THREAD_B < 4, "the lanes of scales are 0 or 1 for A, and 0 to 3 for B");
            };
            let ([$($a_part),+], [$($b_part),+], [$($c_part),+]) = (a, b, c);
            assembly! { @emit reg32 [$head, $(scaled!(@formats $choice),)? $tail]
                [$(concat!(", {", stringify!($metadata), "}, 0"),)?
                    ", {sa}, {{ {ba}, {ta} }}, {sb}, {{ {bb}, {tb} }}"]
                [$(ae = const <A as $choice>::EXPONENT, am = const <A as $choice>::FRACTION,
                    be = const <B as $choice>::EXPONENT, bm = const <B as $choice>::FRACTION,)?
                    $($metadata = in(reg32) $metadata,)?
                    sa = in(reg32) scales[0], ba = const BYTE_A, ta = const THREAD_A,
                    sb = in(reg32) scales[1], bb = const BYTE_B, tb = const THREAD_B,]
                (u32 $($a_part)+) (u32 $($b_part)+) (f32 $($c_part)+) (f32 d0 d1 d2 d3) }
        }
    };
    (@choice $choice:ident) => { "A.B" };
    (@formats $choice:ident) => { "e{ae}m{am}.e{be}m{bm}" };
}

products! { intrinsic;
    isa "7.0" on sm_80: (u32 a0 a1) (u32 b0) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k8_row_col_f32_bf16_bf16_f32 = "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "llvm.nvvm.mma.m16n8k8.row.col.bf16";
        sync_aligned_m16n8k4_row_col_f32_tf32_tf32_f32 = "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "llvm.nvvm.mma.m16n8k4.row.col.tf32";
    }
    isa "7.0" on sm_80: (u32 a0 a1 a2 a3) (u32 b0 b1) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "llvm.nvvm.mma.m16n8k16.row.col.bf16";
        sync_aligned_m16n8k8_row_col_f32_tf32_tf32_f32 = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "llvm.nvvm.mma.m16n8k8.row.col.tf32";
    }
    isa "7.0" on sm_80: (f64 a0) (f64 b0) (f64 c0 c1) -> (f64 d0 d1) {
        sync_aligned_m8n8k4_row_col_f64_f64_f64_f64 = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "llvm.nvvm.mma.m8n8k4.row.col.f64";
    }
    isa "7.8" on sm_90: (f64 a0 a1) (f64 b0) (f64 c0 c1 c2 c3) -> (f64 d0 d1 d2 d3) {
        sync_aligned_m16n8k4_row_col_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", "llvm.nvvm.mma.m16n8k4.row.col.f64";
    }
    isa "7.8" on sm_90: (f64 a0 a1 a2 a3) (f64 b0 b1) (f64 c0 c1 c2 c3) -> (f64 d0 d1 d2 d3) {
        sync_aligned_m16n8k8_row_col_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", "llvm.nvvm.mma.m16n8k8.row.col.f64";
    }
    isa "7.8" on sm_90: (f64 a0 a1 a2 a3 a4 a5 a6 a7) (f64 b0 b1 b2 b3) (f64 c0 c1 c2 c3) -> (f64 d0 d1 d2 d3) {
        sync_aligned_m16n8k16_row_col_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "llvm.nvvm.mma.m16n8k16.row.col.f64";
    }
    isa "7.0" on sm_80: (u32 a0) (u32 b0) (i32 c0 c1) -> (i32 d0 d1) {
        sync_aligned_m8n8k16_row_col_s32_s8_s8_s32 = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "llvm.nvvm.mma.m8n8k16.row.col.s8";
        sync_aligned_m8n8k16_row_col_s32_s8_u8_s32 = "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", "llvm.nvvm.mma.m8n8k16.row.col.s8.u8";
        sync_aligned_m8n8k16_row_col_s32_u8_s8_s32 = "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32", "llvm.nvvm.mma.m8n8k16.row.col.u8.s8";
        sync_aligned_m8n8k16_row_col_s32_u8_u8_s32 = "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32", "llvm.nvvm.mma.m8n8k16.row.col.u8";
        sync_aligned_m8n8k16_row_col_satfinite_s32_s8_s8_s32 = "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32", "llvm.nvvm.mma.m8n8k16.row.col.satfinite.s8";
        sync_aligned_m8n8k16_row_col_satfinite_s32_s8_u8_s32 = "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32", "llvm.nvvm.mma.m8n8k16.row.col.satfinite.s8.u8";
        sync_aligned_m8n8k16_row_col_satfinite_s32_u8_s8_s32 = "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32", "llvm.nvvm.mma.m8n8k16.row.col.satfinite.u8.s8";
        sync_aligned_m8n8k16_row_col_satfinite_s32_u8_u8_s32 = "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32", "llvm.nvvm.mma.m8n8k16.row.col.satfinite.u8";
        sync_aligned_m8n8k32_row_col_s32_s4_s4_s32 = "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", "llvm.nvvm.mma.m8n8k32.row.col.s4";
        sync_aligned_m8n8k32_row_col_s32_s4_u4_s32 = "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32", "llvm.nvvm.mma.m8n8k32.row.col.s4.u4";
        sync_aligned_m8n8k32_row_col_s32_u4_s4_s32 = "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32", "llvm.nvvm.mma.m8n8k32.row.col.u4.s4";
        sync_aligned_m8n8k32_row_col_s32_u4_u4_s32 = "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32", "llvm.nvvm.mma.m8n8k32.row.col.u4";
        sync_aligned_m8n8k32_row_col_satfinite_s32_s4_s4_s32 = "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32", "llvm.nvvm.mma.m8n8k32.row.col.satfinite.s4";
        sync_aligned_m8n8k32_row_col_satfinite_s32_s4_u4_s32 = "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.u4.s32", "llvm.nvvm.mma.m8n8k32.row.col.satfinite.s4.u4";
        sync_aligned_m8n8k32_row_col_satfinite_s32_u4_s4_s32 = "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32", "llvm.nvvm.mma.m8n8k32.row.col.satfinite.u4.s4";
        sync_aligned_m8n8k32_row_col_satfinite_s32_u4_u4_s32 = "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.u4.s32", "llvm.nvvm.mma.m8n8k32.row.col.satfinite.u4";
        sync_aligned_m8n8k128_row_col_s32_b1_b1_s32_xor_popc = "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", "llvm.nvvm.mma.xor.popc.m8n8k128.row.col.b1";
    }
    isa "7.0" on sm_80: (u32 a0 a1) (u32 b0) (i32 c0 c1 c2 c3) -> (i32 d0 d1 d2 d3) {
        sync_aligned_m16n8k16_row_col_s32_s8_s8_s32 = "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", "llvm.nvvm.mma.m16n8k16.row.col.s8";
        sync_aligned_m16n8k16_row_col_s32_s8_u8_s32 = "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32", "llvm.nvvm.mma.m16n8k16.row.col.s8.u8";
        sync_aligned_m16n8k16_row_col_s32_u8_s8_s32 = "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", "llvm.nvvm.mma.m16n8k16.row.col.u8.s8";
        sync_aligned_m16n8k16_row_col_s32_u8_u8_s32 = "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32", "llvm.nvvm.mma.m16n8k16.row.col.u8";
        sync_aligned_m16n8k16_row_col_satfinite_s32_s8_s8_s32 = "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32", "llvm.nvvm.mma.m16n8k16.row.col.satfinite.s8";
        sync_aligned_m16n8k16_row_col_satfinite_s32_s8_u8_s32 = "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32", "llvm.nvvm.mma.m16n8k16.row.col.satfinite.s8.u8";
        sync_aligned_m16n8k16_row_col_satfinite_s32_u8_s8_s32 = "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32", "llvm.nvvm.mma.m16n8k16.row.col.satfinite.u8.s8";
        sync_aligned_m16n8k16_row_col_satfinite_s32_u8_u8_s32 = "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32", "llvm.nvvm.mma.m16n8k16.row.col.satfinite.u8";
        sync_aligned_m16n8k32_row_col_s32_s4_s4_s32 = "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", "llvm.nvvm.mma.m16n8k32.row.col.s4";
        sync_aligned_m16n8k32_row_col_s32_s4_u4_s32 = "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32", "llvm.nvvm.mma.m16n8k32.row.col.s4.u4";
        sync_aligned_m16n8k32_row_col_s32_u4_s4_s32 = "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", "llvm.nvvm.mma.m16n8k32.row.col.u4.s4";
        sync_aligned_m16n8k32_row_col_s32_u4_u4_s32 = "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32", "llvm.nvvm.mma.m16n8k32.row.col.u4";
        sync_aligned_m16n8k32_row_col_satfinite_s32_s4_s4_s32 = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.s4.s32", "llvm.nvvm.mma.m16n8k32.row.col.satfinite.s4";
        sync_aligned_m16n8k32_row_col_satfinite_s32_s4_u4_s32 = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.u4.s32", "llvm.nvvm.mma.m16n8k32.row.col.satfinite.s4.u4";
        sync_aligned_m16n8k32_row_col_satfinite_s32_u4_s4_s32 = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.s4.s32", "llvm.nvvm.mma.m16n8k32.row.col.satfinite.u4.s4";
        sync_aligned_m16n8k32_row_col_satfinite_s32_u4_u4_s32 = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.u4.s32", "llvm.nvvm.mma.m16n8k32.row.col.satfinite.u4";
        sync_aligned_m16n8k128_row_col_s32_b1_b1_s32_xor_popc = "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", "llvm.nvvm.mma.xor.popc.m16n8k128.row.col.b1";
    }
    isa "7.0" on sm_80: (u32 a0 a1 a2 a3) (u32 b0 b1) (i32 c0 c1 c2 c3) -> (i32 d0 d1 d2 d3) {
        sync_aligned_m16n8k32_row_col_s32_s8_s8_s32 = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "llvm.nvvm.mma.m16n8k32.row.col.s8";
        sync_aligned_m16n8k32_row_col_s32_s8_u8_s32 = "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", "llvm.nvvm.mma.m16n8k32.row.col.s8.u8";
        sync_aligned_m16n8k32_row_col_s32_u8_s8_s32 = "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", "llvm.nvvm.mma.m16n8k32.row.col.u8.s8";
        sync_aligned_m16n8k32_row_col_s32_u8_u8_s32 = "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", "llvm.nvvm.mma.m16n8k32.row.col.u8";
        sync_aligned_m16n8k32_row_col_satfinite_s32_s8_s8_s32 = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", "llvm.nvvm.mma.m16n8k32.row.col.satfinite.s8";
        sync_aligned_m16n8k32_row_col_satfinite_s32_s8_u8_s32 = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", "llvm.nvvm.mma.m16n8k32.row.col.satfinite.s8.u8";
        sync_aligned_m16n8k32_row_col_satfinite_s32_u8_s8_s32 = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32", "llvm.nvvm.mma.m16n8k32.row.col.satfinite.u8.s8";
        sync_aligned_m16n8k32_row_col_satfinite_s32_u8_u8_s32 = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32", "llvm.nvvm.mma.m16n8k32.row.col.satfinite.u8";
        sync_aligned_m16n8k64_row_col_s32_s4_s4_s32 = "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", "llvm.nvvm.mma.m16n8k64.row.col.s4";
        sync_aligned_m16n8k64_row_col_s32_s4_u4_s32 = "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", "llvm.nvvm.mma.m16n8k64.row.col.s4.u4";
        sync_aligned_m16n8k64_row_col_s32_u4_s4_s32 = "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", "llvm.nvvm.mma.m16n8k64.row.col.u4.s4";
        sync_aligned_m16n8k64_row_col_s32_u4_u4_s32 = "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", "llvm.nvvm.mma.m16n8k64.row.col.u4";
        sync_aligned_m16n8k64_row_col_satfinite_s32_s4_s4_s32 = "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32", "llvm.nvvm.mma.m16n8k64.row.col.satfinite.s4";
        sync_aligned_m16n8k64_row_col_satfinite_s32_s4_u4_s32 = "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32", "llvm.nvvm.mma.m16n8k64.row.col.satfinite.s4.u4";
        sync_aligned_m16n8k64_row_col_satfinite_s32_u4_s4_s32 = "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32", "llvm.nvvm.mma.m16n8k64.row.col.satfinite.u4.s4";
        sync_aligned_m16n8k64_row_col_satfinite_s32_u4_u4_s32 = "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32", "llvm.nvvm.mma.m16n8k64.row.col.satfinite.u4";
        sync_aligned_m16n8k256_row_col_s32_b1_b1_s32_xor_popc = "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "llvm.nvvm.mma.xor.popc.m16n8k256.row.col.b1";
    }
    isa "7.1" on sm_80: (u32 a0) (u32 b0) (i32 c0 c1) -> (i32 d0 d1) {
        sync_aligned_m8n8k128_row_col_s32_b1_b1_s32_and_popc = "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", "llvm.nvvm.mma.and.popc.m8n8k128.row.col.b1";
    }
    isa "7.1" on sm_80: (u32 a0 a1) (u32 b0) (i32 c0 c1 c2 c3) -> (i32 d0 d1 d2 d3) {
        sync_aligned_m16n8k128_row_col_s32_b1_b1_s32_and_popc = "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", "llvm.nvvm.mma.and.popc.m16n8k128.row.col.b1";
    }
    isa "7.1" on sm_80: (u32 a0 a1 a2 a3) (u32 b0 b1) (i32 c0 c1 c2 c3) -> (i32 d0 d1 d2 d3) {
        sync_aligned_m16n8k256_row_col_s32_b1_b1_s32_and_popc = "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", "llvm.nvvm.mma.and.popc.m16n8k256.row.col.b1";
    }
}

products! { assembly;
    isa "8.7" on sm_90: (u32 a0 a1) (u32 b0) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32";
        sync_aligned_m16n8k16_row_col_f32_e4m3_e5m2_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32";
        sync_aligned_m16n8k16_row_col_f32_e5m2_e4m3_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32";
        sync_aligned_m16n8k16_row_col_f32_e5m2_e5m2_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32";
    }
    isa "8.4" on sm_90: (u32 a0 a1 a2 a3) (u32 b0 b1) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k32_row_col_f32_e4m3_e4m3_f32 = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32";
        sync_aligned_m16n8k32_row_col_f32_e4m3_e5m2_f32 = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32";
        sync_aligned_m16n8k32_row_col_f32_e5m2_e4m3_f32 = "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32";
        sync_aligned_m16n8k32_row_col_f32_e5m2_e5m2_f32 = "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32";
    }
    isa "7.0" on sm_80: (u32 a0 a1) (u32 b0) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k8_row_col_f32_f16_f16_f32 = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";
    }
    isa "7.0" on sm_80: (u32 a0 a1 a2 a3) (u32 b0 b1) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k16_row_col_f32_f16_f16_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    }
    isa "7.0" on sm_80: (u32 a0 a1) (u32 b0) (u32 c0 c1) -> (u32 d0 d1) {
        sync_aligned_m16n8k8_row_col_f16_f16_f16_f16 = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16";
    }
    isa "7.0" on sm_80: (u32 a0 a1 a2 a3) (u32 b0 b1) (u32 c0 c1) -> (u32 d0 d1) {
        sync_aligned_m16n8k16_row_col_f16_f16_f16_f16 = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16";
    }
    isa "7.0" on sm_80: (u32 a0 a1) (u32 b0 b1) (f32 c0 c1 c2 c3 c4 c5 c6 c7) -> (f32 d0 d1 d2 d3 d4 d5 d6 d7) {
        sync_aligned_m8n8k4_row_row_f32_f16_f16_f32 = "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32";
        sync_aligned_m8n8k4_row_col_f32_f16_f16_f32 = "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32";
        sync_aligned_m8n8k4_col_row_f32_f16_f16_f32 = "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32";
        sync_aligned_m8n8k4_col_col_f32_f16_f16_f32 = "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32";
    }
    isa "7.0" on sm_80: (u32 a0 a1) (u32 b0 b1) (u32 c0 c1 c2 c3) -> (u32 d0 d1 d2 d3) {
        sync_aligned_m8n8k4_row_row_f16_f16_f16_f16 = "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16";
        sync_aligned_m8n8k4_row_col_f16_f16_f16_f16 = "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16";
        sync_aligned_m8n8k4_col_row_f16_f16_f16_f16 = "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16";
        sync_aligned_m8n8k4_col_col_f16_f16_f16_f16 = "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16";
    }
    isa "7.0" on sm_80: (u32 a0 a1) (u32 b0 b1) (u32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3 d4 d5 d6 d7) {
        sync_aligned_m8n8k4_row_row_f32_f16_f16_f16 = "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f16";
        sync_aligned_m8n8k4_row_col_f32_f16_f16_f16 = "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16";
        sync_aligned_m8n8k4_col_row_f32_f16_f16_f16 = "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16";
        sync_aligned_m8n8k4_col_col_f32_f16_f16_f16 = "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f16";
    }
    isa "8.7" on sm_90: (u32 a0 a1) (u32 b0) (u32 c0 c1) -> (u32 d0 d1) {
        sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3_f16 = "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16";
        sync_aligned_m16n8k16_row_col_f16_e4m3_e5m2_f16 = "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16";
        sync_aligned_m16n8k16_row_col_f16_e5m2_e4m3_f16 = "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16";
        sync_aligned_m16n8k16_row_col_f16_e5m2_e5m2_f16 = "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16";
    }
    isa "8.7" on sm_90: (u32 a0 a1 a2 a3) (u32 b0 b1) (u32 c0 c1) -> (u32 d0 d1) {
        sync_aligned_m16n8k32_row_col_f16_e4m3_e4m3_f16 = "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16";
        sync_aligned_m16n8k32_row_col_f16_e4m3_e5m2_f16 = "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16";
        sync_aligned_m16n8k32_row_col_f16_e5m2_e4m3_f16 = "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16";
        sync_aligned_m16n8k32_row_col_f16_e5m2_e5m2_f16 = "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16";
    }
}

// Rounded in a direction, for which LLVM has no intrinsics.
products! { wide_assembly;
    isa "7.0" on sm_80: (f64 a0) (f64 b0) (f64 c0 c1) -> (f64 d0 d1) {
        sync_aligned_m8n8k4_row_col_rn_f64_f64_f64_f64 = "mma.sync.aligned.m8n8k4.row.col.rn.f64.f64.f64.f64";
        sync_aligned_m8n8k4_row_col_rz_f64_f64_f64_f64 = "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64";
        sync_aligned_m8n8k4_row_col_rm_f64_f64_f64_f64 = "mma.sync.aligned.m8n8k4.row.col.rm.f64.f64.f64.f64";
        sync_aligned_m8n8k4_row_col_rp_f64_f64_f64_f64 = "mma.sync.aligned.m8n8k4.row.col.rp.f64.f64.f64.f64";
    }
    isa "7.8" on sm_90: (f64 a0 a1) (f64 b0) (f64 c0 c1 c2 c3) -> (f64 d0 d1 d2 d3) {
        sync_aligned_m16n8k4_row_col_rn_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k4.row.col.rn.f64.f64.f64.f64";
        sync_aligned_m16n8k4_row_col_rz_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k4.row.col.rz.f64.f64.f64.f64";
        sync_aligned_m16n8k4_row_col_rm_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k4.row.col.rm.f64.f64.f64.f64";
        sync_aligned_m16n8k4_row_col_rp_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k4.row.col.rp.f64.f64.f64.f64";
    }
    isa "7.8" on sm_90: (f64 a0 a1 a2 a3) (f64 b0 b1) (f64 c0 c1 c2 c3) -> (f64 d0 d1 d2 d3) {
        sync_aligned_m16n8k8_row_col_rn_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k8.row.col.rn.f64.f64.f64.f64";
        sync_aligned_m16n8k8_row_col_rz_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k8.row.col.rz.f64.f64.f64.f64";
        sync_aligned_m16n8k8_row_col_rm_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k8.row.col.rm.f64.f64.f64.f64";
        sync_aligned_m16n8k8_row_col_rp_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k8.row.col.rp.f64.f64.f64.f64";
    }
    isa "7.8" on sm_90: (f64 a0 a1 a2 a3 a4 a5 a6 a7) (f64 b0 b1 b2 b3) (f64 c0 c1 c2 c3) -> (f64 d0 d1 d2 d3) {
        sync_aligned_m16n8k16_row_col_rn_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k16.row.col.rn.f64.f64.f64.f64";
        sync_aligned_m16n8k16_row_col_rz_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k16.row.col.rz.f64.f64.f64.f64";
        sync_aligned_m16n8k16_row_col_rm_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k16.row.col.rm.f64.f64.f64.f64";
        sync_aligned_m16n8k16_row_col_rp_f64_f64_f64_f64 = "mma.sync.aligned.m16n8k16.row.col.rp.f64.f64.f64.f64";
    }
}

sparse! {
    isa "7.1, with `OrderedMetadata` 8.5" on sm_80, selectors to 3: (u32 a0 a1) (u32 b0 b1) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sp_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32 = "m16n8k16.row.col.f32.f16.f16.f32";
        sp_sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32 = "m16n8k16.row.col.f32.bf16.bf16.f32";
        sp_sync_aligned_m16n8k8_row_col_f32_tf32_tf32_f32 = "m16n8k8.row.col.f32.tf32.tf32.f32";
    }
    isa "7.1, with `OrderedMetadata` 8.5" on sm_80, selectors to 3: (u32 a0 a1) (u32 b0 b1) (u32 c0 c1) -> (u32 d0 d1) {
        sp_sync_aligned_m16n8k16_row_col_f16_f16_f16_f16 = "m16n8k16.row.col.f16.f16.f16.f16";
    }
    isa "7.1, with `OrderedMetadata` 8.5" on sm_80, selectors to 1: (u32 a0 a1 a2 a3) (u32 b0 b1 b2 b3) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sp_sync_aligned_m16n8k32_row_col_f32_f16_f16_f32 = "m16n8k32.row.col.f32.f16.f16.f32";
        sp_sync_aligned_m16n8k32_row_col_f32_bf16_bf16_f32 = "m16n8k32.row.col.f32.bf16.bf16.f32";
        sp_sync_aligned_m16n8k16_row_col_f32_tf32_tf32_f32 = "m16n8k16.row.col.f32.tf32.tf32.f32";
    }
    isa "7.1, with `OrderedMetadata` 8.5" on sm_80, selectors to 1: (u32 a0 a1 a2 a3) (u32 b0 b1 b2 b3) (u32 c0 c1) -> (u32 d0 d1) {
        sp_sync_aligned_m16n8k32_row_col_f16_f16_f16_f16 = "m16n8k32.row.col.f16.f16.f16.f16";
    }
    isa "7.1, with `OrderedMetadata` 8.5" on sm_80, selectors to 1: (u32 a0 a1) (u32 b0 b1) (i32 c0 c1 c2 c3) -> (i32 d0 d1 d2 d3) {
        sp_sync_aligned_m16n8k32_row_col_s32_s8_s8_s32 = "m16n8k32.row.col.s32.s8.s8.s32";
        sp_sync_aligned_m16n8k32_row_col_s32_s8_u8_s32 = "m16n8k32.row.col.s32.s8.u8.s32";
        sp_sync_aligned_m16n8k32_row_col_s32_u8_s8_s32 = "m16n8k32.row.col.s32.u8.s8.s32";
        sp_sync_aligned_m16n8k32_row_col_s32_u8_u8_s32 = "m16n8k32.row.col.s32.u8.u8.s32";
        sp_sync_aligned_m16n8k32_row_col_satfinite_s32_s8_s8_s32 = "m16n8k32.row.col.satfinite.s32.s8.s8.s32";
        sp_sync_aligned_m16n8k32_row_col_satfinite_s32_s8_u8_s32 = "m16n8k32.row.col.satfinite.s32.s8.u8.s32";
        sp_sync_aligned_m16n8k32_row_col_satfinite_s32_u8_s8_s32 = "m16n8k32.row.col.satfinite.s32.u8.s8.s32";
        sp_sync_aligned_m16n8k32_row_col_satfinite_s32_u8_u8_s32 = "m16n8k32.row.col.satfinite.s32.u8.u8.s32";
        sp_sync_aligned_m16n8k64_row_col_s32_s4_s4_s32 = "m16n8k64.row.col.s32.s4.s4.s32";
        sp_sync_aligned_m16n8k64_row_col_s32_s4_u4_s32 = "m16n8k64.row.col.s32.s4.u4.s32";
        sp_sync_aligned_m16n8k64_row_col_s32_u4_s4_s32 = "m16n8k64.row.col.s32.u4.s4.s32";
        sp_sync_aligned_m16n8k64_row_col_s32_u4_u4_s32 = "m16n8k64.row.col.s32.u4.u4.s32";
        sp_sync_aligned_m16n8k64_row_col_satfinite_s32_s4_s4_s32 = "m16n8k64.row.col.satfinite.s32.s4.s4.s32";
        sp_sync_aligned_m16n8k64_row_col_satfinite_s32_s4_u4_s32 = "m16n8k64.row.col.satfinite.s32.s4.u4.s32";
        sp_sync_aligned_m16n8k64_row_col_satfinite_s32_u4_s4_s32 = "m16n8k64.row.col.satfinite.s32.u4.s4.s32";
        sp_sync_aligned_m16n8k64_row_col_satfinite_s32_u4_u4_s32 = "m16n8k64.row.col.satfinite.s32.u4.u4.s32";
    }
    isa "7.1, with `OrderedMetadata` 8.5" on sm_80, selectors to 0: (u32 a0 a1 a2 a3) (u32 b0 b1 b2 b3) (i32 c0 c1 c2 c3) -> (i32 d0 d1 d2 d3) {
        sp_sync_aligned_m16n8k64_row_col_s32_s8_s8_s32 = "m16n8k64.row.col.s32.s8.s8.s32";
        sp_sync_aligned_m16n8k64_row_col_s32_s8_u8_s32 = "m16n8k64.row.col.s32.s8.u8.s32";
        sp_sync_aligned_m16n8k64_row_col_s32_u8_s8_s32 = "m16n8k64.row.col.s32.u8.s8.s32";
        sp_sync_aligned_m16n8k64_row_col_s32_u8_u8_s32 = "m16n8k64.row.col.s32.u8.u8.s32";
        sp_sync_aligned_m16n8k64_row_col_satfinite_s32_s8_s8_s32 = "m16n8k64.row.col.satfinite.s32.s8.s8.s32";
        sp_sync_aligned_m16n8k64_row_col_satfinite_s32_s8_u8_s32 = "m16n8k64.row.col.satfinite.s32.s8.u8.s32";
        sp_sync_aligned_m16n8k64_row_col_satfinite_s32_u8_s8_s32 = "m16n8k64.row.col.satfinite.s32.u8.s8.s32";
        sp_sync_aligned_m16n8k64_row_col_satfinite_s32_u8_u8_s32 = "m16n8k64.row.col.satfinite.s32.u8.u8.s32";
        sp_sync_aligned_m16n8k128_row_col_s32_s4_s4_s32 = "m16n8k128.row.col.s32.s4.s4.s32";
        sp_sync_aligned_m16n8k128_row_col_s32_s4_u4_s32 = "m16n8k128.row.col.s32.s4.u4.s32";
        sp_sync_aligned_m16n8k128_row_col_s32_u4_s4_s32 = "m16n8k128.row.col.s32.u4.s4.s32";
        sp_sync_aligned_m16n8k128_row_col_s32_u4_u4_s32 = "m16n8k128.row.col.s32.u4.u4.s32";
        sp_sync_aligned_m16n8k128_row_col_satfinite_s32_s4_s4_s32 = "m16n8k128.row.col.satfinite.s32.s4.s4.s32";
        sp_sync_aligned_m16n8k128_row_col_satfinite_s32_s4_u4_s32 = "m16n8k128.row.col.satfinite.s32.s4.u4.s32";
        sp_sync_aligned_m16n8k128_row_col_satfinite_s32_u4_s4_s32 = "m16n8k128.row.col.satfinite.s32.u4.s4.s32";
        sp_sync_aligned_m16n8k128_row_col_satfinite_s32_u4_u4_s32 = "m16n8k128.row.col.satfinite.s32.u4.u4.s32";
    }
    isa "8.4, with `OrderedMetadata` 8.5" on sm_90, selectors to 0: (u32 a0 a1 a2 a3) (u32 b0 b1 b2 b3) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sp_sync_aligned_m16n8k64_row_col_f32_e4m3_e4m3_f32 = "m16n8k64.row.col.f32.e4m3.e4m3.f32";
        sp_sync_aligned_m16n8k64_row_col_f32_e4m3_e5m2_f32 = "m16n8k64.row.col.f32.e4m3.e5m2.f32";
        sp_sync_aligned_m16n8k64_row_col_f32_e5m2_e4m3_f32 = "m16n8k64.row.col.f32.e5m2.e4m3.f32";
        sp_sync_aligned_m16n8k64_row_col_f32_e5m2_e5m2_f32 = "m16n8k64.row.col.f32.e5m2.e5m2.f32";
    }
}

narrow! {
    sync_aligned_m16n8k32_row_col_kind_f8f6f4_f32[Narrow] = "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32." ".f32"
        isa "8.7, of two formats of 8 bits 8.6" on sm_100a_or_sm_120a, of 4 and 6 bits on sm_120a: (u32 a0 a1 a2 a3) (u32 b0 b1) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3);
    sync_aligned_m16n8k32_row_col_kind_f8f6f4_f16[Narrow] = "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16." ".f16"
        isa "8.7" on sm_100a_or_sm_120a, of 4 and 6 bits on sm_120a: (u32 a0 a1 a2 a3) (u32 b0 b1) (u32 c0 c1) -> (u32 d0 d1);
    sp_ordered_metadata_sync_aligned_m16n8k64_row_col_kind_f8f6f4_f32[Narrow] = "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32." ".f32"
        isa "8.7, of two formats of 8 bits 8.6" on sm_100a_or_sm_120a, of 4 and 6 bits on sm_120a: (u32 a0 a1 a2 a3) (u32 b0 b1 b2 b3) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) metadata;
    sp_ordered_metadata_sync_aligned_m16n8k64_row_col_kind_f8f6f4_f16[Narrow] = "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16." ".f16"
        isa "8.7" on sm_120a: (u32 a0 a1 a2 a3) (u32 b0 b1 b2 b3) (u32 c0 c1) -> (u32 d0 d1) metadata;
    sp_ordered_metadata_sync_aligned_m16n8k64_row_col_f16[Small] = "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16." ".f16"
        isa "8.7" on sm_120a: (u32 a0 a1 a2 a3) (u32 b0 b1 b2 b3) (u32 c0 c1) -> (u32 d0 d1) metadata;
}

scaled! {
    isa "8.7" on sm_120a: (a0 a1 a2 a3) (b0 b1) (c0 c1 c2 c3) {
        sync_aligned_m16n8k32_row_col_kind_mxf8f6f4_block_scale_scale_vec_1x[Narrow] = "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32."
            ".f32.ue8m0", 3 "0 to 3";
        sync_aligned_m16n8k64_row_col_kind_mxf4_block_scale_scale_vec_2x = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32."
            "e2m1.e2m1.f32.ue8m0", 2 "0 or 2";
        sync_aligned_m16n8k64_row_col_kind_mxf4nvf4_block_scale_scale_vec_2x = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32."
            "e2m1.e2m1.f32.ue8m0", 2 "0 or 2";
        sync_aligned_m16n8k64_row_col_kind_mxf4nvf4_block_scale_scale_vec_4x = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32."
            "e2m1.e2m1.f32.ue4m3", 0 "0";
    }
    isa "9.1" on sm_120a: (a0 a1 a2 a3) (b0 b1) (c0 c1 c2 c3) {
        sync_aligned_m16n8k64_row_col_kind_mxf4nvf4_block_scale_scale_vec_4x_ue8m0 = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32."
            "e2m1.e2m1.f32.ue8m0", 0 "0";
    }
    isa "8.7" on sm_120a: (a0 a1 a2 a3) (b0 b1 b2 b3) (c0 c1 c2 c3), metadata {
        sp_ordered_metadata_sync_aligned_m16n8k64_row_col_kind_mxf8f6f4_block_scale_scale_vec_1x[Narrow] = "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32."
            ".f32.ue8m0", 3 "0 to 3";
    }
    isa "8.7" on sm_120a_alone: (a0 a1 a2 a3) (b0 b1 b2 b3) (c0 c1 c2 c3), metadata {
        sp_ordered_metadata_sync_aligned_m16n8k128_row_col_kind_mxf4_block_scale_scale_vec_2x = "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X.f32."
            "e2m1.e2m1.f32.ue8m0", 2 "0 or 2";
        sp_ordered_metadata_sync_aligned_m16n8k128_row_col_kind_mxf4nvf4_block_scale_scale_vec_2x = "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32."
            "e2m1.e2m1.f32.ue8m0", 2 "0 or 2";
        sp_ordered_metadata_sync_aligned_m16n8k128_row_col_kind_mxf4nvf4_block_scale_scale_vec_4x = "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32."
            "e2m1.e2m1.f32.ue4m3", 0 "0";
    }
    isa "9.1" on sm_120a_alone: (a0 a1 a2 a3) (b0 b1 b2 b3) (c0 c1 c2 c3), metadata {
        sp_ordered_metadata_sync_aligned_m16n8k128_row_col_kind_mxf4nvf4_block_scale_scale_vec_4x_ue8m0 = "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32."
            "e2m1.e2m1.f32.ue8m0", 0 "0";
    }
}
