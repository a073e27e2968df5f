// === mbarrier_arrive_and_drop
// The second warp leaves after two phases and takes its arrivals off the later ones.
// launch: grid=1 block=64
static __device__ void mbarrier_arrive_and_drop_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_arrive_and_drop_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_arrive_and_drop_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_arrive_and_drop(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_arrive_and_drop_init(&barrier, 64);
    __syncthreads();
    values[threadIdx.x] = in[threadIdx.x];
    mbarrier_arrive_and_drop_arrive(&barrier);
    mbarrier_arrive_and_drop_wait(&barrier, 0);
    unsigned sum = values[63 - threadIdx.x];
    if (threadIdx.x >= 32) {
        out[threadIdx.x] = sum;
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
        return;
    }
    for (unsigned n = 1; n < 6; n++) {
        mbarrier_arrive_and_drop_arrive(&barrier);
        mbarrier_arrive_and_drop_wait(&barrier, n & 1);
        values[32 * (n & 1) + threadIdx.x] = sum;
        __syncwarp();
        sum = sum * 3 + values[32 * (n & 1) + 31 - threadIdx.x];
        __syncwarp();
    }
    out[threadIdx.x] = sum;
}

// === mbarrier_as_barrier
// An mbarrier as a barrier of the block that is split into arriving and waiting, with the phase's state as the token.
// launch: grid=2 block=64
static __device__ void mbarrier_as_barrier_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
extern "C" __global__ void mbarrier_as_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[2][64];
    __shared__ unsigned long long barrier;
    const unsigned place = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) mbarrier_as_barrier_init(&barrier, 64);
    __syncthreads();
    unsigned sum = in[blockIdx.x * 64 + threadIdx.x];
    for (int n = 0; n < 7; n++) {
        unsigned long long state;
        values[n & 1][threadIdx.x] = sum;
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
        sum = sum * 3 + n;
        for (unsigned done = 0; !done;)
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(place), "l"(state) : "memory");
        sum ^= values[n & 1][63 - threadIdx.x];
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// === mbarrier_generic_ring
// Producer and consumer warps with full and empty mbarriers over plain stores: arriving releases, waiting acquires.
// launch: grid=2 block=64
static __device__ void mbarrier_generic_ring_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_generic_ring_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_generic_ring_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_generic_ring(const unsigned *in, unsigned *out) {
    __shared__ unsigned stages[2][32];
    __shared__ unsigned long long full[2], empty[2];
    const unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 2) mbarrier_generic_ring_init(&full[threadIdx.x], 32), mbarrier_generic_ring_init(&empty[threadIdx.x], 32);
    __syncthreads();
    unsigned sum = 0;
    for (int n = 0; n < 12; n++)
        if (threadIdx.x < 32) {
            mbarrier_generic_ring_wait(&empty[n & 1], (n / 2 & 1) ^ 1);
            stages[n & 1][lane] = in[blockIdx.x * 512 + n * 32 + lane];
            mbarrier_generic_ring_arrive(&full[n & 1]);
        } else {
            mbarrier_generic_ring_wait(&full[n & 1], n / 2 & 1);
            sum = sum * 3 + stages[n & 1][31 - lane];
            mbarrier_generic_ring_arrive(&empty[n & 1]);
        }
    if (threadIdx.x >= 32) out[blockIdx.x * 32 + lane] = sum;
}

// === mbarrier_initialised_again
// A barrier's life ends with inval, between barriers of the block, and a new one begins with another count.
// launch: grid=1 block=64
static __device__ void mbarrier_initialised_again_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_initialised_again_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_initialised_again_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_initialised_again(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_initialised_again_init(&barrier, 64);
    __syncthreads();
    values[threadIdx.x] = in[threadIdx.x];
    mbarrier_initialised_again_arrive(&barrier);
    mbarrier_initialised_again_wait(&barrier, 0);
    unsigned sum = values[63 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
        mbarrier_initialised_again_init(&barrier, 32);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        values[threadIdx.x] = sum;
        mbarrier_initialised_again_arrive(&barrier);
    }
    mbarrier_initialised_again_wait(&barrier, 0);
    out[threadIdx.x] = sum + values[31 - threadIdx.x % 32];
}

// === ring3
// A ring of three stages: thread 0 fills them by bulk copies, four warps consume them over 16 rounds.
// launch: grid=2 block=160
static __device__ void ring3_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring3_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring3_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring3_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring3(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[3][128];
    __shared__ unsigned long long full[3], empty[3];
    if (threadIdx.x < 3) ring3_init(&full[threadIdx.x], 1), ring3_init(&empty[threadIdx.x], 128);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int n = 0; n < 16; n++) {
            if (n >= 3) ring3_wait(&empty[n % 3], (n / 3 - 1) & 1);
            ring3_expect(&full[n % 3], 512);
            ring3_load(stages[n % 3], in + (blockIdx.x * 16 + n) * 128, 512, &full[n % 3]);
        }
    if (threadIdx.x < 32) return;
    unsigned sum = 0;
    for (int n = 0; n < 16; n++) {
        ring3_wait(&full[n % 3], (n / 3) & 1);
        sum = sum * 3 + stages[n % 3][threadIdx.x - 32] + stages[n % 3][(threadIdx.x - 31) % 128];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&empty[n % 3])) : "memory");
    }
    out[blockIdx.x * 128 + threadIdx.x - 32] = sum;
}

// === ring_lane_arrives
// A ring of two stages in which one lane arrives for its warp, after a __syncwarp that follows the reads.
// launch: grid=1 block=96
static __device__ void ring_lane_arrives_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring_lane_arrives_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring_lane_arrives_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring_lane_arrives_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring_lane_arrives_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring_lane_arrives(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[2][64];
    __shared__ unsigned long long full[2], empty[2];
    if (threadIdx.x < 2) ring_lane_arrives_init(&full[threadIdx.x], 1), ring_lane_arrives_init(&empty[threadIdx.x], 2);
    __syncthreads();
    unsigned sum = 0;
    for (int n = 0; n < 20; n++)
        if (threadIdx.x == 64) {
            if (n >= 2) ring_lane_arrives_wait(&empty[n & 1], (n / 2 - 1) & 1);
            ring_lane_arrives_expect(&full[n & 1], 256);
            ring_lane_arrives_load(stages[n & 1], in + n * 64, 256, &full[n & 1]);
        } else if (threadIdx.x < 64) {
            ring_lane_arrives_wait(&full[n & 1], (n / 2) & 1);
            sum = sum * 3 + stages[n & 1][63 - threadIdx.x];
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncwarp();
            if (threadIdx.x % 32 == 0) ring_lane_arrives_arrive(&empty[n & 1]);
        }
    if (threadIdx.x < 64) out[threadIdx.x] = sum;
}

// === ring_refilled_by_consumer
// No warp of its own for copies: thread 0 refills a stage after a barrier that all reach when they have read it.
// launch: grid=2 block=128
static __device__ void ring_refilled_by_consumer_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring_refilled_by_consumer_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring_refilled_by_consumer_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring_refilled_by_consumer_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring_refilled_by_consumer(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[3][128];
    __shared__ unsigned long long full[3];
    const unsigned *from = in + blockIdx.x * 2048;
    if (threadIdx.x == 0)
        for (int n = 0; n < 3; n++) {
            ring_refilled_by_consumer_init(&full[n], 1);
            ring_refilled_by_consumer_expect(&full[n], 512);
            ring_refilled_by_consumer_load(stages[n], from + n * 128, 512, &full[n]);
        }
    __syncthreads();
    unsigned sum = 0;
    for (int n = 0; n < 16; n++) {
        ring_refilled_by_consumer_wait(&full[n % 3], n / 3 & 1);
        sum = sum * 3 + stages[n % 3][127 - threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0 && n + 3 < 16) {
            // One fence will do, behind the barrier.
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            ring_refilled_by_consumer_expect(&full[n % 3], 512);
            ring_refilled_by_consumer_load(stages[n % 3], from + (n + 3) * 128, 512, &full[n % 3]);
        }
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
