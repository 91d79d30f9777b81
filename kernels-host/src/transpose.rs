use launch::{Launch, Violations};
use tensor_map::{DataType, Swizzle, TensorMap, Tiled};

use crate::{Matrix, conditions::Conditions};

/// Transposes a matrix of numbers of 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transpose {
    /// The matrix that is read.
    pub source: Matrix,
    /// Its buffer.
    pub source_data: usize,
    /// The distance of the rows that are written, in elements.
    pub target_pitch: usize,
    /// The buffer that is written.
    pub target_data: usize,
}

impl Transpose {
    /// Rows and columns of a tile.
    pub const TILE: u32 = 32;

    /// The matrix that is written.
    pub const fn target(&self) -> Matrix {
        Matrix {
            width: self.source.height,
            height: self.source.width,
            pitch: self.target_pitch,
        }
    }

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        self.source.check("the source", &mut conditions);
        self.target().check("the target", &mut conditions);
        let tiles = |length: usize| length.div_ceil(Self::TILE as usize) as u32;
        let grid = (tiles(self.source.width), tiles(self.source.height));
        conditions.launch(
            Launch::new("transpose", grid, 256)
                .tensor_map(map(self.source), self.source_data)
                .tensor_map(map(self.target()), self.target_data),
        )
    }
}

/// A row of a box is the 128 bytes of the swizzle's span.
fn map(matrix: Matrix) -> Tiled {
    let dims = [matrix.width as u64, matrix.height as u64];
    TensorMap::tiled(DataType::U32, &dims)
        .strides_bytes(&[matrix.pitch_bytes()])
        .box_dims(&[Transpose::TILE, Transpose::TILE])
        .swizzle(Swizzle::B128)
}
