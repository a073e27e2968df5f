// === blocked_floyd_warshall
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

// === floyd_warshall_in_place
// Row and column k never change in round k, since the diagonal is zero and only a shorter path is written.
// launch: grid=1 block=16x16
extern "C" __global__ void floyd_warshall_in_place(const unsigned *in, unsigned *out) {
    __shared__ unsigned lengths[16][16];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    lengths[y][x] = x == y ? 0 : in[y * 16 + x] >> 16;
    for (unsigned k = 0; k < 16; k++) {
        __syncthreads();
        const unsigned path = lengths[y][k] + lengths[k][x];
        if (path < lengths[y][x]) lengths[y][x] = path;
    }
    out[y * 16 + x] = lengths[y][x];
}

// === floyd_warshall_registers
// Lengths stay in registers; the owners publish row and column k in one of two buffers, one barrier a round.
// launch: grid=1 block=32x4
extern "C" __global__ void floyd_warshall_registers(const unsigned *in, unsigned *out) {
    __shared__ unsigned rows[2][32], columns[2][32];
    unsigned lengths[8];
    for (unsigned i = 0; i < 8; i++) lengths[i] = in[(threadIdx.y * 8 + i) * 32 + threadIdx.x] >> 20;
#pragma unroll
    for (unsigned k = 0; k < 32; k++) {
        if (threadIdx.y == k / 8) rows[k & 1][threadIdx.x] = lengths[k % 8];
        if (threadIdx.x == k)
            for (unsigned i = 0; i < 8; i++) columns[k & 1][threadIdx.y * 8 + i] = lengths[i];
        __syncthreads();
        for (unsigned i = 0; i < 8; i++) lengths[i] = min(lengths[i], columns[k & 1][threadIdx.y * 8 + i] + rows[k & 1][threadIdx.x]);
    }
    for (unsigned i = 0; i < 8; i++) out[(threadIdx.y * 8 + i) * 32 + threadIdx.x] = lengths[i];
}

// === floyd_warshall_two_barriers
// All read row and column k before any of them is written.
// launch: grid=1 block=16x16
extern "C" __global__ void floyd_warshall_two_barriers(const unsigned *in, unsigned *out) {
    __shared__ unsigned lengths[16][17];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    lengths[y][x] = in[y * 16 + x] >> 16;
    __syncthreads();
    for (unsigned k = 0; k < 16; k++) {
        const unsigned path = min(lengths[y][x], lengths[y][k] + lengths[k][x]);
        __syncthreads();
        lengths[y][x] = path;
        __syncthreads();
    }
    out[y * 16 + x] = lengths[y][x];
}
