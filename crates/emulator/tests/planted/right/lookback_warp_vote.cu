// Decoupled look-back as in CUB: the whole warp votes on whether to look again.
// launch: grid=24 block=64
extern "C" __global__ void lookback_warp_vote(const unsigned *in, unsigned *out) {
    volatile unsigned long long *tiles = (unsigned long long *)(out + 2048) + 32;
    __shared__ unsigned before; 
    unsigned t = threadIdx.x, p = blockIdx.x;
    unsigned v = in[p * 64 + t] & 0xfff, sum = __syncthreads_count(v & 1);
    if (t < 32) {
        if (t == 0) tiles[p] = (unsigned long long)(p ? 1 : 2) << 32 | sum;
        unsigned excl = 0; int at = int(p) - 1 - int(t);
        while (p) {
            unsigned long long w;
            do { __threadfence_block(); w = at >= 0 ? tiles[at] : 2ull << 32; } while (__any_sync(~0u, (w >> 32) == 0));
            unsigned full = __ballot_sync(~0u, (w >> 32) == 2);
            int first = full ? __ffs(full) - 1 : 31;
            excl += __reduce_add_sync(~0u, int(t) <= first ? unsigned(w) : 0u);
            if (full) break;
            at -= 32;
        }
        if (t == 0) { if (p) tiles[p] = 2ull << 32 | (excl + sum); before = excl; }
    }
    __syncthreads();
    out[p * 64 + t] = v + before;
}
