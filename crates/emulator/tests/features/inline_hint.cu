// Functions that the compiler is asked to inline.
// launch: grid=2 block=64

__device__ __inline_hint__ unsigned inline_hint_mix(unsigned a) { return a * 5 + (a >> 9); }
__device__ inline unsigned inline_hint_less(unsigned a) { return inline_hint_mix(a) - a; }

extern "C" __global__ void inline_hint(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = inline_hint_less(in[i]);
}
