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

constexpr uint32_t each = 3;
constexpr uint32_t threads_of_block = 128;
constexpr uint32_t pixels_of_load = 128;

// The vector of a pixel in rows of 64 bytes with a 64-byte swizzle.
__device__ inline float4 vector_of(const float4* pixels, uint32_t pixel, uint32_t vector) {
    return pixels[pixel * (channels / 4) + (vector ^ (pixel / 2 % 4))];
}

extern "C" __global__ void __launch_bounds__(128) conv_im2col_padded(
    const __grid_constant__ CUtensorMap images, const float* filters, float* output, uint32_t width, uint32_t height,
    uint32_t pixels, int32_t first) {
    __shared__ alignas(16) float weights[filters_len * taps * channels];
    __shared__ uint64_t bar;
    const float4* buffer = reinterpret_cast<const float4*>(smem);
    const uint32_t start = blockIdx.x * each * threads_of_block;
    const uint32_t loads =
        (each * threads_of_block + (side - 1) * width + (side - 1) + pixels_of_load - 1) / pixels_of_load;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();

    if (is_elected()) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, weights, filters, sizeof(weights), &bar);
        constexpr uint32_t load_bytes = pixels_of_load * channels * sizeof(float);
        for (uint32_t load = 0; load < loads; ++load) {
            const uint32_t pixel = start + load * pixels_of_load;
            const int32_t coords[4] = {
                0, int32_t(pixel % width) + first, int32_t(pixel / width % height) + first,
                int32_t(pixel / width / height)};
            const uint16_t offsets[2] = {0, 0};
            load_im2col(smem + load * load_bytes, &images, coords, &bar, offsets);
        }
        expect(&bar, sizeof(weights) + loads * load_bytes);
    }
    wait(&bar, 0);

    float sums[each][filters_len] = {};
#pragma unroll 1
    for (uint32_t tap = 0; tap < taps; ++tap) {
        const uint32_t ahead = tap / side * width + tap % side;
#pragma unroll
        for (uint32_t vector = 0; vector < channels / 4; ++vector) {
            float4 seen[each];
#pragma unroll
            for (uint32_t number = 0; number < each; ++number) {
                seen[number] = vector_of(buffer, threadIdx.x + number * threads_of_block + ahead, vector);
            }
#pragma unroll
            for (uint32_t filter = 0; filter < filters_len; ++filter) {
                const uint32_t index = filter * taps * channels + tap * channels + 4 * vector;
                const float4 of_filter = *reinterpret_cast<const float4*>(weights + index);
#pragma unroll
                for (uint32_t number = 0; number < each; ++number) {
                    float sum = sums[number][filter];
                    sum = fmaf(seen[number].x, of_filter.x, sum);
                    sum = fmaf(seen[number].y, of_filter.y, sum);
                    sum = fmaf(seen[number].z, of_filter.z, sum);
                    sums[number][filter] = fmaf(seen[number].w, of_filter.w, sum);
                }
            }
        }
    }
#pragma unroll
    for (uint32_t number = 0; number < each; ++number) {
        const uint32_t pixel = start + number * threads_of_block + threadIdx.x;
        const uint32_t column = pixel % width;
        const uint32_t row = pixel / width % height;
        if (pixel < pixels && column + side - 1 < width && row + side - 1 < height) {
            const uint64_t rows = uint64_t(pixel / width / height) * (height - side + 1) + row;
            const uint64_t result = rows * (width - side + 1) + column;
            float4* to = reinterpret_cast<float4*>(output + result * filters_len);
            const float* sum = sums[number];
            to[0] = {sum[0], sum[1], sum[2], sum[3]};
            to[1] = {sum[4], sum[5], sum[6], sum[7]};
        }
    }
}
