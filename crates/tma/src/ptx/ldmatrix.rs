//! `ldmatrix`, matrices that a warp loads from shared memory. PTX ISA 9.7.14.5.15.
//!
//! The addresses are generic ones: LLVM's intrinsics take no others from Rust.

/// Loads of so many matrices.
macro_rules! loads {
    ($($name:ident = $mnemonic:literal, $intrinsic:ident, $count:literal, $lanes:literal, [$($part:ident)+];)+) => {
    device_fn! {$(
        #[doc = concat!("`", $mnemonic, " result, [row];`")]
        ///
        /// Loads matrices of 8 x 8 halves. A lane gets two elements in a row of each: lane `t` the elements
        /// `2 * (t % 4)` and the next of row `t / 4`, or with `trans` of column `t / 4`.
        isa "7.0" on sm_80;
        /// # Safety
        /// 1. All threads of the warp reach this same call together.
        #[doc = concat!("2. ", $lanes)]
        /// 3. The bytes were written, that happens before, and nobody writes them at the same time.
        #[doc(alias = "ldmatrix")]
        pub unsafe fn $name(row: *const u8) -> [u32; $count] {
            // SAFETY: (1) to (3) are the caller's.
            let loads!(@pattern $($part)+) = unsafe { crate::intrinsics::$intrinsic(row) };
            [$($part),+]
        }
    )+} };
    (@pattern $one:ident) => { $one };
    (@pattern $($several:ident)+) => { ($($several,)+) };
}

loads! {
    sync_aligned_m8n8_x1 = "ldmatrix.sync.aligned.m8n8.x1.b16", ldmatrix_m8n8_x1, 1,
        "In each of the lanes 0 to 7 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a];
    sync_aligned_m8n8_x2 = "ldmatrix.sync.aligned.m8n8.x2.b16", ldmatrix_m8n8_x2, 2,
        "In each of the lanes 0 to 15 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b];
    sync_aligned_m8n8_x4 = "ldmatrix.sync.aligned.m8n8.x4.b16", ldmatrix_m8n8_x4, 4,
        "In each lane `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b c d];
    sync_aligned_m8n8_x1_trans = "ldmatrix.sync.aligned.m8n8.x1.trans.b16", ldmatrix_m8n8_x1_trans, 1,
        "As for [`sync_aligned_m8n8_x1`].", [a];
    sync_aligned_m8n8_x2_trans = "ldmatrix.sync.aligned.m8n8.x2.trans.b16", ldmatrix_m8n8_x2_trans, 2,
        "As for [`sync_aligned_m8n8_x2`].", [a b];
    sync_aligned_m8n8_x4_trans = "ldmatrix.sync.aligned.m8n8.x4.trans.b16", ldmatrix_m8n8_x4_trans, 4,
        "As for [`sync_aligned_m8n8_x4`].", [a b c d];
}
