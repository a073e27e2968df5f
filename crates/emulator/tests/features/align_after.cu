// An alignment between __shared__ and the type.
// launch: grid=2 block=64

extern "C" __global__ void align_after(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) float values[64];
    values[threadIdx.x] = (float)(in[i] & 0xffff);
    __syncthreads();
    float4 four = ((const float4 *)values)[threadIdx.x / 4];
    out[i] = (unsigned)(four.x + four.y + four.z + four.w) + (unsigned)((unsigned long long)values % 16);
}
