// An alignment after the name of the array.
// launch: grid=2 block=64

extern "C" __global__ void align_name(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64] __attribute__((aligned(16)));
    values[63 - threadIdx.x] = in[i];
    __syncthreads();
    uint2 pair = ((const uint2 *)values)[threadIdx.x / 2];
    out[i] = pair.x - 3 * pair.y + (unsigned)((unsigned long long)values & 15);
}
