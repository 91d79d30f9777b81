// Divides numbers by one that lies in memory, as that of a variable of another module.
extern "C" __global__ void divide(float *numbers, unsigned count, const float *by) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    numbers[i] /= *by;
  }
}
