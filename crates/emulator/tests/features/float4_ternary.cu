// A choice between two vectors.
// launch: grid=2 block=64

extern "C" __global__ void float4_ternary(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = make_float4((float)(in[i] & 255), 1.0f, 2.0f, 3.0f), b = make_float4(9.0f, (float)(in[i] >> 24), 8.0f, 7.0f);
    float4 picked = (int)in[i] < 0 ? a : b;
    float4 again = in[i] & 1 ? make_float4(5.0f, 5.0f, 5.0f, 5.0f) : picked;
    out[i] = (unsigned)(picked.x + picked.y) + 1024 * (unsigned)(again.z + again.w);
}
