// The CUDA version of kernels-gpu/src/conv_im2col.rs: same algorithm, launch and parameters.
#include <cuda.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t channels = 16;
constexpr uint32_t filters_len = 8;
constexpr uint32_t side = 3;
constexpr uint32_t taps = side * side;
constexpr uint32_t pixels_of_block = 32;

// cuda::ptx has no copies of im2col maps.
__device__ inline void load_im2col(
    void* to, const CUtensorMap* map, const int32_t (&coords)[4], uint64_t* bar, const uint16_t (&offsets)[2]) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};"
        :
        : "r"(uint32_t(__cvta_generic_to_shared(to))), "l"(map), "r"(coords[0]), "r"(coords[1]), "r"(coords[2]),
          "r"(coords[3]), "r"(uint32_t(__cvta_generic_to_shared(bar))), "h"(offsets[0]), "h"(offsets[1])
        : "memory");
}

extern "C" __global__ void __launch_bounds__(256) conv_im2col(
    const __grid_constant__ CUtensorMap images, const float* filters, float* output, uint32_t width, uint32_t height,
    uint32_t pixels, int32_t first) {
    __shared__ alignas(128) float columns[taps][pixels_of_block][channels];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();

    if (is_elected()) {
        const uint32_t result = blockIdx.x * pixels_of_block;
        const int32_t coords[4] = {
            0, int32_t(result % width) + first, int32_t(result / width % height) + first,
            int32_t(result / width / height)};
#pragma unroll
        for (int tap = 0; tap < taps; ++tap) {
            const uint16_t offsets[2] = {uint16_t(tap % side), uint16_t(tap / side)};
            load_im2col(columns[tap], &images, coords, &bar, offsets);
        }
        expect(&bar, sizeof(columns));
    }
    wait(&bar, 0);

    const uint32_t pixel = threadIdx.x / filters_len;
    const uint32_t filter = threadIdx.x % filters_len;
    const uint32_t result = blockIdx.x * pixels_of_block + pixel;
    const float* weights = filters + filter * (taps * channels);
    float sum = 0;
#pragma unroll
    for (int tap = 0; tap < taps; ++tap) {
#pragma unroll
        for (int channel = 0; channel < channels; ++channel) {
            sum += columns[tap][pixel][channel] * weights[tap * channels + channel];
        }
    }
    if (result < pixels) {
        output[uint64_t(result) * filters_len + filter] = sum;
    }
}
