// Kernels that `program.cu` launches while it is recorded.
#include <cooperative_groups.h>

__constant__ float factors[4] = {1, 2, 3, 4};
__device__ int launches = 5;
__device__ float* kept;

// Every element times a factor of its own, and `by`.
extern "C" __global__ void scale(float* data, float by, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] *= factors[i & 3] * by;
    if (i == 0) {
        launches++;
        kept = data;
    }
}

// The sums of columns, whose rows are at arbitrary addresses.
extern "C" __global__ void sum_columns(const float* const* rows, int row_count, float* sums, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= columns) return;
    float sum = 0;
    for (int row = 0; row < row_count; row++) sum += rows[row][i];
    sums[i] = sum;
}

// Through the variable alone.
extern "C" __global__ void negate_kept(int count) {
    int i = threadIdx.x;
    if (i < count) kept[i] = -kept[i];
}

// Lacks a barrier.
extern "C" __global__ void reverse(int* data) {
    __shared__ int all[64];
    all[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = all[63 - threadIdx.x];
}

extern "C" __global__ void ranks(unsigned* out) {
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) out[blockIdx.x] = 100 * cluster.num_blocks() + cluster.block_rank();
}

extern "C" __global__ void count(int* out) { atomicAdd(out, 1); }

// Reads past the end.
extern "C" __global__ void past_the_end(const int* data, int* out, int count) { *out = data[count]; }

// Sums of the texels of two textures; the second one's handle is read from memory.
extern "C" __global__ void add_texels(cudaTextureObject_t plane, const cudaTextureObject_t* linear,
                                      cudaSurfaceObject_t out, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = tex2D<float>(plane, x + 0.25f, y + 0.5f) + tex1Dfetch<float>(*linear, y * width + x);
    surf2Dwrite(sum, out, x * sizeof(float), y);
}

// Frees its memory of the heap.
extern "C" __global__ void borrow(int* out) {
    int* borrowed = static_cast<int*>(malloc(sizeof(int)));
    *borrowed = 8;
    *out = *borrowed;
    free(borrowed);
}

// Leaves a number in the heap.
extern "C" __global__ void leave(int** out) {
    *out = static_cast<int*>(malloc(sizeof(int)));
    **out = 7;
}

extern "C" __global__ void take(int** left, int* out) {
    *out = **left;
    free(*left);
}
