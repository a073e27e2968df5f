// Flags in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void shared_bool(const unsigned *in, unsigned *out) {
    __shared__ bool flags[64];
    __shared__ bool any;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) any = false;
    flags[threadIdx.x] = in[i] & 16;
    __syncthreads();
    if (threadIdx.x == 7 && flags[3]) any = true;
    __syncthreads();
    out[i] = flags[63 - threadIdx.x] + 2 * any + 4 * sizeof(flags);
}
