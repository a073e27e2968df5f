// Mistake: a search backwards through either of two tables of constants ends in what lies before it.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 10
__device__ const unsigned table_walk_below_first[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ const unsigned table_walk_below_second[8] = {1, 2, 3, 4, 5, 6, 7, 8};
extern "C" __global__ void table_walk_below(const unsigned *in, unsigned *out) {
    const unsigned *at = (threadIdx.x & 1 ? table_walk_below_first : table_walk_below_second) + 7;
    unsigned steps = 0;
    while (*at != 9 && steps++ < 8)
        at--;
    out[threadIdx.x] = steps + in[0];
}
