// Addition rounded toward minus infinity differs from rounding to nearest.
// launch: grid=2 block=64
// kernel: __fadd_rd_kernel

extern "C" __global__ void __fadd_rd_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float large = (float)(in[i] >> 8), small = (float)((int)(in[i] & 255) - 128) / 256.0f;
    float down = __fadd_rd(large, small), up = __fadd_ru(large, small), zero = __fadd_rz(-large, small);
    out[i] = __float_as_uint(down) ^ (__float_as_uint(up) << 1) ^ (__float_as_uint(zero) << 2);
    out[i + 1024] = (down <= up) + 2 * (down == __fadd_rn(large, small));
}
