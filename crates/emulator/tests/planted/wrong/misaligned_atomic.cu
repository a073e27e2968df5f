// Mistake: a 64-bit atomic at an address that is a multiple of 4 only.
// launch: grid=1 block=32
// finds: misaligned
// line: 6
extern "C" __global__ void misaligned_atomic(const unsigned *in, unsigned *out) {
    atomicAdd(reinterpret_cast<unsigned long long *>(out + 1 + 2 * threadIdx.x), (unsigned long long)in[threadIdx.x]);
}
