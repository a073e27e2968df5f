// An inclusive scan of a warp: the lowest lanes keep their own value.
// launch: grid=1 block=64
extern "C" __global__ void warp_scan_shuffle(const unsigned *in, unsigned *out) {
    unsigned sum = in[threadIdx.x];
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned below = __shfl_up_sync(0xffffffff, sum, step);
        if ((threadIdx.x & 31) >= step) sum += below;
    }
    out[threadIdx.x] = sum;
}
