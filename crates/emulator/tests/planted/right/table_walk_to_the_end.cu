// Pointers walk along tables of constants that lie side by side, each to the end of its own, and backwards to its start.
// launch: grid=1 block=32
__constant__ unsigned table_walk_to_the_end_first[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ unsigned table_walk_to_the_end_second[8] = {8, 7, 6, 5, 4, 3, 2, 1};
__device__ const unsigned char table_walk_to_the_end_bytes[5] = {1, 2, 4, 8, 16};
__device__ unsigned table_walk_to_the_end_changed[3] = {1, 2, 3};
template <class T>
__device__ unsigned table_walk_to_the_end_sum(const T *start, const T *end) {
    unsigned sum = 0;
    for (const T *at = start; at != end; at++)
        sum = sum * 3 + *at;
    while (end-- > start)
        sum = sum * 5 + *end;
    return sum;
}
extern "C" __global__ void table_walk_to_the_end(const unsigned *in, unsigned *out) {
    static const unsigned short inside[3] = {3, 5, 7};
    const unsigned *either = in[threadIdx.x] & 1 ? table_walk_to_the_end_first : table_walk_to_the_end_second;
    if (threadIdx.x < 3) table_walk_to_the_end_changed[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = table_walk_to_the_end_sum(either, either + 8) + table_walk_to_the_end_sum(inside, inside + 3) +
                       table_walk_to_the_end_sum(table_walk_to_the_end_bytes, table_walk_to_the_end_bytes + threadIdx.x % 6) +
                       table_walk_to_the_end_sum(table_walk_to_the_end_changed, table_walk_to_the_end_changed + 3);
}
