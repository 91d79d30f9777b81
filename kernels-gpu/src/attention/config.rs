//! The configurations of the kernels.

use tma::{Swizzle128, Tile, TileMap, pipeline, ptx::mbarrier::Mbarrier};

use crate::config::{Const, Constant};

/// The number of elements of a head in a box.
pub(super) const BOX: u32 = 64;
/// The number of queries of a consumer.
pub(super) const ROWS: u32 = 64;

/// A box of elements of a head, of positions, of one sequence.
pub(super) type Box3<T, const POSITIONS: usize> = [[[T; BOX as usize]; POSITIONS]; 1];
pub(super) type Boxes3<T, const POSITIONS: usize, const BOXES: usize> =
    [Tile<Box3<T, POSITIONS>, Swizzle128>; BOXES];
/// The map of the queries, and the map of the results.
pub(super) type QueryMap<T> = TileMap<Box3<T, { ROWS as usize }>, Swizzle128>;
pub(super) type KeyMap<T, C> = TileMap<<C as Config>::KeyBox<T>, Swizzle128>;
pub(super) type Queries<T, const BOXES: usize> = Boxes3<T, { ROWS as usize }, BOXES>;

/// The configuration of a kernel; numbers that are arguments of types are bound as types, such as [`Const`].
pub trait Config {
    /// The queries of a consumer in shared memory.
    type Queries<T>;
    /// The queries of a block for which there is memory: one is loaded while another is multiplied, if there are two.
    type QuerySlots: Constant;
    /// A box of keys or values.
    type KeyBox<T>;
    /// A stage: a tile of keys, or of values.
    type Stage<T>;
    /// The stages in shared memory.
    type Stages: Constant;
    /// A thread's scores of 64 queries and a tile of keys.
    type Scores;
    /// The powers of these scores, rounded: a factor of the products with values.
    type Powers;
    /// A thread's results of 64 queries.
    type Results;
    /// The tiles of 64 queries by 64 elements in which a consumer leaves results.
    type Outputs;
}

/// The configuration of [`attention_64`](super::attention_64()): heads of 64 elements, tiles of 128 keys.
pub struct Head64;

impl Config for Head64 {
    type Queries<T> = Queries<T, 1>;
    type QuerySlots = Const<2>;
    type KeyBox<T> = Box3<T, 128>;
    type Stage<T> = Boxes3<T, 128, 1>;
    type Stages = Const<6>;
    type Scores = [f32; 64];
    type Powers = [[u32; 4]; 8];
    type Results = [f32; 32];
    type Outputs = Const<1>;
}

/// The configuration of [`attention_128`](super::attention_128()): heads of 128 elements, tiles of 128 keys.
pub struct Head128;

impl Config for Head128 {
    type Queries<T> = Queries<T, 2>;
    type QuerySlots = Const<2>;
    type KeyBox<T> = Box3<T, 128>;
    type Stage<T> = Boxes3<T, 128, 2>;
    type Stages = Const<5>;
    type Scores = [f32; 64];
    type Powers = [[u32; 4]; 8];
    type Results = [f32; 64];
    type Outputs = Const<2>;
}

/// The configuration of [`attention_256`](super::attention_256()): heads of 256 elements, tiles of 64 keys.
pub struct Head256;

impl Config for Head256 {
    type Queries<T> = Queries<T, 4>;
    type QuerySlots = Const<1>;
    type KeyBox<T> = Box3<T, 64>;
    type Stage<T> = Boxes3<T, 64, 4>;
    type Stages = Const<5>;
    type Scores = [f32; 32];
    type Powers = [[u32; 4]; 4];
    type Results = [f32; 128];
    type Outputs = Const<4>;
}

/// Returns the offset in shared memory of the barriers of the queries, which follow the queries of two consumers.
pub(super) const fn barriers_offset<T, C: Config>() -> u32 {
    2 * C::QuerySlots::VALUE * size_of::<C::Queries<T>>() as u32
}

/// Returns the offset of the stages: barriers take 1024 bytes, so that tiles begin at multiples.
pub(super) const fn stages_offset<T, C: Config>() -> u32 {
    barriers_offset::<T, C>() + size_of::<[Mbarrier; 128]>() as u32
}

/// Returns the dynamic shared memory of a block.
pub(super) const fn shared_bytes<T, C: Config>() -> u64 {
    stages_offset::<T, C>() as u64 + pipeline::bytes::<C::Stage<T>>(C::Stages::VALUE, 1)
}
