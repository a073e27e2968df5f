// Mistake: a vector of 16 bytes is read at an address that is a multiple of 4 only.
// launch: grid=1 block=32
// finds: misaligned
// line: 6
extern "C" __global__ void misaligned_vector_load(const unsigned *in, unsigned *out) {
    const uint4 v = *reinterpret_cast<const uint4 *>(in + threadIdx.x * 4 + 1);
    out[threadIdx.x] = v.x ^ v.y ^ v.z ^ v.w;
}
