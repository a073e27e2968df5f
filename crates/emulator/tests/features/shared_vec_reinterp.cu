// A shared array of floats, written in fours and read in twos.
// launch: grid=2 block=64

extern "C" __global__ void shared_vec_reinterp(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float values[256] __attribute__((aligned(16)));
    reinterpret_cast<float4 *>(values)[threadIdx.x] = make_float4((float)(in[i] & 0xff), 1.0f, (float)(in[i] >> 24), 2.0f);
    __syncthreads();
    float2 pair = *(const float2 *)&values[2 * (127 - threadIdx.x)];
    float2 next = reinterpret_cast<float2 *>(values)[threadIdx.x];
    out[i] = (unsigned)(pair.x * 512.0f) + (unsigned)(pair.y * 8.0f) + (unsigned)(next.x + next.y);
}
