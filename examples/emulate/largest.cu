// The largest of some non-negative numbers, which are in the order of their bits.
__device__ unsigned peak;

extern "C" __global__ void largest(const float *numbers, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    atomicMax(&peak, __float_as_uint(numbers[i]));
  }
}
