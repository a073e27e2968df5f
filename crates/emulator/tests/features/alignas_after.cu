// alignas after __shared__.
// launch: grid=2 block=64

extern "C" __global__ void alignas_after(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[64];
    values[threadIdx.x] = in[i] >> 3;
    __syncthreads();
    uint4 four = ((const uint4 *)values)[15 - threadIdx.x / 4];
    out[i] = four.x + 2 * four.y + 3 * four.z + 5 * four.w;
}
