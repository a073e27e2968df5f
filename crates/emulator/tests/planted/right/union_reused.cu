// One piece of shared memory holds floats, then integers; a barrier lies between the two lives.
// launch: grid=1 block=64
union union_reused_memory {
    float floats[64];
    unsigned long long pairs[32];
};
extern "C" __global__ void union_reused(const unsigned *in, unsigned *out) {
    __shared__ union_reused_memory memory;
    memory.floats[threadIdx.x] = float(in[threadIdx.x] >> 12);
    __syncthreads();
    const float sum = memory.floats[63 - threadIdx.x] + memory.floats[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) memory.pairs[threadIdx.x] = 5ull * in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = __float_as_uint(sum) ^ unsigned(memory.pairs[threadIdx.x / 2] >> 3);
}
