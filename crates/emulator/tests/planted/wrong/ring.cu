// === ring3_left_without_proxy_fence
// Mistake: readers leave a stage without a proxy fence: their reads may be on their way when the next copy arrives.
// launch: grid=2 block=160
// finds: async-race
// line: 12 29 35
static __device__ void ring3_left_without_proxy_fence_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring3_left_without_proxy_fence_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring3_left_without_proxy_fence_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring3_left_without_proxy_fence_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring3_left_without_proxy_fence(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[3][128];
    __shared__ unsigned long long full[3], empty[3];
    if (threadIdx.x < 3) ring3_left_without_proxy_fence_init(&full[threadIdx.x], 1), ring3_left_without_proxy_fence_init(&empty[threadIdx.x], 128);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int n = 0; n < 16; n++) {
            if (n >= 3) ring3_left_without_proxy_fence_wait(&empty[n % 3], (n / 3 - 1) & 1);
            ring3_left_without_proxy_fence_expect(&full[n % 3], 512);
            ring3_left_without_proxy_fence_load(stages[n % 3], in + (blockIdx.x * 16 + n) * 128, 512, &full[n % 3]);
        }
    if (threadIdx.x < 32) return;
    unsigned sum = 0;
    for (int n = 0; n < 16; n++) {
        ring3_left_without_proxy_fence_wait(&full[n % 3], (n / 3) & 1);
        sum = sum * 3 + stages[n % 3][threadIdx.x - 32] + stages[n % 3][(threadIdx.x - 31) % 128];
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&empty[n % 3])) : "memory");
    }
    out[blockIdx.x * 128 + threadIdx.x - 32] = sum;
}

// === ring3_missing_arrive
// Mistake: one consumer never says that it is done with a stage, and the producer waits forever.
// launch: grid=2 block=160
// finds: stuck
// line: 16 17 18 27 34
static __device__ void ring3_missing_arrive_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring3_missing_arrive_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring3_missing_arrive_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring3_missing_arrive_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring3_missing_arrive(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[3][128];
    __shared__ unsigned long long full[3], empty[3];
    if (threadIdx.x < 3) ring3_missing_arrive_init(&full[threadIdx.x], 1), ring3_missing_arrive_init(&empty[threadIdx.x], 128);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int n = 0; n < 16; n++) {
            if (n >= 3) ring3_missing_arrive_wait(&empty[n % 3], (n / 3 - 1) & 1);
            ring3_missing_arrive_expect(&full[n % 3], 512);
            ring3_missing_arrive_load(stages[n % 3], in + (blockIdx.x * 16 + n) * 128, 512, &full[n % 3]);
        }
    if (threadIdx.x < 32) return;
    unsigned sum = 0;
    for (int n = 0; n < 16; n++) {
        ring3_missing_arrive_wait(&full[n % 3], (n / 3) & 1);
        sum = sum * 3 + stages[n % 3][threadIdx.x - 32] + stages[n % 3][(threadIdx.x - 31) % 128];
        if (threadIdx.x != 77)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&empty[n % 3])) : "memory");
    }
    out[blockIdx.x * 128 + threadIdx.x - 32] = sum;
}

// === ring3_no_empty_wait
// Mistake: the producer refills a stage that consumers may still read.
// launch: grid=2 block=160
// finds: async-race barrier-misuse
// line: 9 12 13 27 28 34
static __device__ void ring3_no_empty_wait_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring3_no_empty_wait_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring3_no_empty_wait_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring3_no_empty_wait_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring3_no_empty_wait(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[3][128];
    __shared__ unsigned long long full[3], empty[3];
    if (threadIdx.x < 3) ring3_no_empty_wait_init(&full[threadIdx.x], 1), ring3_no_empty_wait_init(&empty[threadIdx.x], 128);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int n = 0; n < 16; n++) {
            ring3_no_empty_wait_expect(&full[n % 3], 512);
            ring3_no_empty_wait_load(stages[n % 3], in + (blockIdx.x * 16 + n) * 128, 512, &full[n % 3]);
        }
    if (threadIdx.x < 32) return;
    unsigned sum = 0;
    for (int n = 0; n < 16; n++) {
        ring3_no_empty_wait_wait(&full[n % 3], (n / 3) & 1);
        sum = sum * 3 + stages[n % 3][threadIdx.x - 32] + stages[n % 3][(threadIdx.x - 31) % 128];
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&empty[n % 3])) : "memory");
    }
    out[blockIdx.x * 128 + threadIdx.x - 32] = sum;
}

// === ring3_no_full_wait
// Mistake: the consumers do not wait until a stage is full.
// launch: grid=2 block=160
// finds: async-race unwritten
// line: 12 13 29 34
static __device__ void ring3_no_full_wait_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring3_no_full_wait_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring3_no_full_wait_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring3_no_full_wait_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring3_no_full_wait(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[3][128];
    __shared__ unsigned long long full[3], empty[3];
    if (threadIdx.x < 3) ring3_no_full_wait_init(&full[threadIdx.x], 1), ring3_no_full_wait_init(&empty[threadIdx.x], 128);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int n = 0; n < 16; n++) {
            if (n >= 3) ring3_no_full_wait_wait(&empty[n % 3], (n / 3 - 1) & 1);
            ring3_no_full_wait_expect(&full[n % 3], 512);
            ring3_no_full_wait_load(stages[n % 3], in + (blockIdx.x * 16 + n) * 128, 512, &full[n % 3]);
        }
    if (threadIdx.x < 32) return;
    unsigned sum = 0;
    for (int n = 0; n < 16; n++) {
        sum = sum * 3 + stages[n % 3][threadIdx.x - 32] + stages[n % 3][(threadIdx.x - 31) % 128];
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&empty[n % 3])) : "memory");
    }
    out[blockIdx.x * 128 + threadIdx.x - 32] = sum;
}

// === ring3_no_init_fence
// Mistake: nothing makes the initialised barriers visible to the other threads before they use them.
// launch: grid=2 block=160
// finds: barrier-misuse race-in-block
// line: 6 9 16 17 18 23 27 33 35
static __device__ void ring3_no_init_fence_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring3_no_init_fence_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring3_no_init_fence_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring3_no_init_fence_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring3_no_init_fence(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[3][128];
    __shared__ unsigned long long full[3], empty[3];
    if (threadIdx.x < 3) ring3_no_init_fence_init(&full[threadIdx.x], 1), ring3_no_init_fence_init(&empty[threadIdx.x], 128);
    if (threadIdx.x == 0)
        for (int n = 0; n < 16; n++) {
            if (n >= 3) ring3_no_init_fence_wait(&empty[n % 3], (n / 3 - 1) & 1);
            ring3_no_init_fence_expect(&full[n % 3], 512);
            ring3_no_init_fence_load(stages[n % 3], in + (blockIdx.x * 16 + n) * 128, 512, &full[n % 3]);
        }
    if (threadIdx.x < 32) return;
    unsigned sum = 0;
    for (int n = 0; n < 16; n++) {
        ring3_no_init_fence_wait(&full[n % 3], (n / 3) & 1);
        sum = sum * 3 + stages[n % 3][threadIdx.x - 32] + stages[n % 3][(threadIdx.x - 31) % 128];
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&empty[n % 3])) : "memory");
    }
    out[blockIdx.x * 128 + threadIdx.x - 32] = sum;
}

// === ring3_short_expect
// Mistake: the barrier is told of 256 bytes where the copy brings 512.
// launch: grid=2 block=160
// finds: barrier-misuse async-race stuck
// line: 9 12 13 16 17 18 28 29 34 35
static __device__ void ring3_short_expect_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring3_short_expect_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring3_short_expect_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring3_short_expect_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring3_short_expect(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[3][128];
    __shared__ unsigned long long full[3], empty[3];
    if (threadIdx.x < 3) ring3_short_expect_init(&full[threadIdx.x], 1), ring3_short_expect_init(&empty[threadIdx.x], 128);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int n = 0; n < 16; n++) {
            if (n >= 3) ring3_short_expect_wait(&empty[n % 3], (n / 3 - 1) & 1);
            ring3_short_expect_expect(&full[n % 3], 256);
            ring3_short_expect_load(stages[n % 3], in + (blockIdx.x * 16 + n) * 128, 512, &full[n % 3]);
        }
    if (threadIdx.x < 32) return;
    unsigned sum = 0;
    for (int n = 0; n < 16; n++) {
        ring3_short_expect_wait(&full[n % 3], (n / 3) & 1);
        sum = sum * 3 + stages[n % 3][threadIdx.x - 32] + stages[n % 3][(threadIdx.x - 31) % 128];
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&empty[n % 3])) : "memory");
    }
    out[blockIdx.x * 128 + threadIdx.x - 32] = sum;
}

// === ring3_wrong_parity
// Mistake: the consumers wait for the other parity, which passes at once on a new barrier, or never.
// launch: grid=2 block=160
// finds: async-race unwritten stuck barrier-misuse
// line: 12 13 16 17 18 27 29 34 35
static __device__ void ring3_wrong_parity_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring3_wrong_parity_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring3_wrong_parity_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring3_wrong_parity_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring3_wrong_parity(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[3][128];
    __shared__ unsigned long long full[3], empty[3];
    if (threadIdx.x < 3) ring3_wrong_parity_init(&full[threadIdx.x], 1), ring3_wrong_parity_init(&empty[threadIdx.x], 128);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int n = 0; n < 16; n++) {
            if (n >= 3) ring3_wrong_parity_wait(&empty[n % 3], (n / 3 - 1) & 1);
            ring3_wrong_parity_expect(&full[n % 3], 512);
            ring3_wrong_parity_load(stages[n % 3], in + (blockIdx.x * 16 + n) * 128, 512, &full[n % 3]);
        }
    if (threadIdx.x < 32) return;
    unsigned sum = 0;
    for (int n = 0; n < 16; n++) {
        ring3_wrong_parity_wait(&full[n % 3], (n / 3 + 1) & 1);
        sum = sum * 3 + stages[n % 3][threadIdx.x - 32] + stages[n % 3][(threadIdx.x - 31) % 128];
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&empty[n % 3])) : "memory");
    }
    out[blockIdx.x * 128 + threadIdx.x - 32] = sum;
}
