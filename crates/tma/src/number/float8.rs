//! Numbers of 8 bits, which tensor cores multiply.

/// A number of 4 bits of exponent and 3 of fraction: up to 448, without infinities.
///
/// Source: PTX ISA 5.2.3, "Alternate Floating-Point Data Formats".
#[doc(alias("__nv_fp8_e4m3", "float8_e4m3fn", "fp8"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct E4m3(u8);

// SAFETY: zero bits are the number zero.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Zeroable for E4m3 {}

// SAFETY: the type is a transparent integer, and any bits are a valid number.
#[cfg(not(target_arch = "nvptx64"))]
unsafe impl bytemuck::Pod for E4m3 {}

impl E4m3 {
    /// Makes a value from its bits.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns the 8 bits of the encoding.
    #[inline(always)]
    pub const fn to_bits(self) -> u8 {
        self.0
    }
}
