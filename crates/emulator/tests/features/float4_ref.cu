// Vectors and their members changed by reference.
// launch: grid=2 block=64

__device__ void float4_ref_swap(float4 &value, float &member) {
    float x = value.x;
    value.x = value.w;
    value.w = x;
    member += 1.0f;
}

extern "C" __global__ void float4_ref(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 value = make_float4((float)(in[i] & 0xff), 0.0f, 2.0f, (float)(in[i] >> 24));
    float4_ref_swap(value, value.y);
    float &last = value.w;
    last *= 2.0f;
    out[i] = (unsigned)value.x + 1000 * (unsigned)value.y + 10000 * (unsigned)value.w;
}
