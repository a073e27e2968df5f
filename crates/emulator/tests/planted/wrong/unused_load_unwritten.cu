// Mistake: shared memory that nothing wrote is loaded, and what came is forgotten.
// launch: grid=1 block=32
// finds: unwritten
extern "C" __global__ void unused_load_unwritten(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    unsigned value = values[threadIdx.x];
    value = in[threadIdx.x];
    out[threadIdx.x] = value;
}
