// Mistake: a lock of the grid is given back without a fence after the protected stores.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 9
extern "C" __global__ void grid_lock_without_fence(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    while (atomicCAS(out + 100, 0u, 1u)) {}
    __threadfence();
    out[0] += in[blockIdx.x];
    atomicExch(out + 100, 0u);
}
