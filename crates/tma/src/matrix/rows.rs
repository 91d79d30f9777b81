//! Rows of sums; a thread has parts of two.

use crate::{
    group::Warpgroup, matrix::accumulator::Accumulator, number::math, ptx::wgmma::Registers,
};

impl<R: Rows> Accumulator<R> {
    /// Replaces each sum by `change(row, column, sum)`. The row is 0 or 1: row `16 * warp + lane / 4` of the 64, or
    /// the one 8 rows below it.
    #[inline(always)]
    pub fn map_rows(self, warpgroup: Warpgroup, change: impl Fn(usize, u32, f32) -> f32) -> Self {
        let first = warpgroup.warp().lane() % 4 * 2;
        Self {
            registers: self.registers.quads(|eight, [a, b, c, d]| {
                let column = first + 8 * eight;
                [
                    change(0, column, a),
                    change(0, column + 1, b),
                    change(1, column, c),
                    change(1, column + 1, d),
                ]
            }),
        }
    }

    /// Replaces each two neighbouring sums by `change(row, column, sums)`, given the column of the first one; rows and columns
    /// are numbered as in [`map_rows`](Self::map_rows).
    #[inline(always)]
    pub fn map_pairs(
        self,
        warpgroup: Warpgroup,
        change: impl Fn(usize, u32, [f32; 2]) -> [f32; 2],
    ) -> Self {
        let first = warpgroup.warp().lane() % 4 * 2;
        Self {
            registers: self.registers.quads(|eight, [a, b, c, d]| {
                let column = first + 8 * eight;
                let [a, b] = change(0, column, [a, b]);
                let [c, d] = change(1, column, [c, d]);
                [a, b, c, d]
            }),
        }
    }

    /// Replaces each four sums by `change(number, sums)`. Two of them are in row 0 and two in row 1, as
    /// [`map_rows`](Self::map_rows) numbers them, at columns `8 * number + lane % 4 * 2` and the next.
    #[inline(always)]
    pub fn map_fours(self, change: impl Fn(usize, [f32; 4]) -> [f32; 4]) -> Self {
        Self {
            registers: self
                .registers
                .quads(|number, four| change(number as usize, four)),
        }
    }

    /// Replaces each four sums by `change(number, sums, sums of other)`; they are numbered as in
    /// [`map_fours`](Self::map_fours).
    #[inline(always)]
    pub fn zip_fours(
        self,
        other: &Self,
        change: impl Fn(usize, [f32; 4], [f32; 4]) -> [f32; 4],
    ) -> Self {
        Self {
            registers: self.registers.zip_quads(&other.registers, change),
        }
    }

    /// Passes each four sums with their number, as [`map_fours`](Self::map_fours) numbers them.
    #[inline(always)]
    pub fn each_four(&self, take: impl Fn(usize, [f32; 4])) {
        self.registers().each_quad(take);
    }

    /// Adds other sums, multiplied by the factor of their row; each is rounded once. Rows are numbered as in
    /// [`map_rows`](Self::map_rows).
    #[doc(alias("promotion", "FADD"))]
    #[inline(always)]
    pub fn add_scaled(self, other: &Self, factors: [f32; 2]) -> Self {
        Self {
            registers: self.registers.add_scaled(&other.registers, factors),
        }
    }

    /// Hands on each two neighbouring sums with their row, as [`map_rows`](Self::map_rows) has it, and the column of the
    /// first one.
    #[inline(always)]
    pub fn each_pair(&self, warpgroup: Warpgroup, take: impl Fn(usize, u32, [f32; 2])) {
        let first = warpgroup.warp().lane() % 4 * 2;
        self.registers().each_pair(first, take);
    }

    /// Returns the same sums, and numbers of both rows, all computed before this point: the compiler moves none of
    /// them after a later wait.
    #[inline(always)]
    pub fn pinned(self, [first, second]: [f32; 2]) -> (Self, [f32; 2]) {
        let registers = self.registers.pinned();
        let [first, second, ..] = [first, second, 0.0, 0.0].pinned();
        (Self { registers }, [first, second])
    }

    /// Folds the start and this thread's sums of each row by `combine`, in any order.
    #[inline(always)]
    pub fn fold_rows(&self, start: [f32; 2], combine: impl Fn(f32, f32) -> f32) -> [f32; 2] {
        self.registers().fold(start, combine)
    }
}

impl Warpgroup {
    /// Folds the values of the four lanes that share each row by `combine`. Collective.
    #[doc(alias("quad_allreduce", "Allreduce<4>"))]
    #[inline(always)]
    pub fn reduce_rows(self, rows: [f32; 2], combine: impl Fn(f32, f32) -> f32) -> [f32; 2] {
        let step = |[first, second]: [f32; 2], distance| {
            let [other_first, other_second] = self.warp().shuffle_xor([first, second], distance);
            [combine(first, other_first), combine(second, other_second)]
        };
        step(step(rows, 1), 2)
    }
}

/// Registers of a multiple of 8 columns of sums, 16 columns to 256.
pub trait Rows: Registers {
    /// Replaces each four sums, which belong to 8 columns, by `change(number, four)`.
    #[doc(hidden)]
    fn quads(self, change: impl Fn(u32, [f32; 4]) -> [f32; 4]) -> Self;

    /// Replaces each four sums by `change(number, four, four of other)`.
    #[doc(hidden)]
    fn zip_quads(
        self,
        other: &Self,
        change: impl Fn(usize, [f32; 4], [f32; 4]) -> [f32; 4],
    ) -> Self;

    #[doc(hidden)]
    fn each_quad(&self, take: impl Fn(usize, [f32; 4]));

    #[doc(hidden)]
    fn add_scaled(self, other: &Self, factors: [f32; 2]) -> Self;

    #[doc(hidden)]
    fn each_pair(&self, first: u32, take: impl Fn(usize, u32, [f32; 2]));

    #[doc(hidden)]
    fn fold(&self, start: [f32; 2], combine: impl Fn(f32, f32) -> f32) -> [f32; 2];
}

/// Uses constant indices only, so that all values stay in registers. Two chains per row hide some of the latency.
macro_rules! rows {
    ([$($eight:literal)*]) => {};
    ([$($eight:literal)*] $last:literal $($rest:literal)*) => {
        impl Rows for [f32; 4 * ($last + 1)] {
            #[inline(always)]
            fn quads(mut self, change: impl Fn(u32, [f32; 4]) -> [f32; 4]) -> Self {
                rows! { @quads self change [0 $($eight)* $last] }
                self
            }

            #[inline(always)]
            fn zip_quads(
                mut self,
                other: &Self,
                change: impl Fn(usize, [f32; 4], [f32; 4]) -> [f32; 4],
            ) -> Self {
                rows! { @zip self other change [0 $($eight)* $last] }
                self
            }

            #[inline(always)]
            fn each_quad(&self, take: impl Fn(usize, [f32; 4])) {
                rows! { @each self take [0 $($eight)* $last] }
            }

            #[inline(always)]
            fn add_scaled(mut self, other: &Self, factors: [f32; 2]) -> Self {
                rows! { @add self other factors [0 $($eight)* $last] }
                self
            }

            #[inline(always)]
            fn each_pair(&self, first: u32, take: impl Fn(usize, u32, [f32; 2])) {
                rows! { @pairs self first take [0 $($eight)* $last] }
            }

            #[inline(always)]
            fn fold(&self, start: [f32; 2], combine: impl Fn(f32, f32) -> f32) -> [f32; 2] {
                let mut even = [combine(start[0], self[0]), combine(start[1], self[2])];
                let mut odd = [self[1], self[3]];
                rows! { @fold self even odd combine [$($eight)* $last] }
                [combine(even[0], odd[0]), combine(even[1], odd[1])]
            }
        }
        rows! { [$($eight)* $last] $($rest)* }
    };
    (@quads $self:ident $change:ident [$($eight:literal)*]) => {$(
        let at = 4 * $eight;
        [$self[at], $self[at + 1], $self[at + 2], $self[at + 3]] =
            $change($eight, [$self[at], $self[at + 1], $self[at + 2], $self[at + 3]]);
    )*};
    (@zip $self:ident $other:ident $change:ident [$($eight:literal)*]) => {$(
        let at = 4 * $eight;
        [$self[at], $self[at + 1], $self[at + 2], $self[at + 3]] = $change(
            $eight,
            [$self[at], $self[at + 1], $self[at + 2], $self[at + 3]],
            [$other[at], $other[at + 1], $other[at + 2], $other[at + 3]],
        );
    )*};
    (@each $self:ident $take:ident [$($eight:literal)*]) => {$(
        let at = 4 * $eight;
        $take($eight, [$self[at], $self[at + 1], $self[at + 2], $self[at + 3]]);
    )*};
    (@add $self:ident $other:ident $factors:ident [$($eight:literal)*]) => {$(
        let at = 4 * $eight;
        $self[at] = math::fma($other[at], $factors[0], $self[at]);
        $self[at + 1] = math::fma($other[at + 1], $factors[0], $self[at + 1]);
        $self[at + 2] = math::fma($other[at + 2], $factors[1], $self[at + 2]);
        $self[at + 3] = math::fma($other[at + 3], $factors[1], $self[at + 3]);
    )*};
    (@pairs $self:ident $first:ident $take:ident [$($eight:literal)*]) => {$(
        let column = $first + 8 * $eight;
        $take(0, column, [$self[4 * $eight], $self[4 * $eight + 1]]);
        $take(1, column, [$self[4 * $eight + 2], $self[4 * $eight + 3]]);
    )*};
    (@fold $self:ident $even:ident $odd:ident $combine:ident [$($eight:literal)*]) => {$(
        $even = [$combine($even[0], $self[4 * $eight]), $combine($even[1], $self[4 * $eight + 2])];
        $odd = [$combine($odd[0], $self[4 * $eight + 1]), $combine($odd[1], $self[4 * $eight + 3])];
    )*};
}

rows! { [] 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 }
