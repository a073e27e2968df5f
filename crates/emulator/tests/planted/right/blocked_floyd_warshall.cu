// Rounds of a blocked Floyd-Warshall in one block of threads: the diagonal tile, then its row and column, then the rest.
// launch: grid=1 block=8x8
static __device__ void blocked_floyd_warshall_update(unsigned *lengths, unsigned row, unsigned column, unsigned middle, bool inside) {
    unsigned *target = lengths + (row * 8 + threadIdx.y) * 32 + column * 8 + threadIdx.x, best = *target;
    for (unsigned k = middle * 8; k < middle * 8 + 8; k++) {
        best = min(best, lengths[(row * 8 + threadIdx.y) * 32 + k] + lengths[k * 32 + column * 8 + threadIdx.x]);
        if (inside) {
            __syncthreads();
            *target = best;
            __syncthreads();
        }
    }
    if (!inside) *target = best;
}
extern "C" __global__ void blocked_floyd_warshall(const unsigned *in, unsigned *out) {
    for (unsigned y = threadIdx.y; y < 32; y += 8)
        for (unsigned x = threadIdx.x; x < 32; x += 8) out[y * 32 + x] = in[y * 32 + x] >> 16;
    for (unsigned middle = 0; middle < 4; middle++) {
        __syncthreads();
        blocked_floyd_warshall_update(out, middle, middle, middle, true);
        for (unsigned k = 0; k < 4; k++)
            if (k != middle) {
                blocked_floyd_warshall_update(out, middle, k, middle, true);
                blocked_floyd_warshall_update(out, k, middle, middle, true);
            }
        for (unsigned row = 0; row < 4; row++)
            for (unsigned column = 0; column < 4; column++)
                if (row != middle && column != middle) blocked_floyd_warshall_update(out, row, column, middle, false);
    }
}
