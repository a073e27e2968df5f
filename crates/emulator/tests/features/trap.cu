// A trap that no thread reaches.
// launch: grid=2 block=64
// kernel: trap_kernel

extern "C" __global__ void trap_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = in[i] % 10;
    if (value > 9) __trap();
    if (value == 77) asm volatile("trap;");
    out[i] = value;
}
