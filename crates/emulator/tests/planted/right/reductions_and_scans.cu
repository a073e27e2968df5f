// === bitonic_sort
// A bitonic sort in shared memory: of each pair only the lower thread writes, and all reach the barrier.
// launch: grid=2 block=256
extern "C" __global__ void bitonic_sort(const unsigned *in, unsigned *out) {
    __shared__ unsigned keys[256];
    const unsigned thread = threadIdx.x;
    keys[thread] = in[blockIdx.x * 256 + thread];
    for (unsigned size = 2; size <= 256; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            __syncthreads();
            const unsigned other = thread ^ step;
            if (other > thread) {
                const unsigned a = keys[thread], b = keys[other];
                if ((a > b) == ((thread & size) == 0)) keys[thread] = b, keys[other] = a;
            }
        }
    __syncthreads();
    out[blockIdx.x * 256 + thread] = keys[thread];
}

// === bitonic_sort_mixed
// Steps within a warp need __syncwarp only; a step that leaves the warp has a barrier of the block before and after it.
// launch: grid=1 block=128
extern "C" __global__ void bitonic_sort_mixed(const unsigned *in, unsigned *out) {
    __shared__ unsigned keys[128];
    const unsigned thread = threadIdx.x;
    keys[thread] = in[thread];
    for (unsigned size = 2; size <= 128; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            if (step >= 16) __syncthreads();
            else __syncwarp();
            const unsigned other = thread ^ step, mine = keys[thread], theirs = keys[other];
            if (step >= 16) __syncthreads();
            else __syncwarp();
            const bool smaller = (other > thread) == ((thread & size) == 0);
            keys[thread] = smaller == (mine < theirs) ? mine : theirs;
        }
    out[thread] = keys[thread];
}

// === bitonic_sort_shuffle
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

// === block_reduce_two_levels
// Sums of warps by shuffles, then the first warp alone adds them up with a mask of the lanes that have one.
// launch: grid=4 block=256
extern "C" __global__ void block_reduce_two_levels(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[8];
    unsigned sum = in[blockIdx.x * 256 + threadIdx.x];
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = sums[threadIdx.x];
        for (int step = 4; step; step /= 2) sum += __shfl_down_sync(0xff, sum, step, 8);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}

// === chained_scan
// Every block waits for the sum of the block before it and hands its own on.
// launch: grid=4 block=64
extern "C" __global__ void chained_scan(const unsigned *in, unsigned *out) {
    __shared__ unsigned before, sum;
    volatile unsigned *sums = out + 1024, *ready = out + 1032;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (blockIdx.x) {
            while (!ready[blockIdx.x - 1]) {}
            __threadfence();
        }
        before = blockIdx.x ? sums[blockIdx.x - 1] : 0;
        sums[blockIdx.x] = before + sum;
        __threadfence();
        ready[blockIdx.x] = 1;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = before + threadIdx.x;
}

// === compaction_atomic
// Each kept value gets a place of its own from an atomic counter; their order is open, their sum is not.
// launch: grid=1 block=256
extern "C" __global__ void compaction_atomic(const unsigned *in, unsigned *out) {
    __shared__ unsigned kept[256], count, sum;
    if (threadIdx.x == 0) count = 0, sum = 0;
    __syncthreads();
    if (in[threadIdx.x] & 4) kept[atomicAdd(&count, 1u)] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < count) atomicAdd(&sum, kept[threadIdx.x] * 3);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = sum, out[1] = count;
}

// === compaction_ballot
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

// === histogram_of_warps
// Every warp counts in bins of its own, and every lane in a column of its own: no atomics are needed.
// launch: grid=1 block=64
extern "C" __global__ void histogram_of_warps(const unsigned *in, unsigned *out) {
    __shared__ unsigned char bins[16][64];
    for (int bin = 0; bin < 16; bin++) bins[bin][threadIdx.x] = 0;
    for (unsigned i = threadIdx.x; i < 4096; i += 64) bins[in[i] >> 28][threadIdx.x]++;
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int column = 0; column < 64; column++) sum += bins[threadIdx.x][column];
        out[threadIdx.x] = sum;
    }
}

// === histogram_shared
// Many threads add to the same words of shared and then of global memory, always by atomics.
// launch: grid=4 block=128
extern "C" __global__ void histogram_shared(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 1024; i += 128) atomicAdd(&bins[in[blockIdx.x * 1024 + i] >> 26], 1u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// === last_block_reduction
// The last block to arrive at the counter adds up what all blocks wrote: fences on both sides of the counter.
// launch: grid=4 block=64
extern "C" __global__ void last_block_reduction(const unsigned *in, unsigned *out) {
    __shared__ bool last;
    unsigned *sums = out + 64, *count = out + 100, sum = in[blockIdx.x * 64 + threadIdx.x];
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0) {
        sums[blockIdx.x * 2 + threadIdx.x / 32] = sum;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(count, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < 8) {
        sum = sums[threadIdx.x];
        for (int step = 4; step; step /= 2) sum += __shfl_down_sync(0xff, sum, step);
        if (threadIdx.x == 0) out[0] = sum;
    }
}

// === local_sort
// An insertion sort of a local array through a pointer.
// launch: grid=1 block=32
__device__ void local_sort_sort(unsigned *values, int count) {
    for (int i = 1; i < count; i++) {
        const unsigned value = values[i];
        int at = i - 1;
        while (at >= 0 && values[at] > value) {
            values[at + 1] = values[at];
            at--;
        }
        values[at + 1] = value;
    }
}
extern "C" __global__ void local_sort(const unsigned *in, unsigned *out) {
    unsigned own[9];
    for (unsigned i = 0; i < 9; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    local_sort_sort(own, 9);
    out[threadIdx.x] = own[threadIdx.x % 9];
}

// === lookback_flags
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

// === lookback_packed
// Decoupled look-back: state and sum share one 64-bit word that one access reads or writes, so no fence is needed.
// launch: grid=4 block=64
extern "C" __global__ void lookback_packed(const unsigned *in, unsigned *out) {
    __shared__ unsigned ticket, before, sum;
    volatile unsigned long long *states = reinterpret_cast<unsigned long long *>(out + 1024);
    if (threadIdx.x == 0) ticket = atomicAdd(out + 2000, 1u), sum = 0;
    __syncthreads();
    const unsigned part = ticket, value = in[part * 64 + threadIdx.x];
    atomicAdd(&sum, value);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned prefix = 0;
        if (part) states[part] = 1ull << 32 | sum;
        for (int other = int(part) - 1; other >= 0;) {
            const unsigned long long state = states[other];
            if (state >> 32) prefix += unsigned(state);
            if (state >> 32 == 2) break;
            if (state >> 32) other--;
        }
        states[part] = 2ull << 32 | (prefix + sum);
        before = prefix;
    }
    __syncthreads();
    out[part * 64 + threadIdx.x] = before + value;
}

// === lookback_warp_vote
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

// === match_and_aggregate
// Lanes with equal keys find each other; their leader adds for all of them.
// launch: grid=2 block=64
extern "C" __global__ void match_and_aggregate(const unsigned *in, unsigned *out) {
    const unsigned key = in[blockIdx.x * 64 + threadIdx.x] % 7, lane = threadIdx.x % 32;
    const unsigned peers = __match_any_sync(~0u, key);
    const unsigned sum = __reduce_add_sync(peers, in[threadIdx.x] >> 8);
    if (lane == __ffs(peers) - 1) atomicAdd(&out[key], sum);
}

// === odd_even_sort
// Neighbours exchange, pairs starting at even and odd places in turn.
// launch: grid=1 block=64
extern "C" __global__ void odd_even_sort(const unsigned *in, unsigned *out) {
    __shared__ unsigned keys[128];
    const unsigned thread = threadIdx.x;
    keys[thread] = in[thread], keys[thread + 64] = in[thread + 64];
    __syncthreads();
    for (unsigned round = 0; round < 128; round++) {
        const unsigned left = 2 * thread + (round & 1);
        if (left < 127 && keys[left] > keys[left + 1]) {
            const unsigned kept = keys[left];
            keys[left] = keys[left + 1], keys[left + 1] = kept;
        }
        __syncthreads();
    }
    out[thread] = keys[thread], out[thread + 64] = keys[thread + 64];
}

// === release_by_reduction
// Three blocks count down with red.release; the fourth waits until all have come.
// launch: grid=4 block=64
extern "C" __global__ void release_by_reduction(const unsigned *in, unsigned *out) {
    unsigned *count = out + 1000;
    if (blockIdx.x) {
        out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(count)) : "memory");
        return;
    }
    if (threadIdx.x == 0)
        for (unsigned seen = 0; seen < 3;)
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(count)) : "memory");
    __syncthreads();
    out[threadIdx.x] = out[64 + threadIdx.x] + out[128 + threadIdx.x] * 3 + out[192 + threadIdx.x] * 5;
}

// === scan_in_place
// Blelloch's exclusive scan in place: fewer threads each step, and the barrier is outside the condition.
// launch: grid=1 block=64
extern "C" __global__ void scan_in_place(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[128];
    const unsigned thread = threadIdx.x;
    sums[thread] = in[thread], sums[thread + 64] = in[thread + 64];
    unsigned offset = 1;
    for (unsigned active = 64; active; active /= 2, offset *= 2) {
        __syncthreads();
        if (thread < active) sums[offset * (2 * thread + 2) - 1] += sums[offset * (2 * thread + 1) - 1];
    }
    if (thread == 0) sums[127] = 0;
    for (unsigned active = 1; active <= 64; active *= 2) {
        offset /= 2;
        __syncthreads();
        if (thread < active) {
            const unsigned left = offset * (2 * thread + 1) - 1, right = offset * (2 * thread + 2) - 1, kept = sums[left];
            sums[left] = sums[right];
            sums[right] += kept;
        }
    }
    __syncthreads();
    out[thread] = sums[thread], out[thread + 64] = sums[thread + 64];
}

// === scan_read_then_write
// A scan in place: all read, a barrier, all write, a barrier.
// launch: grid=1 block=256
extern "C" __global__ void scan_read_then_write(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[256];
    sums[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
        const unsigned below = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += below;
        __syncthreads();
    }
    out[threadIdx.x] = sums[threadIdx.x];
}

// === scan_two_buffers
// Hillis and Steele's scan goes back and forth between two buffers, one barrier a step.
// launch: grid=2 block=128
extern "C" __global__ void scan_two_buffers(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[2][128];
    const unsigned thread = threadIdx.x;
    int from = 0;
    sums[0][thread] = in[blockIdx.x * 128 + thread];
    for (unsigned step = 1; step < 128; step *= 2) {
        __syncthreads();
        sums[from ^ 1][thread] = sums[from][thread] + (thread >= step ? sums[from][thread - step] : 0);
        from ^= 1;
    }
    out[blockIdx.x * 128 + thread] = sums[from][thread];
}

// === warp_reduce_in_shared
// A warp-synchronous reduction: reads and writes of each step are kept apart by __syncwarp.
// launch: grid=2 block=64
extern "C" __global__ void warp_reduce_in_shared(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const unsigned thread = threadIdx.x, lane = thread & 31;
    unsigned sum = in[blockIdx.x * 64 + thread];
    values[thread] = sum;
    __syncwarp();
    for (unsigned step = 16; step; step /= 2) {
        if (lane < step) sum += values[thread + step];
        __syncwarp();
        if (lane < step) values[thread] = sum;
        __syncwarp();
    }
    out[blockIdx.x * 64 + thread] = values[thread & 32];
}

// === warp_reduce_one_barrier
// Each step reads the upper half, which that step does not write: one __syncwarp a step is enough.
// launch: grid=1 block=128
extern "C" __global__ void warp_reduce_one_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    const unsigned lane = threadIdx.x & 31;
    values[threadIdx.x] = in[threadIdx.x];
    for (unsigned step = 16; step; step /= 2) {
        __syncwarp();
        if (lane < step) values[threadIdx.x] += values[threadIdx.x + step];
    }
    if (lane == 0) out[threadIdx.x / 32] = values[threadIdx.x];
}

// === warp_reduce_shuffle
// A butterfly of shuffles needs no shared memory and no barrier.
// launch: grid=2 block=96
extern "C" __global__ void warp_reduce_shuffle(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 96 + threadIdx.x;
    unsigned sum = in[i];
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    out[i] = sum;
}

// === warp_reduce_volatile
// Volatile does not order lanes; __syncwarp between reading and writing does.
// launch: grid=1 block=32
extern "C" __global__ void warp_reduce_volatile(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    for (unsigned step = 16; step; step /= 2) {
        const unsigned other = values[(threadIdx.x + step) & 31];
        __syncwarp();
        values[threadIdx.x] = values[threadIdx.x] + other;
        __syncwarp();
    }
    out[threadIdx.x] = values[31 - threadIdx.x];
}

// === warp_scan_shuffle
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
