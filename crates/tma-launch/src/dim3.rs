use std::fmt::{self, Display, Formatter};

/// Sizes in three dimensions, innermost first: blocks in a grid, threads in a block, or blocks in a cluster.
#[doc(alias = "dim3")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// The size in the innermost dimension.
    pub x: u32,
    /// The size in the middle dimension.
    pub y: u32,
    /// The size in the outermost dimension.
    pub z: u32,
}

impl Dim3 {
    /// The size 1 in each dimension.
    pub const ONE: Self = Self::new(1, 1, 1);

    /// Returns the size `x` by `y` by `z`.
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Self { x, y, z }
    }

    /// Returns the product of the sizes.
    pub const fn count(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// Returns the three sizes, innermost first.
    pub const fn to_array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Self::new(x, 1, 1)
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Self::new(x, y, 1)
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self::new(x, y, z)
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Self::new(x, y, z)
    }
}

impl Display for Dim3 {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} x {}", self.x, self.y, self.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_dimensions_are_one() {
        assert_eq!(Dim3::from(7), Dim3::new(7, 1, 1));
        assert_eq!(Dim3::from((7, 8)), Dim3::new(7, 8, 1));
        assert_eq!(Dim3::from([7, 8, 9]).to_string(), "7 x 8 x 9");
    }

    #[test]
    fn counts_do_not_overflow() {
        assert_eq!(Dim3::new(u32::MAX, u32::MAX, u32::MAX).count(), u64::MAX);
    }
}
