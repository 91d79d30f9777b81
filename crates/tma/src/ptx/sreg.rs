//! Special registers. PTX ISA 10.

device_fn! {
    /// `mov.u32 value, %tid.x;` (`.y` for dimension 1, `.z` for 2) — this thread in its block.
    ///
    /// PTX ISA 2.0, every architecture.
    ///
    /// # Safety
    /// 1. None: a register is only read.
    #[doc(alias = "threadIdx")]
    pub unsafe fn tid<const DIMENSION: usize>() -> u32 {
        // SAFETY: (1).
        unsafe {
            match DIMENSION {
                0 => core::arch::nvptx::_thread_idx_x() as u32,
                1 => core::arch::nvptx::_thread_idx_y() as u32,
                _ => core::arch::nvptx::_thread_idx_z() as u32,
            }
        }
    }

    /// `mov.u32 value, %ntid.x;` (`.y`, `.z`) — threads of a block.
    ///
    /// PTX ISA 2.0, every architecture.
    ///
    /// # Safety
    /// 1. None: a register is only read.
    #[doc(alias = "blockDim")]
    pub unsafe fn ntid<const DIMENSION: usize>() -> u32 {
        // SAFETY: (1).
        unsafe {
            match DIMENSION {
                0 => core::arch::nvptx::_block_dim_x() as u32,
                1 => core::arch::nvptx::_block_dim_y() as u32,
                _ => core::arch::nvptx::_block_dim_z() as u32,
            }
        }
    }

    /// `mov.u32 value, %ctaid.x;` (`.y`, `.z`) — this block in the grid.
    ///
    /// PTX ISA 2.0, every architecture.
    ///
    /// # Safety
    /// 1. None: a register is only read.
    #[doc(alias = "blockIdx")]
    pub unsafe fn ctaid<const DIMENSION: usize>() -> u32 {
        // SAFETY: (1).
        unsafe {
            match DIMENSION {
                0 => core::arch::nvptx::_block_idx_x() as u32,
                1 => core::arch::nvptx::_block_idx_y() as u32,
                _ => core::arch::nvptx::_block_idx_z() as u32,
            }
        }
    }

    /// `mov.u32 value, %nctaid.x;` (`.y`, `.z`) — blocks of the grid.
    ///
    /// PTX ISA 2.0, every architecture.
    ///
    /// # Safety
    /// 1. None: a register is only read.
    #[doc(alias = "gridDim")]
    pub unsafe fn nctaid<const DIMENSION: usize>() -> u32 {
        // SAFETY: (1).
        unsafe {
            match DIMENSION {
                0 => core::arch::nvptx::_grid_dim_x() as u32,
                1 => core::arch::nvptx::_grid_dim_y() as u32,
                _ => core::arch::nvptx::_grid_dim_z() as u32,
            }
        }
    }

    /// `mov.u32 value, %laneid;` — this thread in its warp.
    ///
    /// PTX ISA 1.3, every architecture.
    ///
    /// # Safety
    /// 1. None: a register is only read.
    pub unsafe fn laneid() -> u32 {
        let value;
        // SAFETY: (1). The register never changes for a thread.
        unsafe {
            core::arch::asm!("mov.u32 {value}, %laneid;", value = out(reg32) value,
                options(pure, nomem, nostack, preserves_flags))
        }
        value
    }

    /// `mov.u32 value, %cluster_ctarank;` — this block in its cluster.
    ///
    /// PTX ISA 7.8, sm_90.
    ///
    /// # Safety
    /// 1. None: a register is only read.
    #[doc(alias = "get_sreg_cluster_ctarank")]
    pub unsafe fn cluster_ctarank() -> u32 {
        let value;
        // SAFETY: (1). The register never changes for a thread.
        unsafe {
            core::arch::asm!("mov.u32 {value}, %cluster_ctarank;", value = out(reg32) value,
                options(pure, nomem, nostack, preserves_flags))
        }
        value
    }

    /// `mov.u32 value, %cluster_nctarank;` — blocks of the cluster.
    ///
    /// PTX ISA 7.8, sm_90.
    ///
    /// # Safety
    /// 1. None: a register is only read.
    #[doc(alias = "get_sreg_cluster_nctarank")]
    pub unsafe fn cluster_nctarank() -> u32 {
        let value;
        // SAFETY: (1). The register never changes for a thread.
        unsafe {
            core::arch::asm!("mov.u32 {value}, %cluster_nctarank;", value = out(reg32) value,
                options(pure, nomem, nostack, preserves_flags))
        }
        value
    }
}
