// Variables of the device, its heap, rows with padding, and memory of both sides.
#include "check.h"

__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ int* list;
__managed__ int shared_count = 7;

__global__ void use(float* out) {
    out[threadIdx.x] = table[threadIdx.x & 3];
    atomicAdd(&counter, 1);
}

int symbols() {
    const float other[2] = {20, 30};
    CHECK(cudaMemcpyToSymbol(table, other, sizeof other, sizeof(float)));
    float* on;
    CHECK(cudaMalloc(&on, 64 * sizeof(float)));
    use<<<1, 64>>>(on);
    use<<<1, 64>>>(on);
    float out[64];
    CHECK(cudaMemcpy(out, on, sizeof out, cudaMemcpyDeviceToHost));
    const float expected[4] = {1, 20, 30, 4};
    for (int i = 0; i < 64; i++)
        if (out[i] != expected[i % 4]) return 2;
    int count;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    if (count != 5 + 128) return 4;
    void *address, *constants;
    size_t bytes;
    CHECK(cudaGetSymbolAddress(&address, counter));
    CHECK(cudaMemset(address, 0, sizeof count));
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    CHECK(cudaGetSymbolSize(&bytes, table));
    CHECK(cudaGetSymbolAddress(&constants, table));
    CHECK(cudaMemcpy(out, constants, bytes, cudaMemcpyDeviceToHost));
    if (count != 0 || bytes != 16 || out[2] != 30) return 5;
    return cudaMemcpyToSymbol(table, other, sizeof other, 12) == cudaErrorInvalidValue ? 0 : 6;
}

__global__ void make_list() {
    list = static_cast<int*>(malloc(32 * sizeof(int)));
    for (int i = 0; i < 32; i++) list[i] = i * i;
}

__global__ void read_list(int* out) {
    out[threadIdx.x] = list[threadIdx.x];
    if (threadIdx.x == 3) printf("list[3] is %d\n", list[3]);
}

// 12 MiB.
__global__ void allocate_much(int* is_there) { *is_there = malloc(12 << 20) != nullptr; }

int heap() {
    int *on, out[32];
    size_t bytes = 0;
    CHECK(cudaMalloc(&on, sizeof out));
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CHECK(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    allocate_much<<<1, 1>>>(on);
    CHECK(cudaMemcpy(out, on, 4, cudaMemcpyDeviceToHost));
    if (out[0] != 1 || bytes != 16 << 20) return 4;
    // A heap that is used keeps its size.
    if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20) != cudaErrorInvalidValue) return 5;
    make_list<<<1, 1>>>();
    printf("before\n");
    read_list<<<1, 32>>>(on);
    CHECK(cudaDeviceSynchronize());
    printf("after\n");
    CHECK(cudaMemcpy(out, on, sizeof out, cudaMemcpyDeviceToHost));
    return out[31] == 961 ? 0 : 2;
}

__global__ void increase(int* numbers, int pitch) { numbers[blockIdx.x * pitch + threadIdx.x] += 1; }

__global__ void count_shared() { atomicAdd(&shared_count, 1); }

int memory() {
    // A managed variable: both sides use its name.
    if (shared_count != 7) return 12;
    shared_count = 100;
    count_shared<<<1, 3>>>();
    CHECK(cudaDeviceSynchronize());
    if (shared_count != 103) return 13;
    // Managed: the host writes, the device adds, the host reads.
    int* managed;
    CHECK(cudaMallocManaged(&managed, 2 * 32 * sizeof(int)));
    for (int i = 0; i < 64; i++) managed[i] = 10 * i;
    increase<<<2, 32>>>(managed, 32);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        if (managed[i] != 10 * i + 1) return 2;
    // Mapped: by its address on the device.
    int *mapped, *on_device;
    CHECK(cudaHostAlloc(&mapped, 32 * sizeof(int), cudaHostAllocMapped));
    for (int i = 0; i < 32; i++) mapped[i] = -i;
    CHECK(cudaHostGetDevicePointer(&on_device, mapped, 0));
    increase<<<1, 32>>>(on_device, 0);
    CHECK(cudaDeviceSynchronize());
    if (mapped[31] != -30) return 4;
    // Registered: memory of the program.
    static int own[32];
    CHECK(cudaHostRegister(own, sizeof own, 0));
    increase<<<1, 32>>>(own, 0);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostUnregister(own));
    if (own[0] != 1 || own[31] != 1) return 5;
    // From one device to itself.
    CHECK(cudaMemcpyPeerAsync(managed + 32, 0, managed, 0, 32 * sizeof(int), nullptr));
    if (managed[63] != 311) return 15;
    if (cudaMemcpyPeerAsync(managed, 1, managed, 0, 4, nullptr) != cudaErrorInvalidDevice) return 16;
    // Rows with padding.
    int rows[3][7], back[3][7], *pitched;
    size_t pitch;
    for (int i = 0; i < 21; i++) rows[i / 7][i % 7] = i;
    CHECK(cudaMallocPitch(&pitched, &pitch, sizeof rows[0], 3));
    CHECK(cudaMemset2D(pitched, pitch, 0xff, pitch, 3));
    CHECK(cudaMemcpy2D(pitched, pitch, rows, sizeof rows[0], sizeof rows[0], 3, cudaMemcpyHostToDevice));
    increase<<<3, 7>>>(pitched, pitch / sizeof(int));
    CHECK(cudaMemcpy2D(back, sizeof back[0], pitched, pitch, sizeof back[0], 3, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 21; i++)
        if (back[i / 7][i % 7] != i + 1) return 6;
    // A box of 2 layers of 2 rows, from inside of one to inside of another.
    char host[3][4][16], box[2][2][5];
    for (int i = 0; i < 3 * 4 * 16; i++) host[i / 64][i / 16 % 4][i % 16] = i;
    cudaPitchedPtr layers;
    CHECK(cudaMalloc3D(&layers, make_cudaExtent(16, 4, 3)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, 16, 16, 4);
    copy.dstPtr = layers;
    copy.extent = make_cudaExtent(16, 4, 3);
    copy.kind = cudaMemcpyDefault;
    CHECK(cudaMemcpy3D(&copy));
    copy.srcPtr = layers;
    copy.srcPos = make_cudaPos(7, 1, 1);
    copy.dstPtr = make_cudaPitchedPtr(box, 5, 5, 2);
    copy.extent = make_cudaExtent(5, 2, 2);
    CHECK(cudaMemcpy3D(&copy));
    for (int i = 0; i < 2 * 2 * 5; i++)
        if (box[i / 10][i / 5 % 2][i % 5] != host[1 + i / 10][1 + i / 5 % 2][7 + i % 5]) return 14;
    CHECK(cudaFree(layers.ptr));
    int behind;
    CHECK(cudaMemcpy(&behind, pitched + 7, sizeof behind, cudaMemcpyDeviceToHost));
    if (behind != -1) return 7;
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, pitched + 1));
    if (attributes.type != cudaMemoryTypeDevice) return 8;
    CHECK(cudaPointerGetAttributes(&attributes, managed + 63));
    if (attributes.type != cudaMemoryTypeManaged || attributes.hostPointer != managed + 63) return 9;
    CHECK(cudaPointerGetAttributes(&attributes, rows));
    if (attributes.type != cudaMemoryTypeUnregistered) return 10;
    size_t before, after, total;
    CHECK(cudaFree(managed));
    CHECK(cudaMemGetInfo(&before, &total));
    int* large;
    CHECK(cudaMalloc(&large, 64 << 20));
    CHECK(cudaMemGetInfo(&after, &total));
    return after == before - (64 << 20) && cudaMalloc(&pitched, total + 1) == cudaErrorMemoryAllocation ? 0 : 11;
}
