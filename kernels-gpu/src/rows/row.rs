use core::array;

use tma::{SharedPtr, Threads, Warp, math, memory, shared};

use super::{Floats, MOST_THREADS, Number, SHORT};

/// Words that one instruction moves.
pub(crate) type Vector = [u32; 4];

const MOST_WARPS: usize = MOST_THREADS as usize / 32;

shared! {
    /// A number of each warp that works on the row, for the first reduction and for the second one.
    static OF_WARPS: [[f32; MOST_WARPS]; 2];
}

/// Evaluates the expression for each of the vectors that a thread has of a row, with its turn and index; not in a loop if
/// something of them stays in registers, since it would keep that in local memory.
macro_rules! for_each {
    ($turn:ident, $index:ident of $parameters:expr, $act:expr) => {
        if VECTORS == SHORT {
            for_each! { @ $turn, $index, $parameters, $act; 0 1 2 3 }
        } else {
            let $turn = 0;
            let [first, count] = $parameters.of_warp();
            let mut $index = first + $parameters.warp.lane();
            if $parameters.is_full {
                for _ in 0..VECTORS {
                    $act;
                    $index += Warp::LANES;
                }
            } else {
                while $index < first + count {
                    $act;
                    $index += Warp::LANES;
                }
            }
        }
    };
    (@ $turn:ident, $index:ident, $parameters:expr, $act:expr; $($number:literal)*) => {$({
        let $turn: usize = $number;
        if let Some($index) = $parameters.index($turn) {
            $act;
        }
    })*};
}

/// The parameters of a thread's columns. A warp has contiguous vectors of a row, and a thread each 32nd of them.
pub(crate) struct Parameters<T, G, const VECTORS: usize, const P: usize> {
    sources: [*const T; P],
    /// Them, if they stay in registers.
    held: [[Vector; P]; VECTORS],
    group: G,
    warp: Warp,
    vectors: u32,
    /// True if it is known that each thread has all of its vectors.
    is_full: bool,
}

impl<T: Number, G: Threads, const VECTORS: usize, const P: usize> Parameters<T, G, VECTORS, P> {
    /// The most vectors of a warp.
    const OF_WARP: u32 = Warp::LANES * VECTORS as u32;
    /// Parameters of short rows stay in registers.
    const HELD: bool = VECTORS == SHORT;
    /// So does a short row, unless parameters have taken the registers.
    const HOLDS_ROW: bool = Self::HELD && P == 0;

    /// # Safety
    /// 1. `sources` have `vectors` vectors each, at multiples of 16 bytes, that no thread writes while the kernel
    ///    runs. With `is_full` they are `VECTORS` for each thread of the group.
    #[inline(always)]
    pub(super) unsafe fn new(
        sources: [*const T; P],
        group: G,
        warp: Warp,
        vectors: u32,
        is_full: bool,
    ) -> Self {
        let mut new = Self {
            sources,
            held: [[[0; 4]; P]; VECTORS],
            group,
            warp,
            vectors,
            is_full,
        };
        if Self::HELD {
            for_each!(turn, index of new, {
                // SAFETY: the sources have the vectors of all rows (1), and the index is one of a row.
                new.held[turn] = array::from_fn(|number| unsafe { new.load(number, index) });
            });
        }
        new
    }

    /// Returns the index of the warp's first vector and the number of its vectors.
    #[inline(always)]
    pub(super) fn of_warp(&self) -> [u32; 2] {
        let first = (self.group.thread() - self.warp.lane()) * VECTORS as u32;
        let most = self.vectors - first;
        [first, most.min(Self::OF_WARP)]
    }

    /// Returns the index of this thread's vector `turn`; `None` where the row has ended.
    #[inline(always)]
    fn index(&self, turn: usize) -> Option<u32> {
        let [first, _] = self.of_warp();
        let index = first + turn as u32 * Warp::LANES + self.warp.lane();
        (self.is_full || index < self.vectors).then_some(index)
    }

    /// # Safety
    /// 1. The condition of `new`; a row has the vector.
    #[inline(always)]
    unsafe fn load(&self, parameter: usize, index: u32) -> Vector {
        let source = self.sources[parameter].cast::<Vector>();
        // SAFETY: the row has this vector (1).
        unsafe { memory::load_nc(source.add(index as usize)) }
    }

    /// Returns the values of vector `turn`, at index `index`.
    #[inline(always)]
    fn values(&self, turn: usize, index: u32) -> [T::Floats; P] {
        array::from_fn(|parameter| {
            T::floats(if Self::HELD {
                self.held[turn][parameter]
            } else {
                // SAFETY: `new` requires it, and `index` belongs to a vector of the row.
                unsafe { self.load(parameter, index) }
            })
        })
    }
}

/// This thread's part of a row.
pub(crate) struct Row<'a, T: Number, G, const VECTORS: usize, const P: usize> {
    parameters: &'a Parameters<T, G, VECTORS, P>,
    len: u32,
    stage: SharedPtr<Vector>,
    /// The elements, if they stay in registers.
    held: [T::Floats; VECTORS],
    /// Reductions so far.
    reductions: u32,
}

impl<'a, T: Number, G: Threads, const VECTORS: usize, const P: usize> Row<'a, T, G, VECTORS, P> {
    /// # Safety
    /// 1. The stage has a row; only a vector's own thread uses it. Threads that work synchronise between two
    ///    rows.
    #[inline(always)]
    pub(super) unsafe fn new(
        parameters: &'a Parameters<T, G, VECTORS, P>,
        len: u32,
        stage: SharedPtr<Vector>,
    ) -> Self {
        let mut row = Self {
            parameters,
            len,
            stage,
            held: [T::Floats::splat(0.0); VECTORS],
            reductions: 0,
        };
        if Parameters::<T, G, VECTORS, P>::HOLDS_ROW {
            for_each!(turn, index of parameters, {
                // SAFETY: the vector is in the row (1).
                row.held[turn] = T::floats(unsafe { stage.add(index).read() });
            });
        }
        row
    }

    /// Returns the elements of vector `turn`, at index `index`.
    #[inline(always)]
    fn elements(&self, turn: usize, index: u32) -> T::Floats {
        if Parameters::<T, G, VECTORS, P>::HOLDS_ROW {
            self.held[turn]
        } else {
            // SAFETY: the vector is in the row, and this thread's (1 of `new`).
            T::floats(unsafe { self.stage.add(index).read() })
        }
    }

    /// Replaces each element by `change` of it, and returns whether it did: not if the row does not stay in registers.
    #[inline(always)]
    pub(crate) fn change(&mut self, change: impl Fn(f32) -> f32) -> bool {
        if Parameters::<T, G, VECTORS, P>::HOLDS_ROW {
            self.held = self
                .held
                .map(|floats| floats.map_with([], |element, []| change(element)));
        }
        Parameters::<T, G, VECTORS, P>::HOLDS_ROW
    }

    /// Returns the number of elements of the row.
    #[inline(always)]
    pub(crate) fn len(&self) -> f32 {
        self.len as f32
    }

    /// Returns the first element, which a reduction must follow: it orders the read before the results. Collective of the
    /// working threads.
    #[inline(always)]
    pub(crate) fn first(&self) -> f32 {
        let Parameters { group, warp, .. } = *self.parameters;
        // SAFETY: the stage has a vector (1 of `new`), which no thread writes before `finish`.
        let read = || T::floats(unsafe { self.stage.read() }).first();
        if group.threads() == Warp::LANES {
            // The shuffles of a reduction order no accesses: the thread reads that has the vector.
            warp.shuffle(if warp.lane() == 0 { read() } else { 0.0 }, 0)
        } else {
            read()
        }
    }

    /// Leaves the results in the stage: `result` of each element and of the parameters of its column.
    #[inline(always)]
    pub(crate) fn finish(self, result: impl Fn(f32, [f32; P]) -> f32) {
        for_each!(turn, index of self.parameters, {
            let parameters = self.parameters.values(turn, index);
            let results = self.elements(turn, index).map_with(parameters, &result);
            // SAFETY: the vector is this thread's (1 of `new`).
            unsafe { self.stage.add(index).write(T::vector(results)) };
        });
    }

    /// Returns the sum of `of` each element. Collective of the working threads.
    #[inline(always)]
    pub(crate) fn sum(&mut self, of: impl Fn(f32) -> f32) -> f32 {
        self.reduce(0.0, |sum, element| sum + of(element), |a, b| a + b)
    }

    /// Returns the sum of the squares of `of` each element. Collective of the working threads.
    #[inline(always)]
    pub(crate) fn sum_of_squares(&mut self, of: impl Fn(f32) -> f32) -> f32 {
        let add = |sum, element| {
            let number = of(element);
            math::fma(number, number, sum)
        };
        self.reduce(0.0, add, |a, b| a + b)
    }

    /// Returns the greatest element; where one is a NaN, the greatest of the others. Collective of the working threads.
    #[inline(always)]
    pub(crate) fn greatest(&mut self) -> f32 {
        self.reduce(f32::NEG_INFINITY, f32::max, f32::max)
    }

    /// Reduces the elements, in any order: `add` takes one into a thread's value, from `neutral` on, and
    /// `combine` joins the values of two threads. Every thread gets the result.
    #[inline(always)]
    fn reduce(
        &mut self,
        neutral: f32,
        add: impl Fn(f32, f32) -> f32,
        combine: impl Fn(f32, f32) -> f32,
    ) -> f32 {
        // One for each place in a vector: they do not wait for each other.
        let mut all = T::Floats::splat(neutral);
        for_each!(turn, index of self.parameters, {
            let elements = self.elements(turn, index);
            all = all.map_with([elements], |all, [element]| add(all, element));
        });
        let Parameters { group, warp, .. } = *self.parameters;
        let warps = group.threads() / Warp::LANES;
        let of_warp = warp.reduce(all.reduce(&combine), &combine);
        if warps == 1 {
            return of_warp;
        }
        let (lane, slots) = (warp.lane(), OF_WARPS::ptr().at(self.reductions));
        self.reductions += 1;
        if lane == 0 {
            // SAFETY: the slot is this warp's, and those that read it have synchronised since (1 of `new`).
            unsafe { slots.at(group.thread() / Warp::LANES).write(of_warp) };
        }
        group.sync();
        let of_lane = if lane < warps {
            // SAFETY: that warp wrote the number, and `sync` orders the write before this read.
            unsafe { slots.at(lane).read() }
        } else {
            neutral
        };
        warp.reduce(of_lane, combine)
    }
}
