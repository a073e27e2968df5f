// A subtraction that is never fused with the product before it.
// launch: grid=2 block=64
// kernel: __fsub_rn_kernel

extern "C" __global__ void __fsub_rn_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffff), b = (float)(in[i + 3] & 0x1ff), c = (float)(in[i + 5] >> 4);
    out[i] = __float_as_uint(__fsub_rn(__fmul_rn(a, b), c));
    out[i + 1024] = __float_as_uint(__fsub_rd(c, 0.75f)) - __float_as_uint(__fsub_rz(-c, 0.75f));
}
