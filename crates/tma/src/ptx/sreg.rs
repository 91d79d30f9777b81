//! Special registers. PTX ISA 10.

/// `mov.u32 value, %tid.x;` (`.y` for dimension 1, `.z` for 2) — this thread in its block.
#[doc(alias = "threadIdx")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub fn tid<const DIMENSION: usize>() -> u32 {
    // SAFETY: a register is only read.
    unsafe {
        match DIMENSION {
            0 => core::arch::nvptx::_thread_idx_x() as u32,
            1 => core::arch::nvptx::_thread_idx_y() as u32,
            _ => core::arch::nvptx::_thread_idx_z() as u32,
        }
    }
}

/// `mov.u32 value, %ntid.x;` (`.y`, `.z`) — threads of a block.
#[doc(alias = "blockDim")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub fn ntid<const DIMENSION: usize>() -> u32 {
    // SAFETY: a register is only read.
    unsafe {
        match DIMENSION {
            0 => core::arch::nvptx::_block_dim_x() as u32,
            1 => core::arch::nvptx::_block_dim_y() as u32,
            _ => core::arch::nvptx::_block_dim_z() as u32,
        }
    }
}

/// `mov.u32 value, %ctaid.x;` (`.y`, `.z`) — this block in the grid.
#[doc(alias = "blockIdx")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub fn ctaid<const DIMENSION: usize>() -> u32 {
    // SAFETY: a register is only read.
    unsafe {
        match DIMENSION {
            0 => core::arch::nvptx::_block_idx_x() as u32,
            1 => core::arch::nvptx::_block_idx_y() as u32,
            _ => core::arch::nvptx::_block_idx_z() as u32,
        }
    }
}

/// `mov.u32 value, %nctaid.x;` (`.y`, `.z`) — blocks of the grid.
#[doc(alias = "gridDim")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub fn nctaid<const DIMENSION: usize>() -> u32 {
    // SAFETY: a register is only read.
    unsafe {
        match DIMENSION {
            0 => core::arch::nvptx::_grid_dim_x() as u32,
            1 => core::arch::nvptx::_grid_dim_y() as u32,
            _ => core::arch::nvptx::_grid_dim_z() as u32,
        }
    }
}

/// Registers that never change for a thread.
macro_rules! constant_registers {
    ($($(#[$attribute:meta])* $name:ident = $register:literal isa $isa:literal on $arch:ident;)*) => { $(
        #[doc = concat!("`mov.u32 value, %", $register, ";`")]
        ///
        $(#[$attribute])*
        #[device_fn(isa = $isa, arch = $arch)]
        pub fn $name() -> u32 {
            let value;
            // SAFETY: a register is only read. No memory is touched.
            unsafe {
                core::arch::asm!(
                    concat!("mov.u32 {value}, %", $register, ";"),
                    value = out(reg32) value,
                    options(pure, nomem, nostack, preserves_flags),
                )
            }
            value
        }
    )* };
}

constant_registers! {
    /// The number of this thread in its warp.
    #[doc(alias = "get_sreg_laneid")]
    laneid = "laneid" isa "7.0" on sm_80;
    /// The rank of this block in its cluster.
    #[doc(alias = "get_sreg_cluster_ctarank")]
    cluster_ctarank = "cluster_ctarank" isa "7.8" on sm_90;
    /// The number of blocks of the cluster.
    #[doc(alias = "get_sreg_cluster_nctarank")]
    cluster_nctarank = "cluster_nctarank" isa "7.8" on sm_90;
}

/// Registers with three dimensions that never change for a thread.
macro_rules! constant_vectors {
    ($($(#[$attribute:meta])* $name:ident = $register:literal;)*) => { $(
        #[doc = concat!("`mov.u32 value, %", $register, ".x;` (`.y` for dimension 1, `.z` for 2)")]
        ///
        $(#[$attribute])*
        #[device_fn(isa = "7.8", arch = sm_90)]
        pub fn $name<const DIMENSION: usize>() -> u32 {
            let value;
            // SAFETY: a register is only read. No memory is touched.
            unsafe {
                match DIMENSION {
                    0 => constant_vectors!(@read value, $register, ".x"),
                    1 => constant_vectors!(@read value, $register, ".y"),
                    _ => constant_vectors!(@read value, $register, ".z"),
                }
            }
            value
        }
    )* };
    (@read $value:ident, $register:literal, $dimension:literal) => {
        core::arch::asm!(
            concat!("mov.u32 {value}, %", $register, $dimension, ";"),
            value = out(reg32) $value,
            options(pure, nomem, nostack, preserves_flags),
        )
    };
}

constant_vectors! {
    /// The index of this cluster in the grid.
    #[doc(alias = "get_sreg_clusterid")]
    clusterid = "clusterid";
    /// The number of clusters of the grid.
    #[doc(alias = "get_sreg_nclusterid")]
    nclusterid = "nclusterid";
    /// The index of this block in its cluster.
    #[doc(alias = "get_sreg_cluster_ctaid")]
    cluster_ctaid = "cluster_ctaid";
    /// The number of blocks of the cluster.
    #[doc(alias = "get_sreg_cluster_nctaid")]
    cluster_nctaid = "cluster_nctaid";
}

/// `mov.pred is, %is_explicit_cluster;` — true if the launch has explicit clusters.
#[doc(alias = "get_sreg_is_explicit_cluster")]
#[device_fn(isa = "7.8", arch = sm_90)]
pub fn is_explicit_cluster() -> bool {
    let is: u32;
    // SAFETY: a register is only read. No memory is touched.
    unsafe {
        ptx_asm! { [pure nomem]
            ("{{ .reg .pred p; mov.pred p, %is_explicit_cluster; selp.b32 {is}, 1, 0, p; }}" "";
                is = out(reg32) is)
        }
    }
    is != 0
}
