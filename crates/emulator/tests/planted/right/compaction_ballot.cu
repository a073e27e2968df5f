// Places are computed from ballots, so that no counter is shared within a warp.
// launch: grid=1 block=128
extern "C" __global__ void compaction_ballot(const unsigned *in, unsigned *out) {
    __shared__ unsigned counts[4];
    const unsigned value = in[threadIdx.x], lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned kept = __ballot_sync(~0u, value % 3 == 0);
    if (lane == 0) counts[warp] = __popc(kept);
    __syncthreads();
    unsigned place = __popc(kept & ((1u << lane) - 1));
    for (unsigned w = 0; w < warp; w++) place += counts[w];
    if (value % 3 == 0) out[place] = value;
}
