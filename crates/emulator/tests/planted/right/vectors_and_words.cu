// A vector store covers four words, which other threads read one by one after the barrier.
// launch: grid=2 block=64
extern "C" __global__ void vectors_and_words(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned words[256];
    reinterpret_cast<uint4 *>(words)[threadIdx.x] = reinterpret_cast<const uint4 *>(in)[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    uint2 pair = reinterpret_cast<uint2 *>(words)[127 - threadIdx.x];
    for (int k = 0; k < 4; k++) out[blockIdx.x * 256 + k * 64 + threadIdx.x] = words[k * 64 + (threadIdx.x ^ 21)] + pair.x * 3 + pair.y;
}
