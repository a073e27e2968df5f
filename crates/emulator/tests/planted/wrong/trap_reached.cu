// Mistake: a thread gets to the trap that was meant for impossible values.
// launch: grid=2 block=64
// finds: trap
// line: 6
extern "C" __global__ void trap_reached(const unsigned *in, unsigned *out) {
    if (in[blockIdx.x * 64 + threadIdx.x] % 101 == 7) __trap();
    out[blockIdx.x * 64 + threadIdx.x] = 1;
}
