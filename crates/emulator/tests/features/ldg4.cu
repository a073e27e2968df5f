// Vectors through the read-only cache.
// launch: grid=2 block=64

extern "C" __global__ void ldg4(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 four = __ldg((const float4 *)in + i);
    uint2 pair = __ldg((const uint2 *)in + i);
    ((float4 *)out)[i] = make_float4(four.w, four.z, four.y, four.x);
    out[i + 1024] = pair.x - pair.y;
}
