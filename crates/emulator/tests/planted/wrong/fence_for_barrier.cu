// Mistake: a fence orders a thread's own accesses and waits for nobody.
// launch: grid=1 block=64
// finds: race-in-block unwritten
// line: 7 9
extern "C" __global__ void fence_for_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    __threadfence_block();
    out[threadIdx.x] = values[threadIdx.x ^ 32];
}
