// === named_barrier_counts_differ
// Mistake: one warp says that the barrier has 64 threads, the others say 128.
// launch: grid=1 block=128
// finds: barrier-misuse
// line: 8
extern "C" __global__ void named_barrier_counts_differ(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    values[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, %0;" ::"r"(threadIdx.x < 32 ? 64 : 128) : "memory");
    out[threadIdx.x] = values[127 - threadIdx.x];
}

// === named_barrier_more_than_block
// Mistake: a barrier for more threads than the block has.
// launch: grid=1 block=64
// finds: stuck barrier-misuse
// line: 6
extern "C" __global__ void named_barrier_more_than_block(const unsigned *in, unsigned *out) {
    asm volatile("bar.sync 2, 128;" ::: "memory");
    out[threadIdx.x] = in[threadIdx.x];
}

// === named_barrier_no_way_back
// Mistake: nothing tells the producer that the consumer has read the buffer.
// launch: grid=1 block=64
// finds: race-in-block barrier-misuse
// line: 10 14
extern "C" __global__ void named_barrier_no_way_back(const unsigned *in, unsigned *out) {
    __shared__ unsigned buffers[2][32];
    unsigned sum = 0;
    for (unsigned k = 0; k < 2; k++)
        if (threadIdx.x < 32) {
            buffers[0][threadIdx.x] = in[k * 32 + threadIdx.x];
            asm volatile("barrier.arrive %0, 64;" ::"r"(k + 1) : "memory");
        } else {
            asm volatile("barrier.sync %0, 64;" ::"r"(k + 1) : "memory");
            sum = sum * 3 + buffers[0][63 - threadIdx.x];
        }
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// === named_barrier_not_of_warps
// Mistake: a barrier for 48 threads, which is no multiple of a warp.
// launch: grid=1 block=64
// finds: barrier-misuse
// line: 8
extern "C" __global__ void named_barrier_not_of_warps(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, %0;" ::"r"(48 + in[0]) : "memory");
    out[threadIdx.x] = values[63 - threadIdx.x];
}

// === named_barrier_of_consumers
// Mistake: the consumers wait for each other at a barrier that the producers never join.
// launch: grid=1 block=128
// finds: race-in-block unwritten
// line: 8 11
extern "C" __global__ void named_barrier_of_consumers(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    if (threadIdx.x < 64) {
        values[threadIdx.x] = in[threadIdx.x];
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x - 64] = values[127 - threadIdx.x];
    }
}

// === named_barrier_one_warp_too_many
// Mistake: three warps come to a barrier of two: the third waits forever.
// launch: grid=1 block=96
// finds: stuck barrier-misuse
// line: 6
extern "C" __global__ void named_barrier_one_warp_too_many(const unsigned *in, unsigned *out) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = in[threadIdx.x];
}

// === named_barrier_too_early
// Mistake: the producer arrives before it stores.
// launch: grid=1 block=64
// finds: race-in-block unwritten
// line: 9 12
extern "C" __global__ void named_barrier_too_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        values[threadIdx.x] = in[threadIdx.x];
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x - 32] = values[63 - threadIdx.x];
    }
}
