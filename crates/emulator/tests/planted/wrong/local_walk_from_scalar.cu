// Mistake: a function is given the address of one number and the count of an array.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7
__device__ void local_walk_from_scalar_fill(unsigned *to, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        *to++ = i;
}
extern "C" __global__ void local_walk_from_scalar(const unsigned *in, unsigned *out) {
    unsigned one = 0, other = in[threadIdx.x];
    local_walk_from_scalar_fill(&other, 1);
    local_walk_from_scalar_fill(&one, 1 + (in[threadIdx.x] & 1));
    out[threadIdx.x] = one + other;
}
