// Tables of constants through pointers, to their last elements.
// launch: grid=1 block=32
__device__ const unsigned table_pointers_primes[4] = {2, 3, 5, 7};
__constant__ unsigned table_pointers_squares[3] = {1, 4, 9};
__device__ unsigned table_pointers_at(const unsigned *table, unsigned at) { return table[at]; }
extern "C" __global__ void table_pointers(const unsigned *in, unsigned *out) {
    const unsigned *p = threadIdx.x & 1 ? table_pointers_primes : table_pointers_squares;
    out[threadIdx.x] = p[threadIdx.x % 3] + table_pointers_at(table_pointers_primes, threadIdx.x % 4) + table_pointers_squares[2];
}
