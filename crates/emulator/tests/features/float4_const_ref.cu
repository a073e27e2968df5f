// Vectors passed by reference to const.
// launch: grid=2 block=64

__device__ float float4_const_ref_least(const float4 &value) { return fminf(fminf(value.x, value.y), fminf(value.z, value.w)); }

extern "C" __global__ void float4_const_ref(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint4 bits = ((const uint4 *)in)[i];
    const float4 value = make_float4((float)bits.x, (float)(int)bits.y, (float)bits.z, (float)(int)bits.w);
    out[i] = __float_as_uint(float4_const_ref_least(value)) ^ __float_as_uint(float4_const_ref_least(make_float4(9.0f, 8.0f, 7.0f, value.x)));
}
