// A local array read as vectors, and an array at the end of a struct by a pointer to its first word.
// launch: grid=1 block=32
struct local_struct_and_vector_block { unsigned count; unsigned words[7]; };
extern "C" __global__ void local_struct_and_vector(const unsigned *in, unsigned *out) {
    __align__(16) unsigned own[8];
    local_struct_and_vector_block block = {7, {}};
    for (unsigned i = 0; i < 8; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    const uint4 *vectors = reinterpret_cast<const uint4 *>(own);
    const uint4 two = vectors[threadIdx.x % 2];
    unsigned *words = block.words;
    for (unsigned i = 0; i < block.count; i++) {
        words[i] = own[i] ^ two.y;
    }
    const unsigned *whole = reinterpret_cast<const unsigned *>(&block);
    out[threadIdx.x] = whole[7] + two.w + words[threadIdx.x % 7];
}
