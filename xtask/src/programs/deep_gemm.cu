// Instances of DeepGEMM's kernels, of the kind that it makes while it runs.
#include <deep_gemm/impls/sm90_bf16_gemm.cuh>
#include <deep_gemm/impls/sm90_bmk_bnk_mn.cuh>
#include <deep_gemm/impls/sm90_fp8_gemm_1d1d.cuh>
#include <deep_gemm/impls/sm90_fp8_gemm_1d2d.cuh>

using namespace deep_gemm;
using bf16 = cutlass::bfloat16_t;
constexpr auto K = cute::UMMA::Major::K;

void *const kernels[] = {
    reinterpret_cast<void *>(&sm90_bf16_gemm_impl<K, K, 0, 4096, 7168, 1, 128, 128, 64, 128, 128, 128, 4, 128, 256, 2, true,
                                                  132, GemmType::Normal, false, bf16>),
    reinterpret_cast<void *>(&sm90_bf16_gemm_impl<K, K, 0, 4096, 2048, 4, 64, 128, 64, 128, 128, 128, 4, 128, 128, 1, false,
                                                  132, GemmType::MGroupedContiguous, false, bf16>),
    reinterpret_cast<void *>(&sm90_fp8_gemm_1d2d_impl<K, 0, 4096, 7168, 1, 128, 128, 128, 128, 128, 128, 5, 128, 256, 2, true,
                                                      132, GemmType::Normal, bf16, epilogue::transform::EpilogueIdentity>),
    reinterpret_cast<void *>(&sm90_fp8_gemm_1d1d_impl<0, 4096, 7168, 1, 128, 128, 128, 128, 128, 4, 128, 256, 1, false, 132,
                                                      GemmType::Normal, float>),
    reinterpret_cast<void *>(&sm90_bmn_bnk_mn_gemm_impl<128, 128, 7168, 128, 128, 64, 1, 4, 128, 256>),
};
