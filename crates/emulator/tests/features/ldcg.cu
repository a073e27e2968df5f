// Loads that pass the cache of the multiprocessor.
// launch: grid=2 block=64

extern "C" __global__ void ldcg(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 four = __ldcg((const float4 *)in + i);
    unsigned one = __ldcg(&in[i]), again = __ldca(&in[i + 1]), fresh = __ldcv(&in[i + 2]);
    out[i] = (__float_as_uint(four.x) ^ __float_as_uint(four.w)) + one + 3 * again + 5 * fresh;
}
