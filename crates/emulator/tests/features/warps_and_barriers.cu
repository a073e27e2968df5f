// === ballot_half
// Each half of a warp votes with a mask of its own.
// launch: grid=2 block=64

extern "C" __global__ void ballot_half(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32, votes;
    if (lane < 16)
        votes = __ballot_sync(0x0000ffffu, in[i] & 4);
    else
        votes = __ballot_sync(0xffff0000u, in[i] % 3 == 0) + (__any_sync(0xffff0000u, lane == 20) ? 1 : 0);
    out[i] = votes;
    out[i + 1024] = (unsigned)__all_sync(0xffffffffu, (in[i] | 1) != 0);
}

// === clock
// The clock never goes backward within a thread, but for a wrap of 32 bits.
// launch: grid=2 block=64
// kernel: clock_kernel

extern "C" __global__ void clock_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    clock_t start = clock();
    unsigned sum = 0;
    for (unsigned k = 0; k < 8; ++k) sum += in[i + k];
    clock_t end = clock();
    out[i] = sum + ((int)(end - start) >= 0);
}

// === clock64
// The 64-bit clock never goes backward within a thread.
// launch: grid=2 block=64
// kernel: clock64_kernel

extern "C" __global__ void clock64_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    long long start = clock64();
    unsigned value = in[i] * 3;
    __syncthreads();
    long long end = clock64();
    out[i] = value ^ (end >= start);
}

// === globaltimer
// The timer of the device, in nanoseconds, by PTX.
// launch: grid=2 block=64

extern "C" __global__ void globaltimer(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long start, end;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    unsigned value = in[i] + 1;
    __syncthreads();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
    out[i] = value + (end >= start) * 2;
}

// === match_any
// Which lanes of a warp hold the same value.
// launch: grid=2 block=64

extern "C" __global__ void match_any(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned same = __match_any_sync(0xffffffffu, in[i] % 5);
    unsigned wide = __match_any_sync(0xffffffffu, (unsigned long long)(i / 3) << 33);
    int equal;
    unsigned all = __match_all_sync(0xffffffffu, in[blockIdx.x * threadIdx.x], &equal);
    out[i] = same ^ (wide << 1);
    out[i + 1024] = all + (equal ? 7 : 0);
}

// === more_bar_arrive
// A warp that makes values does not wait for the warp that uses them, but for the place to be free.
// launch: grid=2 block=64

extern "C" __global__ void more_bar_arrive(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[32];
    unsigned lane = threadIdx.x % 32, sum = 0;
    for (unsigned round = 0; round < 4; ++round) {
        if (threadIdx.x < 32) {
            if (round > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
            values[lane] = in[i + round * 64] * (round + 1);
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum = sum * 5 + values[31 - lane];
            if (round < 3) asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
    out[i] = sum;
}

// === more_bar_reduce
// Barriers that count and combine a predicate, by PTX.
// launch: grid=2 block=96

extern "C" __global__ void more_bar_reduce(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned many, any, all;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(many) : "r"(in[i] & 5) : "memory");
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 9; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }" : "=r"(any) : "r"(i) : "memory");
    asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, -1; barrier.cta.red.and.pred q, 3, 96, p; selp.u32 %0, 1, 0, q; }" : "=r"(all) : "r"((int)i) : "memory");
    out[i] = many * 100 + any * 10 + all;
}

// === more_elect
// One lane of a warp is elected; all learn which.
// launch: grid=2 block=64

extern "C" __global__ void more_elect(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned leader, elected;
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(leader), "=r"(elected));
    unsigned votes = __ballot_sync(0xffffffffu, elected);
    out[i] = in[i] + __popc(votes) * 10 + (votes == 1u << leader) * 100 + (elected == (threadIdx.x % 32 == leader)) * 1000;
}

// === more_named_barrier
// Pairs of warps that wait for each other at barriers of their own.
// launch: grid=2 block=128

extern "C" __global__ void more_named_barrier(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[128];
    unsigned pair = threadIdx.x / 64, other = pair * 64 + (threadIdx.x * 3 + 40) % 64, sum = 0;
    for (unsigned round = 0; round < 2 + pair; ++round) {
        values[threadIdx.x] = in[i] + round + sum;
        asm volatile("bar.sync %0, %1;" ::"r"(pair + 1), "r"(64) : "memory");
        sum += values[other];
        asm volatile("barrier.cta.sync.aligned %0, 64;" ::"r"(pair + 1) : "memory");
    }
    asm volatile("bar.sync 0;" ::: "memory");
    out[i] = sum + values[127 - threadIdx.x];
}

// === more_redux
// Reductions over a warp's lanes by PTX.
// launch: grid=2 block=64

extern "C" __global__ void more_redux(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum, least, greatest, both, any, odd;
    int lowest, highest;
    asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(in[i]));
    asm volatile("redux.sync.min.u32 %0, %1, %2;" : "=r"(least) : "r"(in[i]), "r"(~0u));
    asm volatile("redux.sync.max.u32 %0, %1, %2;" : "=r"(greatest) : "r"(in[i]), "r"(~0u));
    asm volatile("redux.sync.min.s32 %0, %1, %2;" : "=r"(lowest) : "r"((int)in[i]), "r"(~0u));
    asm volatile("redux.sync.max.s32 %0, %1, %2;" : "=r"(highest) : "r"((int)in[i]), "r"(~0u));
    asm volatile("redux.sync.and.b32 %0, %1, %2;" : "=r"(both) : "r"(in[i] | 0xf0f0f), "r"(~0u));
    asm volatile("redux.sync.or.b32 %0, %1, %2;" : "=r"(any) : "r"(in[i] & 0x1001), "r"(~0u));
    asm volatile("redux.sync.xor.b32 %0, %1, %2;" : "=r"(odd) : "r"(in[i]), "r"(~0u));
    out[i] = sum ^ (least * 3) ^ (greatest * 5);
    out[i + 1024] = (unsigned)lowest ^ ((unsigned)highest * 3);
    out[i + 2048] = both ^ (any << 7) ^ (odd * 5);
}

// === nanosleep
// A thread sleeps a while.
// launch: grid=2 block=64
// kernel: nanosleep_kernel

extern "C" __global__ void nanosleep_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __nanosleep(20 + in[i] % 64);
    out[i] = in[i] + 1;
}

// === reduce_add
// Sums of a warp's lanes, of all and of those that a mask names.
// launch: grid=2 block=64

extern "C" __global__ void reduce_add(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = __reduce_add_sync(0xffffffffu, in[i]);
    int difference = 0;
    if (threadIdx.x % 2) difference = __reduce_add_sync(0xaaaaaaaau, (int)in[i] >> 16);
    out[i] = sum ^ (unsigned)difference;
    out[i + 1024] = __reduce_xor_sync(0xffffffffu, in[i]) + __reduce_and_sync(0xffffffffu, in[i] | 0xff00) + __reduce_or_sync(0xffffffffu, in[i] & 0x111);
}

// === reduce_min
// The least and the greatest of a warp's lanes, signed and unsigned.
// launch: grid=2 block=64

extern "C" __global__ void reduce_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned least = __reduce_min_sync(0xffffffffu, in[i]), greatest = __reduce_max_sync(0xffffffffu, in[i]);
    int lowest = __reduce_min_sync(0xffffffffu, (int)in[i]), highest = __reduce_max_sync(0xffffffffu, (int)in[i]);
    out[i] = least ^ (greatest >> 1);
    out[i + 1024] = (unsigned)(lowest ^ (highest >> 1));
}

// === shfl
// Values from other lanes, in whole warps and in parts.
// launch: grid=2 block=64

extern "C" __global__ void shfl(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all = 0xffffffffu, lane = threadIdx.x % 32;
    unsigned a = __shfl_sync(all, in[i], (lane * 7 + 3) % 32), b = __shfl_up_sync(all, in[i], 3);
    int c = __shfl_down_sync(all, (int)in[i], 5, 8);
    float d = __shfl_xor_sync(all, (float)(in[i] & 0xffff), 17);
    out[i] = a ^ (b << 1);
    out[i + 1024] = (unsigned)c + (unsigned)d;
    out[i + 2048] = __shfl_sync(all, in[i], 35) + __shfl_sync(all, in[i], lane + 1, 4) + __shfl_up_sync(all, in[i], 2, 16);
}

// === shfl_double
// Values of 64 bits from other lanes.
// launch: grid=2 block=64

extern "C" __global__ void shfl_double(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double value = (double)(int)in[i] * 1048576.0;
    double least = value;
    for (int step = 16; step > 0; step /= 2) least = fmin(least, __shfl_xor_sync(0xffffffffu, least, step));
    long long wide = __shfl_down_sync(0xffffffffu, (long long)in[i] << 9, 1);
    out[i] = (unsigned)(__double_as_longlong(least) >> 25) ^ (unsigned)(wide >> 5);
    out[i + 1024] = (unsigned)(__double_as_longlong(__shfl_sync(0xffffffffu, value, 9)) >> 30);
}

// === shfl_legacy_mask
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

// === sync_count
// A barrier that counts for how many threads something holds.
// launch: grid=2 block=96

extern "C" __global__ void sync_count(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int many = __syncthreads_count(in[i] & 3);
    int few = __syncthreads_count(threadIdx.x < blockIdx.x);
    out[i] = (unsigned)(many * 1000 + few);
}

// === sync_or
// Barriers that tell whether something holds for any thread, and whether for all.
// launch: grid=2 block=96

extern "C" __global__ void sync_or(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int any = __syncthreads_or(in[i] == in[70]), none = __syncthreads_or(0);
    int all = __syncthreads_and(in[i] != in[70]), always = __syncthreads_and(2);
    out[i] = (any != 0) + 2 * (none != 0) + 4 * (all != 0) + 8 * (always != 0);
}
