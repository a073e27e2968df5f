// A vector given to a function by value stays as it was.
// launch: grid=2 block=64

__device__ float float4_by_value_sum(float4 value) {
    value.x += value.y;
    value.z += value.w;
    return value.x += value.z;
}

extern "C" __global__ void float4_by_value(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 value = make_float4((float)(in[i] & 0xff), (float)(in[i + 1] & 0xff), 2.0f, 3.0f);
    float sum = float4_by_value_sum(value);
    out[i] = (unsigned)sum * 4096 + (unsigned)value.x;
}
