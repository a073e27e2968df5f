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
