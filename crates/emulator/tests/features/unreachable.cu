// A place that the compiler may take for never reached.
// launch: grid=2 block=64
// kernel: unreachable_kernel

__device__ unsigned unreachable_pick(unsigned value) {
    switch (value & 3) {
    case 0: return value;
    case 1: return value * 2;
    case 2: return value >> 2;
    case 3: return ~value;
    }
    __builtin_unreachable();
}

extern "C" __global__ void unreachable_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = unreachable_pick(in[i]);
}
