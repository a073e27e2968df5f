// Mistake: the last vector of a local array of six words is half behind it.
// launch: grid=1 block=32
// finds: out-of-bounds
extern "C" __global__ void local_vector_cast(const unsigned *in, unsigned *out) {
    __align__(16) unsigned own[6];
    for (unsigned i = 0; i < 6; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    const uint4 *vectors = reinterpret_cast<const uint4 *>(own);
    out[threadIdx.x] = vectors[threadIdx.x % 2].w;
}
