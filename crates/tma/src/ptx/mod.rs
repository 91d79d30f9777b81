//! The PTX instructions, one `unsafe` function per form, and nothing above them.
//!
//! A module is an instruction family, named by the manual's mnemonic with dots as underscores; a
//! function is the rest of the mnemonic. Each says the PTX text, the PTX ISA version and the
//! lowest architecture that has it. Where the text of a form names no semantics or scope, the
//! manual's defaults hold: `.release` or `.acquire`, and `.cta`.
//!
//! Section numbers are those of PTX ISA 9.1.
//!
//! Barriers and warp collectives are LLVM intrinsics, since LLVM may copy `asm!` into divergent
//! arms of a branch; instructions of a single thread are `asm!` that LLVM takes to touch all
//! memory.

pub mod barrier_cluster;
pub mod barrier_cta;
pub mod barrier_warp;
pub mod clock;
pub mod cp_async_bulk;
pub mod cp_async_bulk_tensor;
pub mod cvta;
pub mod elect_sync;
pub mod fence;
pub mod ld_shared;
pub mod mbarrier;
pub mod shared_symbol;
pub mod shfl_sync;
pub mod sreg;
pub mod st_shared;
pub mod vote_sync;
