// An operator == of the file's own for vectors.
// launch: grid=2 block=64

__device__ bool operator==(const float4 &a, const float4 &b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }

extern "C" __global__ void float4_compare(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = make_float4((float)(in[i] & 1), (float)(in[i] & 2), 0.0f, -0.0f), b = make_float4(0.0f, 2.0f, 0.0f, 0.0f);
    out[i] = (a == b) + 2 * (a == a) + 4 * (a.x < b.y);
}
