// An array of vectors indexed by a value that is known only at run time.
// launch: grid=2 block=64

extern "C" __global__ void float4_array(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 *fours = (const float4 *)in;
    float4 values[3] = {make_float4(1.0f, 2.0f, 3.0f, 4.0f), make_float4(5.0f, 6.0f, 7.0f, 8.0f), {}};
    values[2] = fours[i];
    float4 picked = values[in[i] % 3];
    out[i] = __float_as_uint(picked.x) ^ __float_as_uint(picked.y) ^ __float_as_uint(picked.z) ^ __float_as_uint(picked.w);
}
