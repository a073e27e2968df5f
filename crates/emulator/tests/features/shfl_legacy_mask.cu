// The full mask written as -1, by code that once had none.
// launch: grid=2 block=64

#define shfl_legacy_mask_FULL -1
extern "C" __global__ void shfl_legacy_mask(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = in[i] & 0xffffff;
    for (int step = warpSize / 2; step > 0; step >>= 1) sum += __shfl_down_sync(shfl_legacy_mask_FULL, sum, step);
    sum = __shfl_sync(~0u, sum, 0);
    out[i] = sum + __popc(__ballot_sync(-1, in[i] & 1));
}

#undef shfl_legacy_mask_FULL
