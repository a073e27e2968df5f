// Mistake: two bytes are read as one number at an odd address.
// launch: grid=1 block=32
// finds: misaligned
// line: 6
extern "C" __global__ void misaligned_half_word(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = *reinterpret_cast<const unsigned short *>(reinterpret_cast<const unsigned char *>(in) + 3 * threadIdx.x);
}
