// Floats to integers in the four ways of rounding.
// launch: grid=2 block=64
// kernel: float2int_kernel

extern "C" __global__ void float2int_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)((int)(in[i] & 0xffff) - 32768) / 8.0f;
    int sum = __float2int_rn(value) + 3 * __float2int_rd(value) + 5 * __float2int_ru(value) + 7 * __float2int_rz(value);
    out[i] = (unsigned)sum;
    out[i + 1024] = (unsigned)__float2int_rz(value * 1024.0f) ^ __float2uint_rn(fabsf(value));
    out[i + 2048] = (unsigned)__float2ll_rd(value * 65536.0f) + (unsigned)(__float2ull_rz(fabsf(value) * 1048576.0f) >> 7);
}
