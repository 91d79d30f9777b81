//! `.rz`, `.rm` and `.rp` of single and double precision.

use ptx::Type;

use super::{
    Float,
    exact::{divide, multiply_add, root},
};
use crate::value::{Binary, Bits, Rounding, Ternary, Unary, lift};

trait Directed: Float + Bits {
    const TYPE: Type;

    fn fma_in(self, b: Self, c: Self, mode: Rounding) -> Self {
        let exact = multiply_add(self.wide(), b.wide(), c.wide(), Self::TYPE, mode);
        exact.map_or_else(|| self.fma(b, c), Self::of)
    }

    fn add_in(self, b: Self, mode: Rounding) -> Self {
        self.fma_in(Self::narrow(1.0), b, mode)
    }

    fn sub_in(self, b: Self, mode: Rounding) -> Self {
        self.add_in(b.neg(), mode)
    }

    fn mul_in(self, b: Self, mode: Rounding) -> Self {
        // Adding a zero with the product's sign does not change the product.
        let negative = self.wide().is_sign_negative() != b.wide().is_sign_negative();
        self.fma_in(b, Self::narrow(if negative { -0.0 } else { 0.0 }), mode)
    }

    fn div_in(self, b: Self, mode: Rounding) -> Self {
        let exact = divide(self.wide(), b.wide(), Self::TYPE, mode);
        // A result that is not rounded is the same in every precision.
        exact.map_or_else(|| Self::narrow(self.wide() / b.wide()), Self::of)
    }

    fn sqrt_in(self, mode: Rounding) -> Self {
        let exact = root(self.wide(), Self::TYPE, mode);
        exact.map_or_else(|| Self::narrow(self.wide().sqrt()), Self::of)
    }
}

impl Directed for f32 {
    const TYPE: Type = Type::F32;
}

impl Directed for f64 {
    const TYPE: Type = Type::F64;
}

/// The function for each type and direction, which are known when it is compiled.
macro_rules! directed {
    ($ty:expr, $mode:expr, $t:ident, $m:ident, $f:expr) => {
        directed!(@ $ty, $mode, $t, $m, $f;
            F32 f32 Zero, F32 f32 Down, F32 f32 Up, F64 f64 Zero, F64 f64 Down, F64 f64 Up)
    };
    (@ $ty:expr, $mode:expr, $t:ident, $m:ident, $f:expr; $($ptx:ident $rust:ident $way:ident),*) => {
        match ($ty, $mode) {
            $((Type::$ptx, Rounding::$way) => {
                type $t = $rust;
                const $m: Rounding = Rounding::$way;
                Some($f)
            })*
            _ => None,
        }
    };
}

/// Returns `add`, `sub`, `mul` or `div` in this rounding mode.
pub(super) fn binary(stem: &str, ty: Type, mode: Rounding) -> Option<Binary> {
    match stem {
        "add" => directed!(ty, mode, T, M, lift!(|a: T, b: T| a.add_in(b, M))),
        "sub" => directed!(ty, mode, T, M, lift!(|a: T, b: T| a.sub_in(b, M))),
        "mul" => directed!(ty, mode, T, M, lift!(|a: T, b: T| a.mul_in(b, M))),
        "div" => directed!(ty, mode, T, M, lift!(|a: T, b: T| a.div_in(b, M))),
        _ => None,
    }
}

/// Returns `fma` in this rounding mode.
pub(super) fn ternary(ty: Type, mode: Rounding) -> Option<Ternary> {
    directed!(ty, mode, T, M, lift!(|a: T, b: T, c: T| a.fma_in(b, c, M)))
}

/// Returns `rcp` or `sqrt` in this rounding mode.
pub(super) fn unary(stem: &str, ty: Type, mode: Rounding) -> Option<Unary> {
    match stem {
        "rcp" => directed!(ty, mode, T, M, lift!(|a: T| T::narrow(1.0).div_in(a, M))),
        "sqrt" => directed!(ty, mode, T, M, lift!(|a: T| a.sqrt_in(M))),
        _ => None,
    }
}
