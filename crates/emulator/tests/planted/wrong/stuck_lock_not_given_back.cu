// Mistake: an early return leaves the lock taken.
// launch: grid=4 block=32
// finds: stuck
// line: 7
extern "C" __global__ void stuck_lock_not_given_back(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    while (atomicCAS(out, 0u, 1u)) {}
    __threadfence();
    out[1] += in[blockIdx.x];
    if (out[1] < 4294967295u) return;
    __threadfence();
    atomicExch(out, 0u);
}
