// Mistake: a double lies at the second word of a structure that was packed by hand.
// launch: grid=1 block=32
// finds: misaligned
// line: 7
extern "C" __global__ void misaligned_double(const unsigned *in, unsigned *out) {
    out[3 * threadIdx.x] = in[threadIdx.x];
    *reinterpret_cast<double *>(out + 3 * threadIdx.x + 1) = double(in[threadIdx.x]);
}
