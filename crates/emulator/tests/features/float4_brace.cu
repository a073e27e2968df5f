// Vectors from braces, with and without all members.
// launch: grid=2 block=64

extern "C" __global__ void float4_brace(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (float)(in[i] & 0xffff);
    float4 a = {x, 1.0f, 2.0f, 3.0f}, b{x, 5.0f}, c = float4{};
    c = {x, x, 7.0f, 8.0f};
    out[i] = (unsigned)(a.x + a.w + b.x + b.y + b.w + c.y + c.z);
}
