use core::array;

use tma::{SharedPtr, Warp, Warps, memory, shared};

use super::{EACH, Floats, MOST_THREADS, Number};

/// Words that one instruction moves.
pub(crate) type Vector = [u32; 4];

const MOST_WARPS: usize = MOST_THREADS as usize / 32 - 1;

shared! {
    /// A number of each warp that works, for the first reduction of a row and for the second one: whoever writes
    /// them again has synchronised since, when the row was stored.
    static OF_WARPS: [[f32; MOST_WARPS]; 2];
}

/// Evaluates the expression for each of the vectors that a thread has of a row; not in a loop if they stay in
/// registers, since it would keep them in local memory.
macro_rules! for_each {
    ($turn:ident of VECTORS, $act:expr) => {
        if Parameters::<T, VECTORS, P>::HOLDS_ROW {
            for_each! { @ $turn, $act; 0 1 2 3 4 5 6 7 }
        } else {
            for $turn in 0..VECTORS {
                $act;
            }
        }
    };
    (@ $turn:ident, $act:expr; $($number:literal)*) => {$({
        let $turn: usize = $number;
        if $turn < VECTORS {
            $act;
        }
    })*};
}

/// The parameters of a thread's columns: each `threads`-th vector of a row is its own.
pub(crate) struct Parameters<T, const VECTORS: usize, const P: usize> {
    sources: [*const T; P],
    /// Those that stay in registers: [`Self::HELD`] of each column.
    held: [[Vector; P]; VECTORS],
    workers: Warps,
    vectors: u32,
}

impl<T: Number, const VECTORS: usize, const P: usize> Parameters<T, VECTORS, P> {
    /// A row that is not long stays in registers.
    const HOLDS_ROW: bool = VECTORS * size_of::<Vector>() / size_of::<T>() <= EACH as usize;
    /// So does the first parameter of each column, unless there are more and they are `f32`: there are no registers.
    const HELD: usize = if Self::HOLDS_ROW && (P == 1 || P > 1 && size_of::<T>() < 4) {
        1
    } else {
        0
    };

    /// # Safety
    /// 1. `sources` have `vectors` vectors each, at multiples of 16 bytes, that nobody writes while the kernel
    ///    runs.
    #[inline(always)]
    pub(super) unsafe fn new(sources: [*const T; P], workers: Warps, vectors: u32) -> Self {
        let mut new = Self {
            sources,
            held: [[[0; 4]; P]; VECTORS],
            workers,
            vectors,
        };
        for_each!(turn of VECTORS, {
            if let Some(index) = new.index(turn) {
                for parameter in 0..Self::HELD {
                    // SAFETY: (1) is the caller's.
                    new.held[turn][parameter] = unsafe { new.load(parameter, index) };
                }
            }
        });
        new
    }

    /// The index of this thread's vector `turn`; `None` where the row has ended.
    #[inline(always)]
    fn index(&self, turn: usize) -> Option<u32> {
        let index = self.workers.thread() + turn as u32 * self.workers.threads();
        (index < self.vectors).then_some(index)
    }

    /// # Safety
    /// 1. That of `new`; a row has the vector.
    #[inline(always)]
    unsafe fn load(&self, parameter: usize, index: u32) -> Vector {
        let source = self.sources[parameter].cast::<Vector>();
        // SAFETY: the vector is there (1).
        unsafe { memory::load_nc(source.add(index as usize)) }
    }

    /// The values of vector `turn`, whose index is `index`.
    #[inline(always)]
    fn values(&self, turn: usize, index: u32) -> [T::Floats; P] {
        array::from_fn(|parameter| {
            T::floats(if parameter < Self::HELD {
                self.held[turn][parameter]
            } else {
                // SAFETY: `new` asked for it, and `index` is that of a vector of the row.
                unsafe { self.load(parameter, index) }
            })
        })
    }
}

/// This thread's part of a row.
pub(crate) struct Row<'a, T: Number, const VECTORS: usize, const P: usize> {
    parameters: &'a Parameters<T, VECTORS, P>,
    len: u32,
    stage: SharedPtr<Vector>,
    /// Its elements, if they stay in registers.
    held: [T::Floats; VECTORS],
    /// Reductions so far.
    reductions: u32,
}

impl<'a, T: Number, const VECTORS: usize, const P: usize> Row<'a, T, VECTORS, P> {
    /// # Safety
    /// 1. The stage has a row, whose vectors nobody but their thread uses. Those that work synchronise between two
    ///    rows.
    #[inline(always)]
    pub(super) unsafe fn new(
        parameters: &'a Parameters<T, VECTORS, P>,
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
        if Parameters::<T, VECTORS, P>::HOLDS_ROW {
            for_each!(turn of VECTORS, {
                if let Some(index) = parameters.index(turn) {
                    // SAFETY: the vector is in the row (1).
                    row.held[turn] = T::floats(unsafe { stage.add(index).read() });
                }
            });
        }
        row
    }

    /// The elements of vector `turn`, whose index is `index`.
    #[inline(always)]
    fn elements(&self, turn: usize, index: u32) -> T::Floats {
        if Parameters::<T, VECTORS, P>::HOLDS_ROW {
            self.held[turn]
        } else {
            // SAFETY: the vector is in the row, and this thread's (1 of `new`).
            T::floats(unsafe { self.stage.add(index).read() })
        }
    }

    /// Replaces each element by `change` of it, and returns whether it did: not if the row does not stay in registers.
    #[inline(always)]
    pub(crate) fn change(&mut self, change: impl Fn(f32) -> f32) -> bool {
        if Parameters::<T, VECTORS, P>::HOLDS_ROW {
            self.held = self
                .held
                .map(|floats| floats.map_with([], |element, []| change(element)));
        }
        Parameters::<T, VECTORS, P>::HOLDS_ROW
    }

    /// Elements of the row.
    #[inline(always)]
    pub(crate) fn len(&self) -> f32 {
        self.len as f32
    }

    /// Leaves the results in the stage: `result` of each element and of the parameters of its column.
    #[inline(always)]
    pub(crate) fn finish(self, result: impl Fn(f32, [f32; P]) -> f32) {
        for_each!(turn of VECTORS, {
            if let Some(index) = self.parameters.index(turn) {
                let parameters = self.parameters.values(turn, index);
                let results = self.elements(turn, index).map_with(parameters, &result);
                // SAFETY: the vector is this thread's (1 of `new`).
                unsafe { self.stage.add(index).write(T::vector(results)) };
            }
        });
    }

    /// The sum of `of` each element. Collective of those that work.
    #[inline(always)]
    pub(crate) fn sum(&mut self, of: impl Fn(f32) -> f32) -> f32 {
        self.reduce(0.0, of, |a, b| a + b)
    }

    /// The greatest element; where one is a NaN, the greatest of the others. Collective of those that work.
    #[inline(always)]
    pub(crate) fn greatest(&mut self) -> f32 {
        self.reduce(f32::NEG_INFINITY, |element| element, f32::max)
    }

    /// Reduces `of` each element by `combine`, of which `neutral` changes nothing, in any order; every thread gets
    /// the result.
    #[inline(always)]
    fn reduce(
        &mut self,
        neutral: f32,
        of: impl Fn(f32) -> f32,
        combine: impl Fn(f32, f32) -> f32,
    ) -> f32 {
        // One for each place in a vector: they do not wait for each other.
        let mut all = T::Floats::splat(neutral);
        for_each!(turn of VECTORS, {
            if let Some(index) = self.parameters.index(turn) {
                let elements = self.elements(turn, index);
                all = all.map_with([elements], |all, [element]| combine(all, of(element)));
            }
        });
        let workers = self.parameters.workers;
        let (warp, warps) = (workers.warp(), workers.threads() / Warp::LANES);
        let of_warp = warp.reduce(all.reduce(&combine), &combine);
        if warps == 1 {
            return of_warp;
        }
        let (lane, slots) = (warp.lane(), OF_WARPS::ptr().at(self.reductions));
        self.reductions += 1;
        if lane == 0 {
            // SAFETY: the slot is this warp's, and those that read it have synchronised since (1 of `new`).
            unsafe { slots.at(workers.thread() / Warp::LANES).write(of_warp) };
        }
        workers.sync();
        let of_lane = if lane < warps {
            // SAFETY: that warp wrote it, and `sync` orders it before.
            unsafe { slots.at(lane).read() }
        } else {
            neutral
        };
        warp.reduce(of_lane, combine)
    }
}
