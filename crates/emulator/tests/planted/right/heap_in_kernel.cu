// Each thread has memory of its own from the device's heap, and gives it back.
// launch: grid=1 block=32
extern "C" __global__ void heap_in_kernel(const unsigned *in, unsigned *out) {
    unsigned *values = static_cast<unsigned *>(malloc(10 * sizeof(unsigned)));
    if (!values) return;
    for (int k = 0; k < 10; k++) values[k] = in[threadIdx.x * 10 + k];
    unsigned sum = 0;
    for (int k = 9; k >= 0; k--) sum = sum * 3 + values[k];
    free(values);
    out[threadIdx.x] = sum;
}
