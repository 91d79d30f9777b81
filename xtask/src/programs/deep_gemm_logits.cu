// Instances of DeepGEMM's kernels, of the kind that it makes while it runs.
#include <deep_gemm/impls/sm90_fp8_mqa_logits.cuh>

using namespace deep_gemm;

void *const kernels[] = {
    reinterpret_cast<void *>(&sm90_fp8_mqa_logits<64, 128, false, 2, 256, 3, 3, 132, 128, 512, float>),
};
