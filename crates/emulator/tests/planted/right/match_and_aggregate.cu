// Lanes with equal keys find each other; their leader adds for all of them.
// launch: grid=2 block=64
extern "C" __global__ void match_and_aggregate(const unsigned *in, unsigned *out) {
    const unsigned key = in[blockIdx.x * 64 + threadIdx.x] % 7, lane = threadIdx.x % 32;
    const unsigned peers = __match_any_sync(~0u, key);
    const unsigned sum = __reduce_add_sync(peers, in[threadIdx.x] >> 8);
    if (lane == __ffs(peers) - 1) atomicAdd(&out[key], sum);
}
