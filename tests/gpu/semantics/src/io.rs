//! The inputs and outputs of templates.

use tma::{ClusterPtr, GlobalPtr, SharedPtr, TensorMap, cluster, ptx::mapa, thread};

/// The arguments of a kernel's launch.
#[derive(Clone, Copy)]
pub(crate) struct Io {
    pub(crate) map: *const TensorMap,
    /// Numbers from the host, in each template's own order.
    pub(crate) words: *const u32,
    /// Global memory to copy from and to.
    pub(crate) memory: *mut u8,
    /// The results.
    pub(crate) out: *mut u32,
}

impl Io {
    /// A number from the host.
    #[inline(always)]
    pub(crate) unsafe fn word(self, index: usize) -> u32 {
        *self.words.add(index)
    }

    /// Writes one of `per_block` results of each block.
    #[inline(always)]
    pub(crate) unsafe fn put(self, per_block: u32, index: u32, value: u32) {
        let block = thread::block_idx().x;
        *self.out.add((block * per_block + index) as usize) = value;
    }
}

/// The operands of a call, named as in the table of forms.
#[derive(Clone, Copy)]
pub(crate) struct Operands {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
    pub(crate) d: *mut u8,
    pub(crate) e: f64,
    pub(crate) f: f32,
    pub(crate) g: f32,
    pub(crate) h: u16,
    pub(crate) i: u16,
    pub(crate) j: u16,
    pub(crate) k: u16,
    pub(crate) l: i64,
    pub(crate) m: u32,
    pub(crate) n: u32,
    pub(crate) o: u16,
    pub(crate) p: *mut u8,
    pub(crate) q: u32,
    pub(crate) r: u64,
    pub(crate) s: u16,
    pub(crate) t: i32,
    pub(crate) u: i32,
    pub(crate) v: u64,
    pub(crate) w: u64,
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) z: i32,
}

/// No operands.
pub(crate) const NONE: Operands = Operands {
    a: 0,
    b: 0,
    c: 0,
    d: core::ptr::null_mut(),
    e: 0.0,
    f: 0.0,
    g: 0.0,
    h: 0,
    i: 0,
    j: 0,
    k: 0,
    l: 0,
    m: 0,
    n: 0,
    o: 0,
    p: core::ptr::null_mut(),
    q: 0,
    r: 0,
    s: 0,
    t: 0,
    u: 0,
    v: 0,
    w: 0,
    x: 0,
    y: 0,
    z: 0,
};

/// An address in this block's shared memory.
#[inline(always)]
pub(crate) fn shared<T>(address: u32) -> SharedPtr<T> {
    SharedPtr::from_address(address)
}

/// Returns the same address in the other block of a cluster of two; in this one, if it has no other.
#[inline(always)]
pub(crate) fn cluster<T>(address: u32) -> ClusterPtr<T> {
    let other = cluster::block_rank() ^ (cluster::blocks() - 1);
    // SAFETY: the rank is below the blocks of the cluster.
    unsafe { mapa::shared_cluster_u32(SharedPtr::from_address(address), other) }
}

/// An address in global memory.
#[inline(always)]
pub(crate) fn global(pointer: *mut u8) -> GlobalPtr<TensorMap> {
    GlobalPtr::from_ptr(pointer.cast())
}

/// A generic address.
#[inline(always)]
pub(crate) fn generic<T>(pointer: *mut u8) -> *mut T {
    pointer.cast()
}
