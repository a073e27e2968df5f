// A barrier that counts for how many threads something holds.
// launch: grid=2 block=96

extern "C" __global__ void sync_count(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int many = __syncthreads_count(in[i] & 3);
    int few = __syncthreads_count(threadIdx.x < blockIdx.x);
    out[i] = (unsigned)(many * 1000 + few);
}
