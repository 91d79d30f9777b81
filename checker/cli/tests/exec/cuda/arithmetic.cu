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
    return 0;
}

// A graph of two streams that were captured, and one of nodes.
int graphs() {
    cudaStream_t stream, other;
    cudaEvent_t forked, joined;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaEventCreate(&forked));
    CHECK(cudaEventCreate(&joined));
    int *on, numbers[32], marked = 0;
    CHECK(cudaMalloc(&on, sizeof numbers));
    for (int i = 0; i < 32; i++) numbers[i] = i;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(on, numbers, sizeof numbers, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(forked, stream));
    CHECK(cudaStreamWaitEvent(other, forked, 0));
    times<<<1, 32, 0, other>>>(on, 3);
    CHECK(cudaEventRecord(joined, other));
    CHECK(cudaStreamWaitEvent(stream, joined, 0));
    CHECK(cudaMemsetAsync(on, 0, 4 * sizeof(int), stream));
    CHECK(cudaMemcpyAsync(numbers, on, sizeof numbers, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, mark, &marked));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(other, &status));
    CHECK(cudaStreamEndCapture(stream, &graph));
    if (numbers[5] != 5 || marked != 0 || status != cudaStreamCaptureStatusActive) return 2;
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaStreamSynchronize(stream));
    if (numbers[3] != 0 || numbers[5] != 45 || numbers[31] != 279 || marked != 2) return 4;
    // Work that the streams get now runs at once.
    times<<<1, 32, 0, other>>>(on, 2);
    CHECK(cudaMemcpy(numbers, on, sizeof numbers, cudaMemcpyDeviceToHost));
    if (numbers[5] != 90) return 5;

    int factor = 7;
    void* arguments[] = {&on, &factor};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(times);
    kernel.gridDim = 1;
    kernel.blockDim = 32;
    kernel.kernelParams = arguments;
    cudaMemsetParams fill = {};
    fill.dst = on;
    fill.value = 0x0102;
    fill.elementSize = 2;
    fill.width = 64;
    fill.height = 1;
    cudaHostNodeParams host = {mark, &marked};
    cudaGraphNode_t nodes[4];
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&nodes[0], graph, nullptr, 0, &fill));
    CHECK(cudaGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &kernel));
    CHECK(cudaGraphAddMemcpyNode1D(&nodes[2], graph, &nodes[1], 1, numbers, on, sizeof numbers, cudaMemcpyDefault));
    CHECK(cudaGraphAddHostNode(&nodes[3], graph, &nodes[2], 1, &host));
    factor = 0;
    size_t count = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    CHECK(cudaGraphLaunch(instance, nullptr));
    CHECK(cudaDeviceSynchronize());
    if (numbers[0] != 7 * 0x01020102) return 8;
    factor = 2;
    CHECK(cudaGraphExecKernelNodeSetParams(instance, nodes[1], &kernel));
    CHECK(cudaGraphLaunch(instance, nullptr));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(instance));
    if (count != 4 || numbers[0] != 2 * 0x01020102 || numbers[31] != numbers[0] || marked != 4) return 6;
    return 0;
}
