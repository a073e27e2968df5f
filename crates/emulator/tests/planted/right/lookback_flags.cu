// Decoupled look-back with sums and flags in separate words: a fence between them on both sides.
// launch: grid=4 block=32
extern "C" __global__ void lookback_flags(const unsigned *in, unsigned *out) {
    unsigned *sums = out + 1024, *prefixes = out + 1040;
    volatile unsigned *flags = out + 1056;
    unsigned part = 0, value, before = 0;
    if (threadIdx.x == 0) part = atomicAdd(out + 2000, 1u);
    part = __shfl_sync(~0u, part, 0);
    value = in[part * 32 + threadIdx.x];
    const unsigned sum = __reduce_add_sync(~0u, value);
    if (threadIdx.x == 0) {
        sums[part] = sum;
        __threadfence();
        flags[part] = 1;
        for (int other = int(part) - 1; other >= 0; other--) {
            unsigned flag;
            while ((flag = flags[other]) == 0) {}
            __threadfence();
            before += flag == 2 ? prefixes[other] : sums[other];
            if (flag == 2) break;
        }
        prefixes[part] = before + sum;
        __threadfence();
        flags[part] = 2;
    }
    out[part * 32 + threadIdx.x] = value + __shfl_sync(~0u, before, 0);
}
