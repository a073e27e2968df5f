// Vectors of two floats in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void shared_float2(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float2 pairs[64];
    pairs[threadIdx.x] = make_float2((float)(in[i] & 0xff), (float)(in[i] >> 24));
    __syncthreads();
    float2 other = pairs[(threadIdx.x + 17) % 64];
    out[i] = (unsigned)(other.x * 256.0f) + (unsigned)other.y;
}
