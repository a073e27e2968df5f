// Stores of what is not read again.
// launch: grid=2 block=64

extern "C" __global__ void stcs(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __stcs(&out[i], in[i] + 1);
    __stcs((float4 *)out + 256 + i, make_float4((float)(in[i] & 0xff), 1.0f, 2.0f, 3.0f));
    __stcg((uint2 *)out + 1024 + i, make_uint2(in[i], i));
}
