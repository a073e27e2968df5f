// Mistake: rows of 33 words are written by vectors of 8 bytes: every other row begins at an odd word.
// launch: grid=1 block=32
// finds: misaligned
// line: 7
extern "C" __global__ void misaligned_vector_store(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[32][33];
    for (unsigned k = 0; k < 16; k++) *reinterpret_cast<uint2 *>(&tile[threadIdx.x][2 * k]) = make_uint2(in[k], threadIdx.x);
    __syncwarp();
    for (unsigned k = 0; k < 32; k++) out[k * 32 + threadIdx.x] = tile[k][threadIdx.x];
}
