// Jumps out of loops and back.
// launch: grid=2 block=64
// kernel: goto_kernel

extern "C" __global__ void goto_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned steps = 0, value = in[i] | 1;
again:
    for (int k = 0; k < 8; ++k) {
        if (value == 1) goto done;
        if (steps > 40) goto done;
        value = value & 1 ? value / 2 + 1 : value / 2;
        ++steps;
    }
    value -= 1;
    if (value != 0) goto again;
done:
    out[i] = steps * 1000 + value;
}
