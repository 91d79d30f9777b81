//! Barriers in shared memory: the effect of one operation on the following phases.

use tma::{
    SharedPtr, cluster,
    ptx::{
        Acquire, Cluster, Cta, Relaxed, Release, V0, V1, fence,
        mbarrier::{self, Mbarrier, Reported},
    },
    shared, thread,
};

use crate::io::{Io, NONE, Operands};

shared! {
    static BAR: Mbarrier;
}

/// Results of each block.
const RESULTS: u32 = 16;

/// The result of an arrival.
pub(crate) trait Given {
    /// The state of the phase, if there is one.
    fn state(self) -> Option<u64>;
}

impl Given for () {
    #[inline(always)]
    fn state(self) -> Option<u64> {
        None
    }
}

impl Given for u64 {
    #[inline(always)]
    fn state(self) -> Option<u64> {
        Some(self)
    }
}

/// Words: arrivals of a phase, the operand, bytes expected before, the script, bytes that complete,
/// results of the script whose state is requested.
#[inline(always)]
pub(crate) unsafe fn arrivals<R: Given>(io: Io, form: impl Fn(Operands) -> R) {
    arrivals_by::<false, R>(io, form);
}

/// Works like [`arrivals`]; the call of the first block takes effect in the blocks of word 6.
#[inline(always)]
pub(crate) unsafe fn arrivals_of_many(io: Io, form: impl Fn(Operands)) {
    arrivals_by::<true, ()>(io, form);
}

#[inline(always)]
unsafe fn arrivals_by<const MANY: bool, R: Given>(io: Io, form: impl Fn(Operands) -> R) {
    let bar = BAR::ptr();
    let first = thread::thread_idx().x == 0;
    if first {
        mbarrier::init(bar, io.word(0));
        fence::mbarrier_init_release_cluster();
        if io.word(2) > 0 {
            mbarrier::expect_tx::<Cta>(bar, io.word(2));
        }
    }
    cluster::sync();
    let mut state = None;
    if first && (!MANY || cluster::block_rank() == 0) {
        let operands = match MANY {
            true => Operands {
                m: io.word(6),
                ..of(bar, io)
            },
            false => of(bar, io),
        };
        state = form(operands).state();
    }
    cluster::sync();
    if first {
        follow(io, bar, state);
    }
    cluster::sync();
}

/// Works like [`arrivals`]; the call initialises the barrier.
#[inline(always)]
pub(crate) unsafe fn init(io: Io, form: impl Fn(Operands)) {
    let bar = BAR::ptr();
    if thread::thread_idx().x == 0 {
        form(of(bar, io));
        follow(io, bar, None);
    }
}

/// The barrier's memory is used for something else, then for a barrier again.
#[inline(always)]
pub(crate) unsafe fn inval(io: Io, form: impl Fn(Operands)) {
    let bar = BAR::ptr();
    if thread::thread_idx().x == 0 {
        mbarrier::init(bar, 1);
        form(of(bar, io));
        let words = bar.cast::<u32>();
        words.write(io.word(4));
        words.add(1).write(!io.word(4));
        io.put(RESULTS, 14, words.read());
        io.put(RESULTS, 15, words.add(1).read());
        mbarrier::init(bar, io.word(0));
        follow(io, bar, None);
    }
}

/// Arrivals that are pending before each arrival of a phase.
#[inline(always)]
pub(crate) unsafe fn pending_count(io: Io, form: impl Fn(Operands) -> u32) {
    let bar = BAR::ptr();
    if thread::thread_idx().x == 0 {
        mbarrier::init(bar, RESULTS);
        for index in 0..RESULTS {
            let w = mbarrier::arrive::<Release, Cta>(bar);
            io.put(RESULTS, index, form(Operands { w, ..of(bar, io) }));
        }
    }
}

/// Checks whether a barrier has the layout v0, and then whether it has v1.
#[inline(always)]
pub(crate) unsafe fn checked(io: Io, form: impl Fn(Operands) -> bool) {
    let bar = BAR::ptr();
    if thread::thread_idx().x == 0 {
        mbarrier::init_layout::<V0>(bar, 1);
        io.put(RESULTS, 0, form(of(bar, io)).into());
        mbarrier::inval(bar);
        mbarrier::init_layout::<V1>(bar, 1);
        io.put(RESULTS, 1, form(of(bar, io)).into());
    }
}

/// The result of a wait.
pub(crate) trait Answer {
    /// 1 if the phase has ended, plus 2 if something was reported.
    fn word(self) -> u32;
}

impl Answer for bool {
    #[inline(always)]
    fn word(self) -> u32 {
        self.into()
    }
}

impl Answer for Reported {
    #[inline(always)]
    fn word(self) -> u32 {
        let is_reported = self.is_done && (self.is_reported || self.value != 0);
        u32::from(self.is_done) | u32::from(is_reported) << 1
    }
}

/// Two phases; the question is put before and after each ends.
#[inline(always)]
pub(crate) unsafe fn waits<R: Answer>(io: Io, form: impl Fn(Operands) -> R) {
    let bar = BAR::ptr();
    if thread::thread_idx().x == 0 {
        mbarrier::init(bar, 2);
        for phase in 0..2 {
            let w = mbarrier::arrive::<Release, Cta>(bar);
            let operands = Operands {
                w,
                n: phase,
                m: 100,
                ..of(bar, io)
            };
            // The answer is used before the next arrival: a GPU continues with instructions that do not
            // need it, and while `try_wait` waits, an arrival after it may end the phase.
            io.put(RESULTS, 2 * phase, form(operands).word());
            let _ = mbarrier::arrive::<Release, Cta>(bar);
            io.put(RESULTS, 2 * phase + 1, form(operands).word());
        }
    }
}

/// The barrier, and the operand that the host chose.
#[inline(always)]
unsafe fn of(bar: SharedPtr<Mbarrier>, io: Io) -> Operands {
    Operands {
        a: bar.address(),
        p: bar.as_ptr().cast(),
        n: io.word(1),
        ..NONE
    }
}

/// Executes the script, two bits a step: 1 arrives, 2 completes bytes. After each step it writes
/// whether the number of ended phases is odd, and whether the state's phase has ended.
#[inline(always)]
unsafe fn follow(io: Io, bar: SharedPtr<Mbarrier>, state: Option<u64>) {
    let mut script = io.word(3);
    let mut index = 0;
    loop {
        let odd = mbarrier::test_wait_parity::<Acquire, Cta>(bar, 0);
        let mut result = u32::from(odd);
        if let Some(state) = state
            && index < io.word(5)
        {
            result |= u32::from(mbarrier::test_wait::<Acquire, Cta>(bar, state)) << 1;
        }
        io.put(RESULTS, index, result);
        index += 1;
        match script & 3 {
            0 => break,
            1 => {
                let _ = mbarrier::arrive::<Release, Cta>(bar);
            }
            _ => mbarrier::complete_tx::<Cta>(bar, io.word(4)),
        }
        script >>= 2;
    }
}
