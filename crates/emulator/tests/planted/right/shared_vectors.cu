// Arrays of vectors, and of a class with a constructor, in shared memory.
// launch: grid=1 block=64
struct shared_vectors_pair {
    unsigned low, high;
    __device__ shared_vectors_pair() {}
    __device__ shared_vectors_pair(unsigned a, unsigned b) : low(a), high(b) {}
};
extern "C" __global__ void shared_vectors(const unsigned *in, unsigned *out) {
    __shared__ float4 vectors[16];
    __shared__ shared_vectors_pair pairs[8][8];
    const unsigned thread = threadIdx.x;
    if (thread < 16) vectors[thread] = make_float4(thread, thread * 2.0f, in[thread] >> 16, 1.0f);
    pairs[thread / 8][thread % 8] = shared_vectors_pair(in[thread], thread);
    __syncthreads();
    const float4 v = vectors[thread % 16];
    const shared_vectors_pair p = pairs[thread % 8][thread / 8];
    out[thread] = __float_as_uint(v.x + v.y + v.z * v.w) ^ p.low ^ p.high;
}
