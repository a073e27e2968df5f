// Mistake: a pointer that walks along a local array writes behind it, into the array next to it.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 9
extern "C" __global__ void local_walk_write(const unsigned *in, unsigned *out) {
    unsigned own[4], other[4] = {1, 2, 3, 4};
    unsigned *to = own;
    for (unsigned left = 4 + (in[threadIdx.x] & 1); left > 0; left--)
        *to++ = left;
    out[threadIdx.x] = own[in[threadIdx.x] % 4] + other[in[threadIdx.x] % 4];
}
