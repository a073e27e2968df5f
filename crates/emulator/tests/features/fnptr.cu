// Device functions by pointers that are chosen at run time.
// launch: grid=2 block=64
// kernel: fnptr_kernel

__device__ unsigned fnptr_add(unsigned a, unsigned b) { return a + b; }
__device__ unsigned fnptr_mix(unsigned a, unsigned b) { return a ^ (b << 3); }
__device__ unsigned (*const fnptr_table[2])(unsigned, unsigned) = {fnptr_add, fnptr_mix};

extern "C" __global__ void fnptr_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned (*chosen)(unsigned, unsigned) = in[i] & 1 ? fnptr_add : fnptr_mix;
    out[i] = chosen(in[i], in[i + 1]) + fnptr_table[i % 2](in[i], 5);
}
