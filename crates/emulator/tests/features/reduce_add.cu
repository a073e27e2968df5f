// Sums of a warp's lanes, of all and of those that a mask names.
// launch: grid=2 block=64

extern "C" __global__ void reduce_add(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = __reduce_add_sync(0xffffffffu, in[i]);
    int difference = 0;
    if (threadIdx.x % 2) difference = __reduce_add_sync(0xaaaaaaaau, (int)in[i] >> 16);
    out[i] = sum ^ (unsigned)difference;
    out[i + 1024] = __reduce_xor_sync(0xffffffffu, in[i]) + __reduce_and_sync(0xffffffffu, in[i] | 0xff00) + __reduce_or_sync(0xffffffffu, in[i] & 0x111);
}
