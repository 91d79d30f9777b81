// A program for `measure.py`: launches over buffers of MIB MiB, with a program's ordinary work between.
//
//     program MIB LAUNCHES EVERY
//
// fills two buffers on the host, copies them to the GPU, and after every EVERY launches copies the result back and adds
// it up on the host. With 0 MiB, buffers have 4 KiB. With 0 for EVERY, a kernel fills the buffers, and one number of the
// result is copied back at the end, so that the program only launches.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t code = (call);                                                    \
        if (code != cudaSuccess) {                                                    \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code));             \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

extern "C" __global__ void step(const float* x, float* y, float by, size_t count) {
    size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
        y[i] = y[i] * 0.5f + x[i] * by;
}

extern "C" __global__ void fill(float* x, unsigned seed, size_t count) {
    size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        unsigned mixed = (unsigned(i) ^ seed) * 0x9e3779b9u;
        mixed = (mixed ^ mixed >> 15) * 0x85ebca6bu;
        x[i] = float(mixed >> 8) / float(1 << 24) - 0.5f;
    }
}

// Numbers without a pattern.
static std::vector<float> numbers(size_t count, uint64_t seed) {
    std::vector<float> values(count);
    for (float& value : values) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        value = float(seed >> 40) / float(1 << 24) - 0.5f;
    }
    return values;
}

static double sum(const std::vector<float>& values) {
    double sum = 0;
    for (float value : values) sum += value;
    return sum;
}

int main(int count, char** arguments) {
    if (count < 4) {
        fprintf(stderr, "program MIB LAUNCHES EVERY\n");
        return 2;
    }
    size_t mib = strtoull(arguments[1], nullptr, 10);
    size_t elements = mib ? mib * 1024 * 1024 / sizeof(float) : 1024;
    int launches = atoi(arguments[2]), every = atoi(arguments[3]);
    size_t bytes = elements * sizeof(float);
    std::vector<float> x, y(every ? elements : 1);
    float *on_x, *on_y;
    CHECK(cudaMalloc(&on_x, bytes));
    CHECK(cudaMalloc(&on_y, bytes));
    if (every) {
        x = numbers(elements, 7);
        y = numbers(elements, 77);
        CHECK(cudaMemcpy(on_x, x.data(), bytes, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(on_y, y.data(), bytes, cudaMemcpyHostToDevice));
    } else {
        fill<<<1024, 256>>>(on_x, 7, elements);
        fill<<<1024, 256>>>(on_y, 77, elements);
    }
    for (int launch = 1; launch <= launches; launch++) {
        step<<<1024, 256>>>(on_x, on_y, 1.0f / float(launch), elements);
        CHECK(cudaGetLastError());
        if (every ? launch % every : launch < launches) continue;
        CHECK(cudaMemcpy(y.data(), on_y, y.size() * sizeof(float), cudaMemcpyDeviceToHost));
        double total = sum(y);
        if (launch == launches) printf("%.6f\n", total);
    }
    CHECK(cudaFree(on_x));
    CHECK(cudaFree(on_y));
    return 3;
}
