// Memory from the device's heap.
// launch: grid=2 block=64
// kernel: malloc_kernel

extern "C" __global__ void malloc_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *values = (unsigned *)malloc(4 * sizeof(unsigned));
    if (values == nullptr) return;
    for (unsigned k = 0; k < 4; ++k) values[k] = in[i + k];
    out[i] = values[in[i] % 4] + ((unsigned long long)values % 16 == 0);
    free(values);
}
