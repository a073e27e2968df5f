// The least and the greatest of a warp's lanes, signed and unsigned.
// launch: grid=2 block=64

extern "C" __global__ void reduce_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned least = __reduce_min_sync(0xffffffffu, in[i]), greatest = __reduce_max_sync(0xffffffffu, in[i]);
    int lowest = __reduce_min_sync(0xffffffffu, (int)in[i]), highest = __reduce_max_sync(0xffffffffu, (int)in[i]);
    out[i] = least ^ (greatest >> 1);
    out[i + 1024] = (unsigned)(lowest ^ (highest >> 1));
}
