// Functions that are always inlined.
// launch: grid=2 block=64

static __device__ __forceinline__ unsigned forceinline_mix(unsigned a) { return a * 2654435761u ^ a >> 7; }
__forceinline__ __device__ unsigned forceinline_twice(unsigned a) { return forceinline_mix(forceinline_mix(a)); }

extern "C" __global__ void forceinline(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = forceinline_twice(in[i]) + forceinline_mix(i);
}
