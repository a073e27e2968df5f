// Blocks stay and fetch tiles from an atomic counter until none is left.
// launch: grid=4 block=64
extern "C" __global__ void persistent_work_counter(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(out + 4000, 1u);
        __syncthreads();
        const unsigned mine = tile;
        __syncthreads();
        if (mine >= 32) break;
        out[mine * 64 + threadIdx.x] = in[mine * 64 + threadIdx.x] * (mine + 1);
    }
}
