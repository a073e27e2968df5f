// === mbarrier_arrives_by_too_many
// Mistake: one thread arrives with a count of 3 where the phase waits for 2.
// launch: grid=1 block=32
// finds: barrier-misuse
// line: 13
static __device__ void mbarrier_arrives_by_too_many_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
extern "C" __global__ void mbarrier_arrives_by_too_many(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_arrives_by_too_many_init(&barrier, 2);
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], 3;" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    out[threadIdx.x] = in[threadIdx.x];
}

// === mbarrier_arrives_twice
// Mistake: thread 0 arrives a second time before the bytes have come: more arrivals than the phase counts.
// launch: grid=1 block=64
// finds: barrier-misuse
// line: 16 30
static __device__ void mbarrier_arrives_twice_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_arrives_twice_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void mbarrier_arrives_twice_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_arrives_twice_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_arrives_twice_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_arrives_twice(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_arrives_twice_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrives_twice_expect(&barrier, 256);
        mbarrier_arrives_twice_arrive(&barrier);
        mbarrier_arrives_twice_load(tile, in, 256, &barrier);
    }
    mbarrier_arrives_twice_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// === mbarrier_count_too_large
// Mistake: the barrier waits for 65 arrivals and 64 threads arrive.
// launch: grid=1 block=64
// finds: stuck
// line: 6 12 13 14 18 21
static __device__ void mbarrier_count_too_large_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_count_too_large_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_count_too_large_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_count_too_large(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_count_too_large_init(&barrier, 65);
    __syncthreads();
    mbarrier_count_too_large_arrive(&barrier);
    mbarrier_count_too_large_wait(&barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}

// === mbarrier_count_too_small
// Mistake: the barrier counts 32 arrivals a phase and 64 threads arrive: a phase ends before all have come.
// launch: grid=1 block=64
// finds: barrier-misuse race-in-block stuck unwritten
// line: 6 9 12 13 14 19 21 22 23 24
static __device__ void mbarrier_count_too_small_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_count_too_small_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_count_too_small_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_count_too_small(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_count_too_small_init(&barrier, 32);
    __syncthreads();
    values[threadIdx.x] = in[threadIdx.x];
    mbarrier_count_too_small_arrive(&barrier);
    mbarrier_count_too_small_wait(&barrier, 0);
    out[threadIdx.x] = values[63 - threadIdx.x];
}

// === mbarrier_count_zero
// Mistake: a barrier that counts no arrivals at all.
// launch: grid=1 block=32
// finds: barrier-misuse
// line: 6 9 13 15
static __device__ void mbarrier_count_zero_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_count_zero_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
extern "C" __global__ void mbarrier_count_zero(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_count_zero_init(&barrier, in[0]);
    __syncthreads();
    mbarrier_count_zero_arrive(&barrier);
    out[threadIdx.x] = in[threadIdx.x];
}

// === mbarrier_expects_too_little
// Mistake: the barrier is told of 128 bytes and the copy brings 256.
// launch: grid=1 block=64
// finds: barrier-misuse async-race stuck
// line: 9 12 13 16 17 18 26 27 29 30
static __device__ void mbarrier_expects_too_little_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_expects_too_little_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void mbarrier_expects_too_little_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_expects_too_little_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_expects_too_little(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_expects_too_little_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_expects_too_little_expect(&barrier, 128);
        mbarrier_expects_too_little_load(tile, in, 256, &barrier);
    }
    mbarrier_expects_too_little_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// === mbarrier_expects_too_much
// Mistake: the barrier is told of 512 bytes and the copy brings 256: its phase never ends.
// launch: grid=1 block=64
// finds: stuck barrier-misuse
// line: 9 16 17 18 26 29
static __device__ void mbarrier_expects_too_much_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_expects_too_much_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void mbarrier_expects_too_much_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_expects_too_much_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_expects_too_much(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_expects_too_much_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_expects_too_much_expect(&barrier, 512);
        mbarrier_expects_too_much_load(tile, in, 256, &barrier);
    }
    mbarrier_expects_too_much_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// === mbarrier_initialised_by_store
// Mistake: the barrier is made by a plain store of zero instead of mbarrier.init.
// launch: grid=1 block=32
// finds: barrier-misuse
// line: 6 9 10 11 15 17 18
static __device__ void mbarrier_initialised_by_store_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_initialised_by_store_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_initialised_by_store(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) barrier = 0;
    __syncthreads();
    mbarrier_initialised_by_store_arrive(&barrier);
    mbarrier_initialised_by_store_wait(&barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}

// === mbarrier_initialised_in_use
// Mistake: the barrier is initialised again for the next round without inval while its phase is under way.
// launch: grid=1 block=64
// finds: barrier-misuse race-in-block
// line: 6 9 12 13 14 18 20 22 24 25
static __device__ void mbarrier_initialised_in_use_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_initialised_in_use_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_initialised_in_use_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_initialised_in_use(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_initialised_in_use_init(&barrier, 64);
    __syncthreads();
    if (threadIdx.x < 32) mbarrier_initialised_in_use_arrive(&barrier);
    __syncthreads();
    if (threadIdx.x == 0) mbarrier_initialised_in_use_init(&barrier, 32);
    __syncthreads();
    if (threadIdx.x >= 32) mbarrier_initialised_in_use_arrive(&barrier);
    mbarrier_initialised_in_use_wait(&barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}

// === mbarrier_initialised_twice
// Mistake: the first thread of each of the two warps initialises the barrier.
// launch: grid=1 block=64
// finds: barrier-misuse race-in-block
// line: 6 9 12 13 14 18 20 21
static __device__ void mbarrier_initialised_twice_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_initialised_twice_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_initialised_twice_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_initialised_twice(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x % 32 == 0) mbarrier_initialised_twice_init(&barrier, 64);
    __syncthreads();
    mbarrier_initialised_twice_arrive(&barrier);
    mbarrier_initialised_twice_wait(&barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}

// === mbarrier_not_initialised
// Mistake: nothing initialises the barrier.
// launch: grid=1 block=32
// finds: barrier-misuse
// line: 6 9 10 11 15 16
static __device__ void mbarrier_not_initialised_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_not_initialised_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_not_initialised(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    mbarrier_not_initialised_arrive(&barrier);
    mbarrier_not_initialised_wait(&barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}

// === mbarrier_not_visible
// Mistake: no barrier of the block between the initialisation by one thread and the arrivals of the others.
// launch: grid=1 block=64
// finds: barrier-misuse race-in-block
// line: 6 9 12 13 14 19 21 22
static __device__ void mbarrier_not_visible_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_not_visible_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_not_visible_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_not_visible(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_not_visible_init(&barrier, 64);
    values[threadIdx.x] = in[threadIdx.x];
    mbarrier_not_visible_arrive(&barrier);
    mbarrier_not_visible_wait(&barrier, 0);
    out[threadIdx.x] = values[63 - threadIdx.x];
}

// === mbarrier_overwritten
// Mistake: a loop that clears an array goes on into the barrier behind it.
// launch: grid=1 block=32
// finds: barrier-misuse race-in-block
// line: 9 12 13 14 21 23 24
static __device__ void mbarrier_overwritten_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_overwritten_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_overwritten_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_overwritten(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned words[34];
    unsigned long long *barrier = reinterpret_cast<unsigned long long *>(words + 32);
    if (threadIdx.x == 0) mbarrier_overwritten_init(barrier, 32);
    __syncwarp();
    for (unsigned k = threadIdx.x; k < 34; k += 32) words[k] = 0;
    __syncwarp();
    mbarrier_overwritten_arrive(barrier);
    mbarrier_overwritten_wait(barrier, 0);
    out[threadIdx.x] = in[threadIdx.x] + words[31 - threadIdx.x];
}

// === mbarrier_used_after_inval
// Mistake: the barrier is arrived at after its life has been ended.
// launch: grid=1 block=32
// finds: barrier-misuse
// line: 9 12 13 14 25
static __device__ void mbarrier_used_after_inval_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_used_after_inval_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_used_after_inval_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_used_after_inval(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_used_after_inval_init(&barrier, 32);
    __syncthreads();
    mbarrier_used_after_inval_arrive(&barrier);
    mbarrier_used_after_inval_wait(&barrier, 0);
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    __syncthreads();
    mbarrier_used_after_inval_arrive(&barrier);
    out[threadIdx.x] = in[threadIdx.x];
}

// === mbarrier_wrong_parity
// Mistake: the first phase is waited for with parity 1, which a new barrier answers at once.
// launch: grid=1 block=64
// finds: race-in-block barrier-misuse stuck unwritten
// line: 9 12 13 14 21 23 24
static __device__ void mbarrier_wrong_parity_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_wrong_parity_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_wrong_parity_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_wrong_parity(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_wrong_parity_init(&barrier, 64);
    __syncthreads();
    values[threadIdx.x] = in[threadIdx.x];
    mbarrier_wrong_parity_arrive(&barrier);
    mbarrier_wrong_parity_wait(&barrier, 1);
    out[threadIdx.x] = values[63 - threadIdx.x];
}
