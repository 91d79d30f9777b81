// A vector that does not fill its last block, a missing barrier, and streams.
#include "check.h"
#include <vector>

__global__ void add(const float* a, const float* b, float* sum, int len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < len) sum[i] = a[i] + b[i];
}

int vector_add() {
    const int len = 1003;
    std::vector<float> a(len), b(len), sum(len + 5, -1.0f);
    for (int i = 0; i < len; i++) {
        a[i] = i;
        b[i] = 0.25f * i;
    }
    const size_t bytes = len * sizeof(float);
    float *on_a, *on_b, *on_sum;
    CHECK(cudaMalloc(&on_a, bytes));
    CHECK(cudaMalloc(&on_b, bytes));
    CHECK(cudaMalloc(&on_sum, bytes));
    CHECK(cudaMemcpy(on_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(on_b, b.data(), bytes, cudaMemcpyHostToDevice));
    add<<<(len + 255) / 256, 256>>>(on_a, on_b, on_sum, len);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sum.data(), on_sum, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < len + 5; i++) {
        float expected = i < len ? 1.25f * i : -1.0f;
        if (sum[i] != expected) {
            printf("element %d is %f and not %f\n", i, sum[i], expected);
            return 2;
        }
    }
    CHECK(cudaFree(on_a));
    CHECK(cudaFree(on_b));
    CHECK(cudaFree(on_sum));
    printf("%d sums\n", len);
    return 0;
}

// The threads read what others write, with no barrier between.
__global__ void reverse_64(int* numbers) {
    __shared__ int all[64];
    all[threadIdx.x] = numbers[threadIdx.x];
    numbers[threadIdx.x] = all[63 - threadIdx.x];
}

int reverse() {
    int numbers[64];
    for (int i = 0; i < 64; i++) numbers[i] = i;
    int* on;
    CHECK(cudaMalloc(&on, sizeof numbers));
    CHECK(cudaMemcpy(on, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    reverse_64<<<1, 64>>>(on);
    reverse_64<<<1, 64>>>(on);
    CHECK(cudaDeviceSynchronize());
    return 0;
}

__global__ void times(int* numbers, int factor) { numbers[threadIdx.x] *= factor; }

static void mark(void* data) { *static_cast<int*>(data) += 1; }

int streams() {
    cudaStream_t stream;
    cudaEvent_t start, end;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    int *on, *pinned, marked = 0;
    CHECK(cudaMallocAsync(&on, 32 * sizeof(int), stream));
    CHECK(cudaMallocHost(&pinned, 32 * sizeof(int)));
    for (int i = 0; i < 32; i++) pinned[i] = i;
    CHECK(cudaEventRecord(start, stream));
    CHECK(cudaMemcpyAsync(on, pinned, 32 * sizeof(int), cudaMemcpyHostToDevice, stream));
    times<<<1, 32, 0, stream>>>(on, 3);
    times<<<1, 32, 0, stream>>>(on, 5);
    CHECK(cudaLaunchHostFunc(stream, mark, &marked));
    CHECK(cudaMemcpyAsync(pinned, on, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventQuery(end));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, start, end));
    for (int i = 0; i < 32; i++)
        if (pinned[i] != 15 * i) return 2;
    if (milliseconds < 0 || marked != 1) return 4;
    CHECK(cudaFreeAsync(on, stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaStreamDestroy(stream));
    return cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle ? 0 : 5;
}
