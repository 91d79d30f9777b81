// What tile_gather is measured against: the same boxes by ordinary loads that bypass L1, two rounds of a
// warp on their way. It has the launch of tile_gather and writes the same sums.
#include <cstdint>

struct Boxes {
    uint4 vector[4];
};

struct Gather {
    const uint4* tensor;
    int32_t width;
    int32_t height;
    uint32_t lane;

    // A lane has the 16 bytes at its index in two boxes of four, whose positions other lanes hold.
    __device__ Boxes load(uint32_t held) const {
        Boxes boxes;
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            const uint32_t position = __shfl_sync(0xffffffff, held, 2 * part + lane / 16);
            const int32_t x = int16_t(position) + lane % 8 / 4;
            const int32_t y = (int32_t(position) >> 16) + lane % 16 / 8;
            const bool inside = uint32_t(x) < uint32_t(width) && uint32_t(y) < uint32_t(height);
            const uint64_t pixel = int64_t(y) * width + x;
            boxes.vector[part] = inside ? __ldcg(tensor + 4 * pixel + lane % 4) : uint4{0, 0, 0, 0};
        }
        return boxes;
    }
};

extern "C" __global__ void __launch_bounds__(1024) gather_ldg(
    const uint4* tensor, int32_t width, int32_t height, const uint32_t* positions, uint32_t rounds, uint4* sums) {
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t warps = gridDim.x * (blockDim.x / 32);
    const Gather gather{tensor, width, height, lane};
    auto held = [&](uint32_t round) { return round < rounds ? positions[uint64_t(round) * 8 + lane % 8] : 0; };

    uint4 sum{0, 0, 0, 0};
    uint32_t round = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (round < rounds) {
        Boxes boxes = gather.load(held(round));
        uint32_t next = held(round + warps);
        for (; round < rounds; round += warps) {
            const Boxes ahead = gather.load(next);
            next = held(round + 2 * warps);
#pragma unroll
            for (int part = 0; part < 4; ++part) {
                sum.x = sum.x * 31 + boxes.vector[part].x;
                sum.y = sum.y * 31 + boxes.vector[part].y;
                sum.z = sum.z * 31 + boxes.vector[part].z;
                sum.w = sum.w * 31 + boxes.vector[part].w;
            }
            boxes = ahead;
        }
    }
    sums[uint64_t(blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}
