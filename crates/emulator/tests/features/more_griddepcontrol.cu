// A kernel that lets the next one start, and waits for the one before.
// launch: grid=2 block=64 repeat=2

extern "C" __global__ void more_griddepcontrol(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("griddepcontrol.launch_dependents;");
    unsigned value = in[i] * 3;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[i] = out[i] * 5 + value;
}
