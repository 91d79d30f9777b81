use launch::{Launch, Violations};
use tensor_map::{DataType, L2Promotion, TensorMap, Tiled};

use crate::conditions::{Conditions, product};

/// Gathers boxes of 2 by 2 pixels of 32 channels of 2 bytes, eight in a round, and adds them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileGather {
    /// Who asks for boxes, and through which map.
    pub form: TileGatherForm,
    /// Rounds that a warp has on their way: 1, 2 or 4.
    pub stages: u32,
    /// The tensor's buffer, `[height][width][32]`.
    pub tensor: usize,
    /// Columns of pixels.
    pub width: u32,
    /// Rows of pixels.
    pub height: u32,
    /// The buffer of positions, eight for each round: a column in the lower half of a `u32`, a row in
    /// the upper one, both signed.
    pub positions: usize,
    /// Rounds.
    pub rounds: u32,
    /// The buffer of the sums, four `u32` for each thread of the grid.
    pub sums: usize,
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
}

/// Who asks for boxes, and through which map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileGatherForm {
    /// One lane, boxes of channels, columns and rows.
    Boxes,
    /// One lane, the tensor seen as a matrix whose columns are the channels of all pixels of a row.
    /// No box may cross the first or last column.
    View,
    /// Eight lanes, boxes of channels, columns and rows.
    EightLanes,
}

impl TileGather {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernels cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.one_of("stages", self.stages, &[1, 2, 4], "there are kernels for");
        conditions.whole_warps(self.threads);
        let warps = self.threads / 32;
        let ahead = product(&[self.blocks, warps, self.stages.min(4) + 1]);
        let most = u64::from(u32::MAX).saturating_sub(ahead);
        let reason = "rounds that are counted in 32 bits, and those of the next turns:";
        conditions.within("rounds", self.rounds.into(), 0..=most, reason);
        let kind = match self.form {
            TileGatherForm::Boxes => "",
            TileGatherForm::View => "view_",
            TileGatherForm::EightLanes => "lanes_",
        };
        let entry = format!("tile_gather_{kind}{}", self.stages);
        let shared_bytes = product(&[warps, self.stages, 2056]);
        conditions.launch(
            Launch::new(&entry, self.blocks, self.threads)
                .shared_bytes(u32::try_from(shared_bytes).unwrap_or(u32::MAX))
                .tensor_map(self.map(), self.tensor)
                .buffer_of(self.positions, product(&[self.rounds, 32]))
                .scalar(self.rounds)
                .buffer_of(self.sums, product(&[self.blocks, self.threads, 16])),
        )
    }

    /// Small boxes anywhere want no promotion in L2, which would fetch more than the box.
    fn map(&self) -> Tiled {
        let [width, height] = [self.width, self.height].map(u64::from);
        let tiled = match self.form {
            TileGatherForm::View => {
                TensorMap::tiled(DataType::F16, &[32 * width, height]).box_dims(&[64, 2])
            }
            _ => TensorMap::tiled(DataType::F16, &[32, width, height]).box_dims(&[32, 2, 2]),
        };
        tiled.l2_promotion(L2Promotion::None)
    }
}
