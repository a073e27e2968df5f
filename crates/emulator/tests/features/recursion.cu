// Functions that call themselves.
// launch: grid=2 block=64

__device__ unsigned recursion_divisor(unsigned a, unsigned b) { return b == 0 ? a : recursion_divisor(b, a % b); }
__device__ unsigned recursion_count(unsigned depth, unsigned value) {
    if (depth == 0) return value & 1;
    return recursion_count(depth - 1, value >> 1) + recursion_count(depth - 1, value * 3);
}

extern "C" __global__ void recursion(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = recursion_divisor(in[i], in[i + 1]) + recursion_count(5, in[i]);
}
