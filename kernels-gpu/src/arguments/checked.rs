//! The arguments with launches that are safe to run: all kernels but `encode_map`, which makes maps of
//! any fields. A method `checked_call` of each adds the conditions of its kernels and returns the call with its shape, with the
//! least shared memory.

use tma_launch::{Checked, Conditions, Launch, Violations};

use super::at_least;

macro_rules! checked {
    ($($arguments:path,)*) => {$(
        impl $arguments {
            /// Checks the arguments.
            ///
            /// # Errors
            /// Every condition that the arguments break.
            pub fn launch(&self) -> Result<Launch, Violations> {
                let mut conditions = Conditions::default();
                let (call, shape) = self.checked_call(&mut conditions);
                // The kernel's own shared memory replaces the one of the shape.
                Ok(at_least(conditions.launch(call, shape)?, shape.shared_bytes))
            }
        }

        // SAFETY: its `checked_call` checks the numbered conditions of its kernels, except the conditions on the shape,
        // the parameters and the lengths, which `check` covers; it names all memory that they use, with
        // its required contents (1).
        unsafe impl Checked for $arguments {
            fn launch(&self) -> Result<Launch, Violations> {
                <$arguments>::launch(self)
            }
        }
    )*};
}

checked! {
    crate::add_one_1d::AddOne1d,
    crate::add_one_bulk::AddOneBulk,
    crate::add_one_ring::AddOneRing,
    crate::add_one_tile::AddOneTile,
    crate::add_one_tile_ring::AddOneTileRing,
    crate::all_reduce::AllReduce,
    crate::attention::Attention,
    crate::attention_backward::Main,
    crate::attention_backward::Prepare,
    crate::attention_decode::AttentionDecode,
    crate::consume_map::ConsumeMap,
    crate::conv_im2col::ConvIm2col,
    crate::copy_bulk::CopyBulk,
    crate::copy_tile::CopyTile,
    crate::deform_attn::DeformAttn,
    crate::gather_rows::GatherRows,
    crate::gemm::Gemm,
    crate::gemm_fp8::GemmFp8,
    crate::gemm_mma::GemmMma,
    crate::gemm_step::GemmStep,
    crate::histogram::Histogram,
    crate::hwc_tile::HwcTile,
    crate::hwc_tile::HwcTileLanes,
    crate::layer_norm::LayerNorm,
    crate::low_latency_exchange::LowLatencyExchange,
    crate::multicast_tile::MulticastTile,
    crate::persistent_tiles::PersistentTiles,
    crate::prefetch::Prefetch,
    crate::prefetch_1d::Prefetch1d,
    crate::producer_consumer::ProducerConsumer,
    crate::reduce_scatter::ReduceScatter,
    crate::ring::Ring,
    crate::rms_norm::RmsNorm,
    crate::softmax::Softmax,
    crate::stencil::Stencil,
    crate::tile_2d::Tile2d,
    crate::tile_2d::Tile2dTo,
    crate::tile_gather::TileGather,
    crate::transpose::Transpose,
}
