//! The epilogue of a product: factor, bias and activation.

use tma::{Epilogue, KernelArg, math};

use crate::product::Tiling;

/// The extents of the product, and the activation of its sums.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Product {
    /// The tiles.
    pub tiling: Tiling,
    /// The number of columns that have a bias: all or none.
    pub biased: u32,
    /// The factor of the sums.
    pub alpha: f32,
    /// The function applied to the results.
    pub activation: Activation,
}

/// An activation: clamps a number below at `least`; then, unless the gate is zero, multiplies it
/// by `1 / (1 + exp(-(gate[0] * x + gate[1] * x^3)))`, by the hardware's functions.
#[derive(Clone, Copy, Debug, PartialEq, KernelArg)]
#[repr(C)]
pub struct Activation {
    least: f32,
    gate: [f32; 2],
}

impl Activation {
    /// The activation that leaves values unchanged.
    pub const NONE: Self = Self {
        least: f32::NEG_INFINITY,
        gate: [0.0; 2],
    };
    /// The activation that clamps below at 0.
    pub const RELU: Self = Self {
        least: 0.0,
        ..Self::NONE
    };
    /// `x / (1 + exp(-x))`.
    pub const SILU: Self = Self {
        gate: [1.0, 0.0],
        ..Self::NONE
    };
    /// `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`.
    pub const GELU: Self = Self {
        gate: [1.595_769, 0.071_354_81],
        ..Self::NONE
    };

    #[inline(always)]
    fn is_none(self) -> bool {
        self.least == f32::NEG_INFINITY && self.gate[0] == 0.0
    }

    #[inline(always)]
    fn apply(self, x: f32) -> f32 {
        // A NaN stays.
        let x = if x < self.least { self.least } else { x };
        let [first, third] = self.gate;
        if first == 0.0 {
            return x;
        }
        let exponent = x * (first + third * x * x);
        x * math::approx::rcp(1.0 + math::approx::exp(-exponent))
    }
}

impl Product {
    /// Returns whether the sums are the results.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        self.alpha == 1.0 && self.biased == 0 && self.activation.is_none()
    }
}

/// The epilogue that leaves sums as they are.
pub(crate) struct Identity;

impl Epilogue for Identity {
    #[inline(always)]
    fn apply(&self, _column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
        sums
    }
}

/// `activation(alpha * sum + bias)`; (3) of [`gemm`](super::gemm()) holds.
pub(super) struct ProductEpilogue {
    pub(super) product: Product,
    pub(super) bias: *const f32,
}

impl ProductEpilogue {
    /// Returns the same for columns that are counted from this one on.
    #[inline(always)]
    pub(super) fn from(self, column: u32) -> Self {
        let biased = self.product.biased.saturating_sub(column);
        Self {
            product: Product {
                biased,
                ..self.product
            },
            bias: self.bias.wrapping_add(column as usize),
        }
    }
}

impl Epilogue for ProductEpilogue {
    #[inline(always)]
    fn apply(&self, column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
        let mut sums = sums.map(|sum| self.product.alpha * sum);
        if column < self.product.biased {
            // SAFETY: each of the `biased` columns has a bias (3 of `gemm`).
            unsafe { sums[0] += *self.bias.add(column as usize) };
            if column + 1 < self.product.biased {
                // SAFETY: the next one is a biased column, too (3 of `gemm`).
                unsafe { sums[1] += *self.bias.add(column as usize + 1) };
            }
        }
        sums.map(|sum| self.product.activation.apply(sum))
    }
}
