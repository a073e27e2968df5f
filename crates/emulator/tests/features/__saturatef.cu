// Values are clamped to the range from 0 to 1.
// launch: grid=2 block=64
// kernel: __saturatef_kernel

extern "C" __global__ void __saturatef_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)((int)(in[i] & 1023) - 512) / 256.0f;
    out[i] = __float_as_uint(__saturatef(value));
    out[i + 1024] = __float_as_uint(__saturatef(__int_as_float(0x7f800000)));
}
