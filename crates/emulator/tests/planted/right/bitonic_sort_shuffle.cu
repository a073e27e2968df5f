// A warp sorts 32 keys by shuffles alone.
// launch: grid=1 block=128
extern "C" __global__ void bitonic_sort_shuffle(const unsigned *in, unsigned *out) {
    const unsigned lane = threadIdx.x & 31;
    unsigned key = in[threadIdx.x];
    for (unsigned size = 2; size <= 32; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            const unsigned other = __shfl_xor_sync(~0u, key, step);
            const bool smaller = ((lane & step) == 0) == ((lane & size) == 0);
            key = smaller ? min(key, other) : max(key, other);
        }
    out[threadIdx.x] = key;
}
