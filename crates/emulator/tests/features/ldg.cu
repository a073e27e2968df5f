// Loads through the read-only cache.
// launch: grid=2 block=64

extern "C" __global__ void ldg(const unsigned *__restrict__ in, unsigned *__restrict__ out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = __ldg((const float *)in + i);
    unsigned char byte = __ldg((const unsigned char *)in + i);
    out[i] = __ldg(&in[i]) + (__float_as_uint(value) >> 4) + byte + (unsigned)__ldg((const long long *)in + i);
}
