// Loads of what is read once.
// launch: grid=2 block=64

extern "C" __global__ void ldcs(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int2 pair = __ldcs((const int2 *)in + i);
    out[i] = (unsigned)(pair.x ^ pair.y) + __ldcs(&in[i]) + __ldlu(&in[i + 1]);
}
