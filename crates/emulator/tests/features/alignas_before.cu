// alignas before __shared__.
// launch: grid=2 block=64

extern "C" __global__ void alignas_before(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    alignas(16) __shared__ unsigned values[64];
    values[threadIdx.x] = in[i] >> 5;
    __syncthreads();
    uint4 four = ((const uint4 *)values)[threadIdx.x / 4];
    out[i] = four.x ^ (four.y << 1) ^ (four.z << 2) ^ (four.w << 3);
}
