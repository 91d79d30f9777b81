// Instances of FlashInfer's kernels: its functions choose among them.
#include <flashinfer/activation.cuh>
#include <flashinfer/attention/cascade.cuh>
#include <flashinfer/pos_enc.cuh>

using namespace flashinfer;

__device__ float silu(const float &x) { return x / (1.f + __expf(-x)); }

void *const functions[] = {
    reinterpret_cast<void *>(&activation::act_and_mul_kernel<half, silu>),
    reinterpret_cast<void *>(&MergeState<half, half>),
    reinterpret_cast<void *>(&MergeStateInPlace<half>),
    reinterpret_cast<void *>(&AttentionSum<half, half>),
    reinterpret_cast<void *>(&BatchQKApplyRotary<half, int>),
};
