// Members of a volatile vector in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void float4_volatile(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ volatile float4 values[64];
    values[threadIdx.x].x = (float)(in[i] & 0xffff);
    values[threadIdx.x].w = values[threadIdx.x].x + 1.0f;
    __syncthreads();
    volatile float4 *other = &values[threadIdx.x ^ 9];
    out[i] = (unsigned)(other->x + other->w);
}
