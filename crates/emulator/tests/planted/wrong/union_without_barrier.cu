// Mistake: the memory's second life begins while other warps still read the first.
// launch: grid=1 block=64
// finds: race-in-block
// line: 13 14
union union_without_barrier_memory {
    float floats[64];
    unsigned long long pairs[32];
};
extern "C" __global__ void union_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ union_without_barrier_memory memory;
    memory.floats[threadIdx.x] = float(in[threadIdx.x] >> 12);
    __syncthreads();
    const float sum = memory.floats[63 - threadIdx.x];
    if (threadIdx.x < 32) memory.pairs[threadIdx.x] = 5ull * in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = __float_as_uint(sum) ^ unsigned(memory.pairs[threadIdx.x / 2]);
}
