//! Instructions that came after sm_90 and resemble no earlier ones.

use core::sync::atomic::{AtomicU32, Ordering};

use tma::{
    SharedPtr, cluster,
    ptx::{
        Acquire, Cluster, Relaxed, barrier_cluster, clusterlaunchcontrol, fence,
        mbarrier::{self, Mbarrier},
    },
    shared, thread,
};

use super::bulk::Block;
use crate::io::{Io, NONE, Operands};

/// Executes one store or reduction in global memory, at byte 16. Words: the value.
#[inline(always)]
pub(crate) unsafe fn published(io: Io, form: impl Fn(Operands)) {
    if thread::thread_idx().x == 0 {
        let n = io.word(0);
        let w = u64::from(n) | u64::from(io.word(1)) << 32;
        form(Operands {
            p: io.memory.add(16),
            h: n as u16,
            n,
            x: n as i32,
            f: f32::from_bits(n),
            w,
            l: w as i64,
            ..NONE
        });
        *io.out = n;
    }
}

/// Bytes of the region become zeros.
#[inline(always)]
pub(crate) unsafe fn zeroed(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    block.fill();
    thread::sync_threads();
    if thread::thread_idx().x == 0 {
        let operands = block.operands();
        form(Operands {
            w: operands.n.into(),
            ..operands
        });
    }
    thread::sync_threads();
    block.write_out(true, true);
}

/// The call requests the work of a cluster that has not begun; word 0 is 1 if it does so for all
/// blocks of the cluster. Results: the number of times that the work of each block was done.
#[inline(always)]
pub(crate) unsafe fn cancelled(io: Io, form: impl Fn(Operands)) {
    let is_cancelled =
        |Operands { w, v, .. }| clusterlaunchcontrol::query_cancel_is_canceled([w, v]);
    let first =
        |Operands { w, v, .. }| clusterlaunchcontrol::query_cancel_get_first_ctaid_v4([w, v]);
    take_over(io, form, is_cancelled, first);
}

/// Works like [`cancelled`], if the call queries whether there is work.
#[inline(always)]
pub(crate) unsafe fn is_cancelled(io: Io, form: impl Fn(Operands) -> bool) {
    let first =
        |Operands { w, v, .. }| clusterlaunchcontrol::query_cancel_get_first_ctaid_v4([w, v]);
    take_over(io, |operands| ask(operands), form, first);
}

/// Works like [`cancelled`], if the call queries the work.
#[inline(always)]
pub(crate) unsafe fn first_cancelled(io: Io, form: impl Fn(Operands) -> [u32; 3]) {
    let is_cancelled =
        |Operands { w, v, .. }| clusterlaunchcontrol::query_cancel_is_canceled([w, v]);
    take_over(io, |operands| ask(operands), is_cancelled, form);
}

#[inline(always)]
unsafe fn ask(Operands { a, b, .. }: Operands) {
    let answer = SharedPtr::<[u64; 2]>::from_address(a);
    clusterlaunchcontrol::try_cancel_async_shared_cta(answer, SharedPtr::from_address(b));
}

#[inline(always)]
unsafe fn take_over(
    io: Io,
    request: impl Fn(Operands),
    is_cancelled: impl Fn(Operands) -> bool,
    first: impl Fn(Operands) -> [u32; 3],
) {
    shared! {
        static ANSWER: [u64; 2] align 16;
        static ASKED: Mbarrier;
    }
    let (answer, bar) = (ANSWER::ptr(), ASKED::ptr());
    let own = cluster::block_rank();
    let is_first = thread::thread_idx().x == 0;
    if is_first {
        mbarrier::init(bar, 1);
        fence::mbarrier_init_release_cluster();
    }
    cluster::sync();
    let mut work = thread::block_idx().x;
    let mut parity = 0;
    loop {
        if is_first {
            AtomicU32::from_ptr(io.out.add(work as usize)).fetch_add(1, Ordering::Relaxed);
            mbarrier::arrive_expect_tx_sink::<Relaxed, Cluster>(bar, 16);
            if own == 0 {
                request(Operands {
                    a: answer.address(),
                    b: bar.address(),
                    ..NONE
                });
            }
        }
        while !mbarrier::try_wait_parity::<Acquire, Cluster>(bar, parity) {}
        parity ^= 1;
        let operands = Operands {
            w: answer.at(0).read(),
            v: answer.at(1).read(),
            ..NONE
        };
        if !is_cancelled(operands) {
            break;
        }
        work = first(operands)[0] + own;
        fence::proxy_async_generic_release_sync_restrict_shared_cta_cluster();
        barrier_cluster::arrive_relaxed();
        barrier_cluster::wait();
        fence::proxy_async_generic_acquire_sync_restrict_shared_cluster_cluster();
    }
}
