// Vectors of one float.
// launch: grid=2 block=64
// kernel: float1_kernel

extern "C" __global__ void float1_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float1 value = make_float1((float)(in[i] & 0xffff));
    const float1 *values = (const float1 *)in;
    out[i] = __float_as_uint(value.x) ^ __float_as_uint(values[i + 1].x) ^ sizeof(float1);
}
