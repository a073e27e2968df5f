// Vectors of four floats in shared memory, whole and by member.
// launch: grid=2 block=64

extern "C" __global__ void shared_float4(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float4 fours[64];
    fours[threadIdx.x] = make_float4((float)(in[i] & 0xff), 1.0f, (float)(in[i] >> 24), 4.0f);
    __syncthreads();
    float4 other = fours[63 - threadIdx.x];
    __syncthreads();
    fours[threadIdx.x].y = other.z;
    __syncthreads();
    out[i] = (unsigned)(other.x + fours[(threadIdx.x + 1) % 64].y) + 1024 * (unsigned)(fours[threadIdx.x ^ 1].z + other.w);
}
