// Mistake: the trap instruction of PTX is reached by one thread.
// launch: grid=1 block=64
// finds: trap
// line: 6
extern "C" __global__ void trap_instruction(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 33) asm volatile("trap;");
    out[threadIdx.x] = in[threadIdx.x];
}
