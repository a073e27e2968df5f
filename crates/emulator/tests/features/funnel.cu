// Shifts of 64 bits that keep 32, with shifts of more than 31.
// launch: grid=2 block=64

extern "C" __global__ void funnel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned low = in[i], high = in[i + 1], shift = in[i + 2] % 48;
    out[i] = __funnelshift_l(low, high, shift) ^ (__funnelshift_r(low, high, shift) * 3);
    out[i + 1024] = __funnelshift_lc(low, high, shift) ^ (__funnelshift_rc(low, high, shift) * 5);
}
