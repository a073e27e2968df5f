// Mistake: a pointer that walks backwards does not stop at the array's start where nothing is found.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 11
extern "C" __global__ void local_walk_below_read(const unsigned *in, unsigned *out) {
    unsigned other[6], own[6];
    for (unsigned i = 0; i < 6; i++) {
        other[i] = own[i] = in[i] | 1;
    }
    const unsigned *at = own + 5;
    while ((*at & 1) != 0 && at > own - 4)
        at--;
    out[threadIdx.x] = other[in[threadIdx.x] % 6] + (unsigned)(at - own);
}
