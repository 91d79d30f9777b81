//! `mma`, products of matrices in the registers of a warp. PTX ISA 9.7.14.5.14, 9.7.14.6.
//!
//! The sections 9.7.14.5.1 to 9.7.14.5.13 say which elements each register holds. Registers of 32 bits are
//! `u32` where they hold several elements, or one of tf32.
//!
//! LLVM's intrinsics for half precision take vectors, which Rust cannot hand over, and those for fp8 want a
//! later PTX version of the whole module;
//! [`tensormap_cp_fenceproxy`](super::tensormap_cp_fenceproxy) says what it means to do without.

/// How many parts there are.
macro_rules! count {
    ($($part:ident)+) => { [$(count!(@unit $part)),+].len() };
    (@unit $part:ident) => { () };
}

/// Products whose operands have the same registers: those of A, B and C, and of D. Each row has its way of
/// emitting the instruction behind the text.
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
        device_fn! {
            #[doc = concat!("`", $text, " result, a, b, c;` — `a * b + c`.")]
            ///
            isa $isa on $arch;
            /// # Safety
            /// 1. All threads of the warp reach this same call together.
            pub unsafe fn $name(
                a: [$a; count!($($a_part)+)], b: [$b; count!($($b_part)+)], c: [$c; count!($($c_part)+)],
            ) -> [$d; count!($($d_part)+)] {
                let ([$($a_part),+], [$($b_part),+], [$($c_part),+]) = (a, b, c);
                $way! { $text [$($intrinsic)?] ($a $($a_part)+) ($b $($b_part)+) ($c $($c_part)+) ($d $($d_part)+) }
                [$($d_part),+]
            }
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
        // SAFETY: (1) is the caller's.
        let ($($d_part,)+) = unsafe { intrinsic($($a_part,)+ $($b_part,)+ $($c_part,)+) };
    };
    (@$part:ident $type:ident) => { $type };
}

/// Assembly, of a product whose registers have 32 bits.
#[cfg(target_arch = "nvptx64")]
macro_rules! assembly {
    ($text:literal [] ($a:ident $($a_part:ident)+) ($b:ident $($b_part:ident)+) ($c:ident $($c_part:ident)+)
        ($d:ident $($d_part:ident)+)) => {
        $(let $d_part: $d;)+
        // SAFETY: (1) is the caller's; the others are no instructions.
        unsafe {
            weigh_down!("" "" "" "" "" "" "" "" "" "");
            core::arch::asm!(
                concat!($text, " ", assembly!(@list $($d_part)+), ", ", assembly!(@list $($a_part)+), ", ",
                    assembly!(@list $($b_part)+), ", ", assembly!(@list $($c_part)+), ";"),
                $($d_part = out(reg32) $d_part,)+ $($a_part = in(reg32) $a_part,)+
                $($b_part = in(reg32) $b_part,)+ $($c_part = in(reg32) $c_part,)+
                options(nostack, preserves_flags),
            );
        }
    };
    (@list $first:ident $($part:ident)*) => {
        concat!("{{ {", stringify!($first), "}", $(", {", stringify!($part), "}",)* " }}")
    };
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
