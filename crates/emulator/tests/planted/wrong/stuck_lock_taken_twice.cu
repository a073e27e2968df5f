// Mistake: a thread takes a lock that it already holds.
// launch: grid=2 block=32
// finds: stuck
// line: 7 10
extern "C" __global__ void stuck_lock_taken_twice(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    while (atomicCAS(out, 0u, 1u)) {}
    __threadfence();
    out[1] += in[blockIdx.x];
    while (atomicCAS(out, 0u, 1u)) {}
    out[2]++;
    __threadfence();
    atomicExch(out, 0u);
}
