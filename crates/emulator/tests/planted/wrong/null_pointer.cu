// Mistake: a pointer that is null for one thread is read all the same.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7
extern "C" __global__ void null_pointer(const unsigned *in, unsigned *out) {
    const unsigned *from = in[threadIdx.x] != 0 ? in : nullptr;
    out[threadIdx.x] = from[threadIdx.x];
}
