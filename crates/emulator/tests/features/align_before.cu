// An alignment before __shared__.
// launch: grid=2 block=64

extern "C" __global__ void align_before(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __align__(16) __shared__ unsigned values[64];
    values[threadIdx.x] = in[i];
    __syncthreads();
    uint4 four = ((const uint4 *)values)[threadIdx.x / 4];
    out[i] = (four.x ^ four.y) + (four.z ^ four.w);
}
