//! `mma`, products of matrices in the registers of a warp. PTX ISA 9.7.14.5.14, 9.7.14.6.
//!
//! What each register holds stands in the sections 9.7.14.5.1 to 9.7.14.5.13. Registers of 32 bits are `u32` where
//! they hold several elements, or one of tf32.

/// Two halves, as LLVM passes them.
#[cfg(target_arch = "nvptx64")]
#[derive(Clone, Copy)]
#[repr(simd)]
struct Halves([f16; 2]);

/// The type of a register in Rust, in the intrinsic, and how one becomes the other.
macro_rules! register {
    (rust half) => { u32 };
    (rust $other:ident) => { $other };
    (llvm half) => { Halves };
    (llvm $other:ident) => { $other };
    (pass half $value:expr) => { core::mem::transmute::<u32, Halves>($value) };
    (pass $other:ident $value:expr) => { $value };
    (give half $value:expr) => { core::mem::transmute::<Halves, u32>($value) };
    (give $other:ident $value:expr) => { $value };
    (one $($part:ident)+) => { [$(register!(unit $part)),+].len() };
    (unit $part:ident) => { () };
}

/// Products whose operands have the same registers: those of A, B and C, and of D.
macro_rules! products {
    ($(isa $isa:literal on $arch:ident: ($a:ident $($a_part:ident)+) ($b:ident $($b_part:ident)+)
        ($c:ident $($c_part:ident)+) -> ($d:ident $($d_part:ident)+) {
            $($name:ident = $text:literal, $intrinsic:literal;)+
        })+) => {$(
        products! { @same $isa $arch [($a [$($a_part)+]) ($b [$($b_part)+]) ($c [$($c_part)+]) ($d [$($d_part)+])]
            $($name = $text, $intrinsic;)+ }
    )+};
    (@same $isa:literal $arch:ident $registers:tt $($name:ident = $text:literal, $intrinsic:literal;)+) => {
        $(products! { @one $isa $arch $registers $name = $text, $intrinsic })+
    };
    (@one $isa:literal $arch:ident [($a:ident [$($a_part:ident)+]) ($b:ident [$($b_part:ident)+])
        ($c:ident [$($c_part:ident)+]) ($d:ident [$($d_part:ident)+])]
        $name:ident = $text:literal, $intrinsic:literal) => {
        device_fn! {
            #[doc = concat!("`", $text, " result, a, b, c;` — `a * b + c`.")]
            ///
            isa $isa on $arch;
            /// # Safety
            /// 1. All threads of the warp reach this same call together.
            pub unsafe fn $name(
                a: [register!(rust $a); register!(one $($a_part)+)],
                b: [register!(rust $b); register!(one $($b_part)+)],
                c: [register!(rust $c); register!(one $($c_part)+)],
            ) -> [register!(rust $d); register!(one $($d_part)+)] {
                #[allow(improper_ctypes, reason = "they are LLVM values, not C ones")]
                unsafe extern "unadjusted" {
                    #[link_name = $intrinsic]
                    fn intrinsic(
                        $($a_part: register!(llvm $a),)+ $($b_part: register!(llvm $b),)+
                        $($c_part: register!(llvm $c),)+
                    ) -> ($(products!(@of $d_part register!(llvm $d)),)+);
                }
                let ([$($a_part),+], [$($b_part),+], [$($c_part),+]) = (a, b, c);
                // SAFETY: (1) is the caller's; halves are the bits of their register.
                unsafe {
                    let ($($d_part,)+) = intrinsic(
                        $(register!(pass $a $a_part),)+ $(register!(pass $b $b_part),)+
                        $(register!(pass $c $c_part),)+
                    );
                    [$(register!(give $d $d_part)),+]
                }
            }
        }
    };
    (@of $part:ident $type:ty) => { $type };
}

products! {
    isa "7.0" on sm_80: (half a0 a1) (half b0) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k8_row_col_f32_f16_f16_f32 = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "llvm.nvvm.mma.m16n8k8.row.col.f32.f32";
    }
    isa "7.0" on sm_80: (half a0 a1 a2 a3) (half b0 b1) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k16_row_col_f32_f16_f16_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "llvm.nvvm.mma.m16n8k16.row.col.f32.f32";
    }
    isa "7.0" on sm_80: (half a0 a1) (half b0) (half c0 c1) -> (half d0 d1) {
        sync_aligned_m16n8k8_row_col_f16_f16_f16_f16 = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", "llvm.nvvm.mma.m16n8k8.row.col.f16.f16";
    }
    isa "7.0" on sm_80: (half a0 a1 a2 a3) (half b0 b1) (half c0 c1) -> (half d0 d1) {
        sync_aligned_m16n8k16_row_col_f16_f16_f16_f16 = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "llvm.nvvm.mma.m16n8k16.row.col.f16.f16";
    }
    isa "7.0" on sm_80: (half a0 a1) (half b0 b1) (f32 c0 c1 c2 c3 c4 c5 c6 c7) -> (f32 d0 d1 d2 d3 d4 d5 d6 d7) {
        sync_aligned_m8n8k4_row_row_f32_f16_f16_f32 = "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32", "llvm.nvvm.mma.m8n8k4.row.row.f32.f32";
        sync_aligned_m8n8k4_row_col_f32_f16_f16_f32 = "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", "llvm.nvvm.mma.m8n8k4.row.col.f32.f32";
        sync_aligned_m8n8k4_col_row_f32_f16_f16_f32 = "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", "llvm.nvvm.mma.m8n8k4.col.row.f32.f32";
        sync_aligned_m8n8k4_col_col_f32_f16_f16_f32 = "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32", "llvm.nvvm.mma.m8n8k4.col.col.f32.f32";
    }
    isa "7.0" on sm_80: (half a0 a1) (half b0 b1) (half c0 c1 c2 c3) -> (half d0 d1 d2 d3) {
        sync_aligned_m8n8k4_row_row_f16_f16_f16_f16 = "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16", "llvm.nvvm.mma.m8n8k4.row.row.f16.f16";
        sync_aligned_m8n8k4_row_col_f16_f16_f16_f16 = "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", "llvm.nvvm.mma.m8n8k4.row.col.f16.f16";
        sync_aligned_m8n8k4_col_row_f16_f16_f16_f16 = "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16", "llvm.nvvm.mma.m8n8k4.col.row.f16.f16";
        sync_aligned_m8n8k4_col_col_f16_f16_f16_f16 = "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16", "llvm.nvvm.mma.m8n8k4.col.col.f16.f16";
    }
    isa "7.0" on sm_80: (half a0 a1) (half b0 b1) (half c0 c1 c2 c3) -> (f32 d0 d1 d2 d3 d4 d5 d6 d7) {
        sync_aligned_m8n8k4_row_row_f32_f16_f16_f16 = "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f16", "llvm.nvvm.mma.m8n8k4.row.row.f32.f16";
        sync_aligned_m8n8k4_row_col_f32_f16_f16_f16 = "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16", "llvm.nvvm.mma.m8n8k4.row.col.f32.f16";
        sync_aligned_m8n8k4_col_row_f32_f16_f16_f16 = "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16", "llvm.nvvm.mma.m8n8k4.col.row.f32.f16";
        sync_aligned_m8n8k4_col_col_f32_f16_f16_f16 = "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f16", "llvm.nvvm.mma.m8n8k4.col.col.f32.f16";
    }
    isa "7.0" on sm_80: (u32 a0 a1) (u32 b0) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k8_row_col_f32_bf16_bf16_f32 = "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "llvm.nvvm.mma.m16n8k8.row.col.bf16";
        sync_aligned_m16n8k4_row_col_f32_tf32_tf32_f32 = "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "llvm.nvvm.mma.m16n8k4.row.col.tf32";
    }
    isa "7.0" on sm_80: (u32 a0 a1 a2 a3) (u32 b0 b1) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "llvm.nvvm.mma.m16n8k16.row.col.bf16";
        sync_aligned_m16n8k8_row_col_f32_tf32_tf32_f32 = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "llvm.nvvm.mma.m16n8k8.row.col.tf32";
    }
    isa "8.7" on sm_90: (u32 a0 a1) (u32 b0) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32", "llvm.nvvm.mma.m16n8k16.row.col.f32.e4m3.e4m3.f32";
        sync_aligned_m16n8k16_row_col_f32_e4m3_e5m2_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32", "llvm.nvvm.mma.m16n8k16.row.col.f32.e4m3.e5m2.f32";
        sync_aligned_m16n8k16_row_col_f32_e5m2_e4m3_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32", "llvm.nvvm.mma.m16n8k16.row.col.f32.e5m2.e4m3.f32";
        sync_aligned_m16n8k16_row_col_f32_e5m2_e5m2_f32 = "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32", "llvm.nvvm.mma.m16n8k16.row.col.f32.e5m2.e5m2.f32";
    }
    isa "8.4" on sm_90: (u32 a0 a1 a2 a3) (u32 b0 b1) (f32 c0 c1 c2 c3) -> (f32 d0 d1 d2 d3) {
        sync_aligned_m16n8k32_row_col_f32_e4m3_e4m3_f32 = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32";
        sync_aligned_m16n8k32_row_col_f32_e4m3_e5m2_f32 = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32";
        sync_aligned_m16n8k32_row_col_f32_e5m2_e4m3_f32 = "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e4m3.f32";
        sync_aligned_m16n8k32_row_col_f32_e5m2_e5m2_f32 = "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e5m2.f32";
    }
    isa "8.7" on sm_90: (u32 a0 a1) (u32 b0) (half c0 c1) -> (half d0 d1) {
        sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3_f16 = "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16", "llvm.nvvm.mma.m16n8k16.row.col.f16.e4m3.e4m3.f16";
        sync_aligned_m16n8k16_row_col_f16_e4m3_e5m2_f16 = "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16", "llvm.nvvm.mma.m16n8k16.row.col.f16.e4m3.e5m2.f16";
        sync_aligned_m16n8k16_row_col_f16_e5m2_e4m3_f16 = "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16", "llvm.nvvm.mma.m16n8k16.row.col.f16.e5m2.e4m3.f16";
        sync_aligned_m16n8k16_row_col_f16_e5m2_e5m2_f16 = "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16", "llvm.nvvm.mma.m16n8k16.row.col.f16.e5m2.e5m2.f16";
    }
    isa "8.7" on sm_90: (u32 a0 a1 a2 a3) (u32 b0 b1) (half c0 c1) -> (half d0 d1) {
        sync_aligned_m16n8k32_row_col_f16_e4m3_e4m3_f16 = "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", "llvm.nvvm.mma.m16n8k32.row.col.f16.e4m3.e4m3.f16";
        sync_aligned_m16n8k32_row_col_f16_e4m3_e5m2_f16 = "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", "llvm.nvvm.mma.m16n8k32.row.col.f16.e4m3.e5m2.f16";
        sync_aligned_m16n8k32_row_col_f16_e5m2_e4m3_f16 = "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16", "llvm.nvvm.mma.m16n8k32.row.col.f16.e5m2.e4m3.f16";
        sync_aligned_m16n8k32_row_col_f16_e5m2_e5m2_f16 = "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16", "llvm.nvvm.mma.m16n8k32.row.col.f16.e5m2.e5m2.f16";
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
