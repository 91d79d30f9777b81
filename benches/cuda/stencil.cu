// The CUDA version of kernels-gpu/src/stencil.rs: same algorithms, launches and parameters.
#include <cstdint>
#include <cuda/ptx>
#include <cuda_pipeline_primitives.h>

namespace ptx = cuda::ptx;

constexpr uint32_t center_len = 32;
constexpr uint32_t halo_len = 8;

struct Inputs {
    const float* left;
    const float* center;
    const float* right;

    __device__ Inputs of_block() const {
        const size_t block = blockIdx.x;
        return {left + block * halo_len, center + block * center_len, right + block * halo_len};
    }
};

// Left halo, centre, right halo.
using Buffer = float[halo_len + center_len + halo_len];

template <class Copy>
__device__ inline void own_copies(Buffer& buffer, const Inputs& inputs, Copy copy) {
    const uint32_t tid = threadIdx.x;
    if (tid < halo_len) {
        copy(&buffer[tid], &inputs.left[tid]);
    } else if (tid >= center_len - halo_len && tid < center_len) {
        const uint32_t number = tid - (center_len - halo_len);
        copy(&buffer[halo_len + center_len + number], &inputs.right[number]);
    }
    if (tid < center_len) {
        copy(&buffer[halo_len + tid], &inputs.center[tid]);
    }
}

__device__ inline void copy_async(float* to, const float* from) {
    __pipeline_memcpy_async(to, from, sizeof(float));
}

__device__ inline void copy_together(float* to, const float* from, uint32_t count) {
    __builtin_assume(blockDim.x >= center_len);
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        copy_async(to + i, from + i);
    }
}

__device__ inline void init_for_all(uint64_t* bar) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(bar, blockDim.x);
    }
    __syncthreads();
}

// The phase waits for this thread's copies, too.
__device__ inline void wait_for_copies(uint64_t* bar) {
    // Not cuda::ptx::cp_async_mbarrier_arrive, which in CUDA 13.0 gives a shared address for a generic one.
    __pipeline_arrive_on(bar);
    const uint64_t token = ptx::mbarrier_arrive(bar);
    while (!ptx::mbarrier_try_wait(bar, token)) {
    }
}

__device__ inline void sum(const Buffer& buffer, float* output) {
    const uint32_t tid = threadIdx.x;
    if (tid < center_len) {
        float sum = 0;
#pragma unroll
        for (uint32_t neighbour = 0; neighbour <= 2 * halo_len; ++neighbour) {
            sum += buffer[tid + neighbour];
        }
        output[blockIdx.x * center_len + tid] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    stencil_loads(const float* left, const float* center, const float* right, float* output) {
    __shared__ Buffer buffer;
    const Inputs inputs = Inputs{left, center, right}.of_block();
    own_copies(buffer, inputs, [](float* to, const float* from) { *to = *from; });
    __syncthreads();
    sum(buffer, output);
}

extern "C" __global__ void __launch_bounds__(1024)
    stencil_threads(const float* left, const float* center, const float* right, float* output) {
    __shared__ Buffer buffer;
    __shared__ uint64_t bar;
    init_for_all(&bar);
    own_copies(buffer, Inputs{left, center, right}.of_block(), copy_async);
    wait_for_copies(&bar);
    sum(buffer, output);
}

extern "C" __global__ void __launch_bounds__(1024)
    stencil_block(const float* left, const float* center, const float* right, float* output) {
    __shared__ Buffer buffer;
    __shared__ uint64_t bar;
    init_for_all(&bar);
    const Inputs inputs = Inputs{left, center, right}.of_block();
    copy_together(buffer, inputs.left, halo_len);
    copy_together(buffer + halo_len, inputs.center, center_len);
    copy_together(buffer + halo_len + center_len, inputs.right, halo_len);
    wait_for_copies(&bar);
    sum(buffer, output);
}

extern "C" __global__ void __launch_bounds__(1024)
    stencil_groups(const float* left, const float* center, const float* right, float* output) {
    __shared__ Buffer buffer;
    own_copies(buffer, Inputs{left, center, right}.of_block(), copy_async);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum(buffer, output);
}
