// An atomic addition returns what was there before: each thread gets a place of its own.
// launch: grid=2 block=64

extern "C" __global__ void atomicAdd_ret(const unsigned *in, unsigned *out) {
    __shared__ unsigned next;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    unsigned place = atomicAdd(&next, 1u);
    unsigned seen = atomicAdd(&out[2000], 1u);
    // Which thread gets which place is open; that all places are taken once is not.
    atomicAdd(&out[blockIdx.x * 64 + place], 1u);
    atomicAdd(&out[1000 + seen], 1u);
    atomicAdd((int *)&out[2001], -(int)(in[i] & 15));
}
