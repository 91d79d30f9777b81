// A copy of a tile by a tensor map that the driver's encoder makes.
#include "check.h"
#include <cuda.h>
#include <cuda/barrier>
#include <vector>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::device::experimental;

constexpr int WIDTH = 20, HEIGHT = 7, BOX_WIDTH = 8, BOX_HEIGHT = 4;

// Adds 1 to the tile whose first element is (x, y).
__global__ void add_to_tile(const __grid_constant__ CUtensorMap map, int x, int y) {
    __shared__ alignas(128) int tile[BOX_HEIGHT][BOX_WIDTH];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full;
    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        ptx::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, x, y, full);
        token = cuda::device::barrier_arrive_tx(full, 1, sizeof tile);
    } else {
        token = full.arrive();
    }
    full.wait(std::move(token));
    tile[threadIdx.x / BOX_WIDTH][threadIdx.x % BOX_WIDTH] += 1;
    ptx::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read<0>();
    }
}

static CUresult encode(CUtensorMap* map, int* matrix, cuuint64_t stride) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
    if (result != cudaDriverEntryPointSuccess) exit(2);
    cuuint64_t dims[] = {WIDTH, HEIGHT}, strides[] = {stride};
    cuuint32_t box[] = {BOX_WIDTH, BOX_HEIGHT}, steps[] = {1, 1};
    auto call = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
    return call(map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

// A map is used again for a second matrix of the same shape, after the first one was freed.
int freed_map() {
    int* on;
    CUtensorMap map;
    CHECK(cudaMalloc(&on, WIDTH * HEIGHT * sizeof(int)));
    if (encode(&map, on, WIDTH * sizeof(int)) != CUDA_SUCCESS) return 4;
    add_to_tile<<<1, BOX_WIDTH * BOX_HEIGHT>>>(map, 0, 0);
    CHECK(cudaFree(on));
    CHECK(cudaMalloc(&on, WIDTH * HEIGHT * sizeof(int)));
    add_to_tile<<<1, BOX_WIDTH * BOX_HEIGHT>>>(map, 0, 0);
    return 0;
}

int tensor_copy(bool broken_map) {
    std::vector<int> matrix(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) matrix[i] = i;
    int* on;
    const size_t bytes = matrix.size() * sizeof(int);
    CHECK(cudaMalloc(&on, bytes));
    CHECK(cudaMemcpy(on, matrix.data(), bytes, cudaMemcpyHostToDevice));
    CUtensorMap map;
    CUresult encoded = encode(&map, on, WIDTH * sizeof(int) - (broken_map ? 4 : 0));
    if (encoded != CUDA_SUCCESS) return broken_map ? 7 : 4;
    // At the edge: 4 of 8 columns and 3 of 4 rows are in the matrix.
    add_to_tile<<<1, BOX_WIDTH * BOX_HEIGHT>>>(map, 16, 4);
    CHECK(cudaMemcpy(matrix.data(), on, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        bool is_in_tile = i % WIDTH >= 16 && i / WIDTH >= 4;
        if (matrix[i] != i + is_in_tile) return 5;
    }
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion("cuNothing", &found, 12000, cudaEnableDefault, &result));
    return result == cudaDriverEntryPointSymbolNotFound ? 0 : 6;
}
