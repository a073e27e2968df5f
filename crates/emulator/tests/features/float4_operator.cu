// Operators of the file's own on vectors.
// launch: grid=2 block=64

__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ float4 &operator*=(float4 &a, float factor) {
    a = make_float4(a.x * factor, a.y * factor, a.z * factor, a.w * factor);
    return a;
}

extern "C" __global__ void float4_operator(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = make_float4((float)(in[i] & 0xfff), 1.0f, 2.0f, 3.0f);
    a *= 4.0f;
    float4 sum = a + make_float4(0.5f, (float)(in[i] >> 20), 0.0f, -1.0f);
    out[i] = __float_as_uint(sum.x) ^ __float_as_uint(sum.y) ^ __float_as_uint(sum.z) ^ __float_as_uint(sum.w);
}
