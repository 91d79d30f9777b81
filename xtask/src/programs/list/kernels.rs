//! Sources whose programs do not run, or only with small sizes.

pub(super) const GGML: &[&str] = &[
    "acc.cu",
    "argmax.cu",
    "binbcast.cu",
    "clamp.cu",
    "concat.cu",
    "convert.cu",
    "cpy.cu",
    "cross-entropy-loss.cu",
    "diagmask.cu",
    "getrows.cu",
    "im2col.cu",
    "norm.cu",
    "pad.cu",
    "pool2d.cu",
    "quantize.cu",
    "rope.cu",
    "scale.cu",
    "softmax.cu",
    "sumrows.cu",
    "tsembd.cu",
    "unary.cu",
    "upscale.cu",
    "wkv.cu",
];

pub(super) const THUNDER_KITTENS: &[&str] = &[
    "attention/mha_h100/mha_h100.cu",
    "based/linear_attn.cu",
    "fftconv/fftconv_pc.cu",
    "gemm/bf16_h100/bf16_h100_gemm.cu",
    "gemm/educational_h100/level_02.cu",
    "gemm/educational_h100/level_04.cu",
    "gemm/educational_h100/level_06.cu",
    "gemm/educational_h100/level_08.cu",
    "gemm/fp8_h100/fp8_h100_gemm.cu",
    "hedgehog/hedgehog.cu",
    "linear_attention/linear_attention.cu",
    "mamba2/mamba2.cu",
    "rotary/rotary.cu",
];

pub(super) const CUTLASS_PROGRAMS: &[&str] = &[
    "examples/cute/tutorial/hopper/wgmma_sm90.cu 128 128 128",
    "examples/cute/tutorial/hopper/wgmma_tma_sm90.cu 256 128 128",
    "examples/cute/tutorial/sgemm_1.cu 128 128 32",
    "examples/cute/tutorial/sgemm_2.cu 256 128 64",
    "examples/cute/tutorial/sgemm_sm70.cu 256 128 64",
    "examples/cute/tutorial/sgemm_sm80.cu 128 128 64 T N",
    "examples/cute/tutorial/tiled_copy.cu",
    "examples/cute/tutorial/tiled_copy_if.cu",
];

pub(super) const CUTLASS: &[&str] = &[
    "examples/00_basic_gemm/basic_gemm.cu",
    "examples/02_dump_reg_shmem/dump_reg_shmem.cu",
    "examples/04_tile_iterator/tile_iterator.cu",
];

pub(super) const CUTE_TESTS: &[&str] = &[
    "ampere/cp_sync.cu",
    "ampere/ldsm.cu",
    "ampere/tiled_cp_async.cu",
    "hopper/bulk_load.cu",
    "hopper/bulk_store.cu",
    "hopper/stsm.cu",
    "hopper/tma_load.cu",
    "hopper/tma_load.cu --gtest_filter=-*_1D",
    "hopper/tma_mcast_load.cu",
    "hopper/tma_store.cu",
    "hopper/tma_store.cu --gtest_filter=-*_1D",
    "layout/layout_operator.cu",
    "turing/movm.cu",
    "volta/vectorization_auto.cu",
];
