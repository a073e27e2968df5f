// Mistake: a pointer walks from one table of constants into the next.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 9
__constant__ unsigned table_walk_into_neighbour_first[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ unsigned table_walk_into_neighbour_second[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ unsigned table_walk_into_neighbour_find(const unsigned *at, unsigned end) {
    unsigned steps = 0;
    while (*at++ != end && steps < 8)
        steps++;
    return steps;
}
extern "C" __global__ void table_walk_into_neighbour(const unsigned *in, unsigned *out) {
    unsigned end = 9 + (in[threadIdx.x] & 1);
    out[threadIdx.x] = table_walk_into_neighbour_find(table_walk_into_neighbour_first, end) +
                       table_walk_into_neighbour_find(table_walk_into_neighbour_second, end);
}
