//! The PTX instructions: a function for each form, `unsafe` if it has conditions.
//!
//! A module is an instruction family, named by the manual's mnemonic with dots as underscores; a
//! function is the rest of the mnemonic. Its doc has the PTX text, the PTX ISA version and the
//! lowest architecture that has it, from 7.0 and sm_80 on, or all of them where later ones do not follow;
//! a kernel that uses a wrapper which its architecture lacks does not compile.
//!
//! Modifiers without an operand are type parameters, in the order of the text: `arrive::<Release,
//! Cluster>` is `mbarrier.arrive.release.cluster`. State spaces follow from the types of
//! [addresses](crate::address), and numbers in the text are const parameters. Where an operand can be
//! left out, there is a function without it and one with it, named by its modifier.
//!
//! Section numbers refer to PTX ISA 9.1.
//!
//! Barriers and warp collectives are LLVM intrinsics, since LLVM may copy `asm!` into divergent
//! arms of a branch; instructions of a single thread are `asm!` that LLVM takes to touch all
//! memory.

#[macro_use]
pub(crate) mod macros;

mod intrinsics;
pub(crate) mod operand;

pub mod abs;
pub mod add;
pub mod applypriority;
pub mod atom;
pub mod barrier_cluster;
pub mod barrier_cta;
pub mod barrier_warp;
pub mod bfe;
pub mod bfi;
pub mod clock;
pub mod clusterlaunchcontrol;
pub mod cos;
pub mod cp_async;
pub mod cp_async_bulk;
pub mod cp_async_bulk_prefetch;
pub mod cp_async_bulk_prefetch_tensor;
pub mod cp_async_bulk_tensor;
pub mod cp_async_mbarrier_arrive;
pub mod cp_reduce_async_bulk;
pub mod cp_reduce_async_bulk_tensor;
pub mod createpolicy;
pub mod cvt;
pub mod cvta;
pub mod discard;
pub mod dp2a;
pub mod dp4a;
pub mod elect_sync;
pub mod ex2;
pub mod fence;
pub mod fma;
pub mod getctarank;
pub mod griddepcontrol;
pub mod isspacep;
pub mod ld_global;
pub mod ld_shared;
pub mod ldmatrix;
pub mod lg2;
pub mod mapa;
pub mod max;
pub mod mbarrier;
pub mod min;
pub mod mma;
pub mod movmatrix;
pub mod mul;
pub mod nanosleep;
pub mod neg;
pub mod prefetch;
pub mod prmt;
pub mod rcp;
pub mod red_async;
pub mod red_shared;
pub mod rsqrt;
pub mod setmaxnreg;
pub mod shared_symbol;
pub mod shfl_sync;
pub mod sin;
pub mod sqrt;
pub mod sreg;
pub mod st_async;
pub mod st_bulk;
pub mod st_global;
pub mod st_shared;
pub mod stmatrix;
pub mod sub;
pub mod tanh;
pub mod tensormap_cp_fenceproxy;
pub mod tensormap_replace;
pub mod vote_sync;
pub mod wgmma;

pub use operand::modifier::*;
