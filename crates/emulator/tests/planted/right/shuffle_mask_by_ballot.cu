// The lanes that go on are agreed upon by a ballot before the branch.
// launch: grid=2 block=32
extern "C" __global__ void shuffle_mask_by_ballot(const unsigned *in, unsigned *out) {
    unsigned value = in[blockIdx.x * 32 + threadIdx.x];
    const bool chosen = value % 3 != 1;
    const unsigned mask = __ballot_sync(~0u, chosen);
    if (chosen) {
        const int leader = __ffs(mask) - 1;
        value = value * 5 + __shfl_sync(mask, value, leader);
        out[blockIdx.x * 32 + threadIdx.x] = value;
    }
}
