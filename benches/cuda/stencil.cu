// The CUDA version of kernels-gpu/src/stencil.rs: same algorithms, launches and parameters.
#include <cstdint>
#include <cuda/ptx>
#include <cuda_pipeline_primitives.h>

#include "elected.cuh"
#include "ring.cuh"

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

// A line is a left halo, a centre and a right halo; eight threads have one.
extern "C" __global__ void __launch_bounds__(1024) stencil_bulk(
    const float* left, const float* center, const float* right, float* output, uint32_t centers) {
    constexpr uint32_t of_halo = halo_len / 4, of_center = center_len / 4;
    __shared__ uint64_t bar;
    const uint32_t most = blockDim.x / of_center;
    const uint32_t first = blockIdx.x * most;
    const uint32_t count = min(centers - first, most);
    const uint32_t center_at = of_halo * count, right_at = (of_halo + of_center) * count;
    float4* vectors = reinterpret_cast<float4*>(smem);

    if (is_elected()) {
        ptx::mbarrier_init(&bar, 1);
        const uint32_t halo_bytes = of_halo * count * 16, center_bytes = of_center * count * 16;
        expect(&bar, 2 * halo_bytes + center_bytes);
        const auto load = [&](float4* to, const float* from, uint32_t bytes) {
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, &bar);
        };
        load(vectors, left + size_t(first) * halo_len, halo_bytes);
        load(vectors + center_at, center + size_t(first) * center_len, center_bytes);
        load(vectors + right_at, right + size_t(first) * halo_len, halo_bytes);
    }
    __syncthreads();
    wait(&bar, 0);

    const uint32_t number = threadIdx.x / of_center, quarter = threadIdx.x % of_center;
    if (number >= count) {
        return;
    }
    const auto vector = [&](uint32_t ahead) {
        const uint32_t at = quarter + ahead;
        return at < of_halo               ? vectors[of_halo * number + at]
               : at < of_halo + of_center ? vectors[center_at + of_center * number + (at - of_halo)]
                                          : vectors[right_at + of_halo * number + (at - of_halo - of_center)];
    };
    const float4 head = vector(0), tail = vector(4);
    float w = head.x + head.y + head.z + head.w, x = head.y + head.z + head.w, y = head.z + head.w, z = head.w;
    const auto add = [](float sum, const float4& more) { return sum + more.x + more.y + more.z + more.w; };
#pragma unroll
    for (uint32_t ahead = 1; ahead <= 3; ++ahead) {
        const float4 more = vector(ahead);
        w = add(w, more);
        x = add(x, more);
        y = add(y, more);
        z = add(z, more);
    }
    reinterpret_cast<float4*>(output + size_t(first + number) * center_len)[quarter] = float4{
        w + tail.x, x + tail.x + tail.y, y + tail.x + tail.y + tail.z, z + tail.x + tail.y + tail.z + tail.w};
}
