//! Launches of the kernels of `kernels-gpu`, as data.
//!
//! Each kernel has a type with its arguments by name; `launch()` checks what the kernel asks of
//! them (sizes, alignment, divisibility, tile and cluster shapes), names everything that does not
//! hold together with what would, and gives the [`Launch`](launch::Launch) that a backend runs. What
//! all launches have in common (limits of the device, clusters, shared memory, buffers) the backend
//! checks.
//!
//! ```
//! use kernels_host::AddOne1d;
//!
//! let add_one = AddOne1d { blocks: 4, threads: 128, offset_elems: 8, ..AddOne1d::default() };
//! assert_eq!(add_one.launch().unwrap().entry, "add_one_1d");
//!
//! let refused = AddOne1d { threads: 100, offset_elems: 6, ..add_one }.launch().unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "kernel-condition: threads of a block is 100; whole warps elect who copies: a multiple of 32; \
//!      take 96 or 128\n\
//!      kernel-condition: offset_elems is 6; a bulk copy begins at 16 bytes: a multiple of 4; take 4 or 8"
//! );
//! ```
//!
//! Buffers are named by their index in the job, lengths and offsets are in elements.

mod add_one_1d;
mod conditions;
mod conv_im2col;
mod deform_attn;
mod encode_map;
mod gather_rows;
mod histogram;
mod hwc_tile;
mod linear;
mod multicast_tile;
mod persistent_tiles;
mod prefetch;
mod prefetch_1d;
mod producer_consumer;
mod ring;
mod stencil;
mod tile_2d;
mod tile_gather;
mod tiled;
mod transpose;

pub use add_one_1d::{AddOne1d, AddOneForm};
pub use conv_im2col::ConvIm2col;
pub use deform_attn::{DeformAttn, DeformAttnForm};
pub use encode_map::{ConsumeMap, EncodeMap, map_fields};
pub use gather_rows::GatherRows;
pub use histogram::Histogram;
pub use hwc_tile::{HWC_TILE, HwcTile, HwcTileLanes, Image};
pub use linear::{AddOneBulk, AddOneRing, CopyBulk};
pub use multicast_tile::MulticastTile;
pub use persistent_tiles::PersistentTiles;
pub use prefetch::Prefetch;
pub use prefetch_1d::Prefetch1d;
pub use producer_consumer::{ProducerConsumer, ProducerConsumerForm};
pub use ring::Ring;
pub use stencil::{Stencil, StencilForm};
pub use tile_2d::{MapPlace, Matrix, TILE_2D, Tile2d, Tile2dTo};
pub use tile_gather::{TileGather, TileGatherForm};
pub use tiled::{AddOneTile, AddOneTileRing, CopyTile};
pub use transpose::Transpose;
