// Vectors of four floats, made, read and written as one.
// launch: grid=2 block=64
// kernel: float4_kernel

extern "C" __global__ void float4_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 value = make_float4((float)(in[i] & 255), (float)(in[i] >> 24), 3.0f, -4.0f);
    float4 *results = (float4 *)out;
    value.w += value.x;
    results[i] = value;
    out[i + 1024] = sizeof(float4) * 100 + alignof(float4);
}
