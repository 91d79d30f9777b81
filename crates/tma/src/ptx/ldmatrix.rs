//! `ldmatrix`, matrices that a warp loads from shared memory. PTX ISA 9.7.14.5.15.
//!
//! The addresses are generic ones, since LLVM's intrinsics take no others from Rust; the builder adds `.shared`
//! where it sees one made from an address of the window.

/// Loads of one to four matrices.
macro_rules! loads {
    ($(isa $isa:literal on $arch:ident, $what:literal {
        $($name:ident = $mnemonic:literal, $intrinsic:ident, $count:literal, $lanes:literal, [$($part:ident)+];)+
    })+) => { $(loads! { @each $isa $arch $what
        $($name = $mnemonic, $intrinsic, $count, $lanes, [$($part)+];)+ })+ };
    (@each $isa:literal $arch:ident $what:literal
        $($name:ident = $mnemonic:literal, $intrinsic:ident, $count:literal, $lanes:literal, [$($part:ident)+];)+) => {
    $(
        #[doc = concat!("`", $mnemonic, " result, [row];`")]
        ///
        #[doc = $what]
        ///
        /// # Safety
        /// 1. All threads of the warp reach this same call together.
        #[doc = concat!("2. ", $lanes)]
        /// 3. The bytes were written, that happens before, and no thread writes them at the same time.
        #[doc(alias = "ldmatrix")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<T>(row: *const T) -> [u32; $count] {
            // SAFETY: the whole warp takes part (1) with addresses of rows (2), which are initialised and not written
            // meanwhile (3).
            let loads!(@pattern $($part)+) = unsafe { crate::ptx::intrinsics::$intrinsic(row.cast()) };
            [$($part),+]
        }
    )+ };
    (@pattern $one:ident) => { $one };
    (@pattern $($several:ident)+) => { ($($several,)+) };
}

loads! {
    isa "7.0" on sm_80, "Loads matrices of 8 x 8 halves. A lane gets two elements in a row of each: lane `t` the elements \
        `2 * (t % 4)` and the next of row `t / 4`, or with `trans` of column `t / 4`." {
        sync_aligned_m8n8_x1 = "ldmatrix.sync.aligned.m8n8.x1.b16", ldmatrix_m8n8_x1, 1,
            "In each of the lanes 0 to 7 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a];
        sync_aligned_m8n8_x2 = "ldmatrix.sync.aligned.m8n8.x2.b16", ldmatrix_m8n8_x2, 2,
            "In each of the lanes 0 to 15 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b];
        sync_aligned_m8n8_x4 = "ldmatrix.sync.aligned.m8n8.x4.b16", ldmatrix_m8n8_x4, 4,
            "In each lane `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b c d];
        sync_aligned_m8n8_x1_trans = "ldmatrix.sync.aligned.m8n8.x1.trans.b16", ldmatrix_m8n8_x1_trans, 1,
            "The condition of [`sync_aligned_m8n8_x1`] holds.", [a];
        sync_aligned_m8n8_x2_trans = "ldmatrix.sync.aligned.m8n8.x2.trans.b16", ldmatrix_m8n8_x2_trans, 2,
            "The condition of [`sync_aligned_m8n8_x2`] holds.", [a b];
        sync_aligned_m8n8_x4_trans = "ldmatrix.sync.aligned.m8n8.x4.trans.b16", ldmatrix_m8n8_x4_trans, 4,
            "The condition of [`sync_aligned_m8n8_x4`] holds.", [a b c d];
    }
    isa "8.6" on sm_100a_or_sm_120a, "Loads matrices of 16 x 16 bytes and transposes them. A row of elements of 6 or 4 bits \
        has 12 or 8 bytes, with 4 or 8 unused bytes after them; each element becomes a byte." {
        sync_aligned_m16n16_x1_trans_b8 = "ldmatrix.sync.aligned.m16n16.x1.trans.b8", ldmatrix_m16n16_x1_trans_b8, 2,
            "In each of the lanes 0 to 15 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b];
        sync_aligned_m16n16_x1_trans_b8x16_b6x16_p32 = "ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b6x16_p32", ldmatrix_m16n16_x1_trans_b8x16_b6x16_p32, 2,
            "In each of the lanes 0 to 15 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b];
        sync_aligned_m16n16_x1_trans_b8x16_b4x16_p64 = "ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b4x16_p64", ldmatrix_m16n16_x1_trans_b8x16_b4x16_p64, 2,
            "In each of the lanes 0 to 15 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b];
        sync_aligned_m16n16_x2_trans_b8 = "ldmatrix.sync.aligned.m16n16.x2.trans.b8", ldmatrix_m16n16_x2_trans_b8, 4,
            "In each lane `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b c d];
        sync_aligned_m16n16_x2_trans_b8x16_b6x16_p32 = "ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b6x16_p32", ldmatrix_m16n16_x2_trans_b8x16_b6x16_p32, 4,
            "In each lane `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b c d];
        sync_aligned_m16n16_x2_trans_b8x16_b4x16_p64 = "ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b4x16_p64", ldmatrix_m16n16_x2_trans_b8x16_b4x16_p64, 4,
            "In each lane `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b c d];
    }
    isa "8.6" on sm_100a_or_sm_120a, "Loads matrices of 8 rows and 16 columns, of 6 or 4 bits: a row has 12 or 8 bytes, with 4 \
        or 8 unused bytes after them; each element becomes a byte." {
        sync_aligned_m8n16_x1_b8x16_b6x16_p32 = "ldmatrix.sync.aligned.m8n16.x1.b8x16.b6x16_p32", ldmatrix_m8n16_x1_b8x16_b6x16_p32, 1,
            "In each of the lanes 0 to 7 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a];
        sync_aligned_m8n16_x1_b8x16_b4x16_p64 = "ldmatrix.sync.aligned.m8n16.x1.b8x16.b4x16_p64", ldmatrix_m8n16_x1_b8x16_b4x16_p64, 1,
            "In each of the lanes 0 to 7 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a];
        sync_aligned_m8n16_x2_b8x16_b6x16_p32 = "ldmatrix.sync.aligned.m8n16.x2.b8x16.b6x16_p32", ldmatrix_m8n16_x2_b8x16_b6x16_p32, 2,
            "In each of the lanes 0 to 15 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b];
        sync_aligned_m8n16_x2_b8x16_b4x16_p64 = "ldmatrix.sync.aligned.m8n16.x2.b8x16.b4x16_p64", ldmatrix_m8n16_x2_b8x16_b4x16_p64, 2,
            "In each of the lanes 0 to 15 `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b];
        sync_aligned_m8n16_x4_b8x16_b6x16_p32 = "ldmatrix.sync.aligned.m8n16.x4.b8x16.b6x16_p32", ldmatrix_m8n16_x4_b8x16_b6x16_p32, 4,
            "In each lane `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b c d];
        sync_aligned_m8n16_x4_b8x16_b4x16_p64 = "ldmatrix.sync.aligned.m8n16.x4.b8x16.b4x16_p64", ldmatrix_m8n16_x4_b8x16_b4x16_p64, 4,
            "In each lane `row` points to 16 bytes in this block's shared memory, at a multiple of 16.", [a b c d];
    }
}
