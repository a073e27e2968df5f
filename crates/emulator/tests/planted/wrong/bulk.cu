// === bulk_barrier_without_expect
// Mistake: the barrier is not told of the copy's bytes, and its phase ends when the thread arrives.
// launch: grid=1 block=64
// finds: async-race barrier-misuse unwritten
// line: 9 12 13 16 17 18 26 27 30
static __device__ void bulk_barrier_without_expect_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_barrier_without_expect_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_barrier_without_expect_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_barrier_without_expect_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_barrier_without_expect(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_barrier_without_expect_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_barrier_without_expect_load(tile, in, 256, &barrier);
        bulk_barrier_without_expect_arrive(&barrier);
    }
    bulk_barrier_without_expect_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// === bulk_copy_past_end
// Mistake: the bulk copy reads 32 bytes more than the input has left.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 12 13 27
static __device__ void bulk_copy_past_end_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_copy_past_end_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_copy_past_end_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_copy_past_end_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_copy_past_end(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[128];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_copy_past_end_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_copy_past_end_expect(&barrier, 512);
        bulk_copy_past_end_load(tile, in + 4096 - 120, 512, &barrier);
    }
    bulk_copy_past_end_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// === bulk_copy_past_shared
// Mistake: the stage has room for 256 bytes and the copy brings 512.
// launch: grid=1 block=64 dynamic=256
// finds: out-of-bounds
// line: 12 13 27
static __device__ void bulk_copy_past_shared_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_copy_past_shared_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_copy_past_shared_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_copy_past_shared_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_copy_past_shared(const unsigned *in, unsigned *out) {
    extern __shared__ __align__(16) unsigned bulk_copy_past_shared_tile[];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_copy_past_shared_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_copy_past_shared_expect(&barrier, 512);
        bulk_copy_past_shared_load(bulk_copy_past_shared_tile, in, 512, &barrier);
    }
    bulk_copy_past_shared_wait(&barrier, 0);
    out[threadIdx.x] = bulk_copy_past_shared_tile[threadIdx.x];
}

// === bulk_copy_too_short
// Mistake: the copy and its barrier count 192 bytes, and 256 are read.
// launch: grid=1 block=64
// finds: unwritten
// line: 30
static __device__ void bulk_copy_too_short_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_copy_too_short_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_copy_too_short_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_copy_too_short_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_copy_too_short(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_copy_too_short_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_copy_too_short_expect(&barrier, 192);
        bulk_copy_too_short_load(tile, in, 192, &barrier);
    }
    bulk_copy_too_short_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// === bulk_load_without_proxy_fence
// Mistake: no proxy fence between the plain stores to global memory and the bulk load that reads them.
// launch: grid=1 block=64
// finds: async-race
// line: 6 14 18
static __device__ void bulk_load_without_proxy_fence_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
extern "C" __global__ void bulk_load_without_proxy_fence(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(at) : "memory");
    out[threadIdx.x] = in[threadIdx.x] * 3;
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
        bulk_load_without_proxy_fence_load(tile, out, 256, &barrier);
    }
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x] + 1;
}

// === bulk_one_thread_waits
// Mistake: one thread waits for the copy, and nothing orders the other threads' reads after that.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 12 13 27 30
static __device__ void bulk_one_thread_waits_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_one_thread_waits_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_one_thread_waits_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_one_thread_waits_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_one_thread_waits(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_one_thread_waits_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_one_thread_waits_expect(&barrier, 256);
        bulk_one_thread_waits_load(tile, in, 256, &barrier);
        bulk_one_thread_waits_wait(&barrier, 0);
    }
    out[threadIdx.x] = tile[threadIdx.x];
}

// === bulk_read_before_wait
// Mistake: a barrier of the block is no wait for a bulk copy.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 12 13 26 29
static __device__ void bulk_read_before_wait_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_read_before_wait_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_read_before_wait_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_read_before_wait_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_read_before_wait(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        bulk_read_before_wait_init(&barrier, 1);
        bulk_read_before_wait_expect(&barrier, 256);
        bulk_read_before_wait_load(tile, in, 256, &barrier);
    }
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
    bulk_read_before_wait_wait(&barrier, 0);
}

// === bulk_source_changed
// Mistake: the source in global memory is written while the bulk copy reads it.
// launch: grid=1 block=64
// finds: async-race
// line: 12 13 27 28
static __device__ void bulk_source_changed_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_source_changed_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_source_changed_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_source_changed_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_source_changed(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_source_changed_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_source_changed_expect(&barrier, 256);
        bulk_source_changed_load(tile, out + 1024, 256, &barrier);
        out[1024] = in[5];
    }
    bulk_source_changed_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// === bulk_stage_reused
// Mistake: thread 0 starts the next copy into the stage as soon as it has read its own part.
// launch: grid=1 block=64
// finds: async-race
// line: 12 13 29 32
static __device__ void bulk_stage_reused_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_stage_reused_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_stage_reused_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_stage_reused_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_stage_reused(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier[4];
    if (threadIdx.x < 4) bulk_stage_reused_init(&barrier[threadIdx.x], 1);
    __syncthreads();
    unsigned sum = 0;
    for (unsigned n = 0; n < 4; n++) {
        if (threadIdx.x == 0) {
            bulk_stage_reused_expect(&barrier[n], 256);
            bulk_stage_reused_load(tile, in + n * 64, 256, &barrier[n]);
        }
        bulk_stage_reused_wait(&barrier[n], 0);
        sum = sum * 3 + tile[63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

// === bulk_stage_reused_without_proxy_fence
// Mistake: no proxy fence between the reads of a stage and the next copy into it, which a barrier does not replace.
// launch: grid=2 block=64
// finds: async-race
// line: 12 29 32
static __device__ void bulk_stage_reused_without_proxy_fence_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_stage_reused_without_proxy_fence_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_stage_reused_without_proxy_fence_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_stage_reused_without_proxy_fence_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_stage_reused_without_proxy_fence(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_stage_reused_without_proxy_fence_init(&barrier, 1);
    unsigned sum = 0;
    for (unsigned n = 0; n < 9; n++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_stage_reused_without_proxy_fence_expect(&barrier, 256);
            bulk_stage_reused_without_proxy_fence_load(tile, in + blockIdx.x * 1024 + n * 64, 256, &barrier);
        }
        bulk_stage_reused_without_proxy_fence_wait(&barrier, n & 1);
        sum = sum * 3 + tile[63 - threadIdx.x];
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// === bulk_stage_written
// Mistake: a thread clears the stage while the copy into it is under way.
// launch: grid=1 block=64
// finds: async-race
// line: 12 13 27 29
static __device__ void bulk_stage_written_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_stage_written_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_stage_written_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_stage_written_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_stage_written(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_stage_written_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_stage_written_expect(&barrier, 256);
        bulk_stage_written_load(tile, in, 256, &barrier);
    }
    if (threadIdx.x == 40) tile[3] = 0;
    bulk_stage_written_wait(&barrier, 0);
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

// === bulk_stage_written_without_proxy_fence
// Mistake: no proxy fence between the plain stores to a stage and the next copy into it, which a barrier does not replace.
// launch: grid=2 block=64
// finds: async-race
// line: 12 29 34
static __device__ void bulk_stage_written_without_proxy_fence_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_stage_written_without_proxy_fence_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_stage_written_without_proxy_fence_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_stage_written_without_proxy_fence_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_stage_written_without_proxy_fence(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_stage_written_without_proxy_fence_init(&barrier, 1);
    unsigned sum = 0;
    for (unsigned n = 0; n < 9; n++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_stage_written_without_proxy_fence_expect(&barrier, 256);
            bulk_stage_written_without_proxy_fence_load(tile, in + blockIdx.x * 1024 + n * 64, 256, &barrier);
        }
        bulk_stage_written_without_proxy_fence_wait(&barrier, n & 1);
        sum = sum * 3 + tile[63 - threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        tile[63 - threadIdx.x] = sum;
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// === bulk_store_one_too_many_pending
// Mistake: with two buffers, two pending groups are one too many: the oldest may still read the buffer that is written.
// launch: grid=1 block=64
// finds: async-race
// line: 6 7 14 18
static __device__ void bulk_store_one_too_many_pending_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_one_too_many_pending(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tiles[2][64];
    for (unsigned n = 0; n < 6; n++) {
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 2;" ::: "memory");
        __syncthreads();
        tiles[n & 1][threadIdx.x] = in[n * 64 + threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_store_one_too_many_pending_store(out + n * 64, tiles[n & 1], 256);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// === bulk_store_read_back_early
// Mistake: wait_group.read says that the source was read, not that the destination was written.
// launch: grid=1 block=64
// finds: async-race
// line: 6 7 15 17
static __device__ void bulk_store_read_back_early_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_read_back_early(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store_read_back_early_store(out, tile, 256);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
        out[1000] = out[7] + 1;
    }
}

// === bulk_store_source_overwritten
// Mistake: the tile is written again before the bulk store has read it.
// launch: grid=1 block=64
// finds: async-race
// line: 6 7 12 16
static __device__ void bulk_store_source_overwritten_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_source_overwritten(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    for (unsigned n = 0; n < 3; n++) {
        tile[threadIdx.x] = in[n * 64 + threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_store_source_overwritten_store(out + n * 64, tile, 256);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// === bulk_store_then_exit
// Mistake: the block ends without waiting until its bulk store has read the shared memory.
// launch: grid=2 block=64
// finds: async-race
// line: 6 7 15 18
static __device__ void bulk_store_then_exit_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_then_exit(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store_then_exit_store(out + blockIdx.x * 64, tile, 256);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
}

// === bulk_store_without_barrier
// Mistake: thread 0 starts the bulk store before the other warps have filled the tile.
// launch: grid=1 block=64
// finds: async-race race-in-block unwritten
// line: 6 7 11 14
static __device__ void bulk_store_without_barrier_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (threadIdx.x == 0) {
        bulk_store_without_barrier_store(out, tile, 256);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// === bulk_store_without_proxy_fence
// Mistake: no proxy fence between the plain stores and the bulk store that reads them.
// launch: grid=1 block=64
// finds: async-race
// line: 6 7 11 14
static __device__ void bulk_store_without_proxy_fence_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_without_proxy_fence(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store_without_proxy_fence_store(out, tile, 256);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// === bulk_wait_of_past_phase
// Mistake: the second copy is waited for with the first one's parity, which has passed.
// launch: grid=1 block=64
// finds: async-race barrier-misuse stuck
// line: 12 13 16 17 18 29 31 32
static __device__ void bulk_wait_of_past_phase_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_wait_of_past_phase_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_wait_of_past_phase_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_wait_of_past_phase_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_wait_of_past_phase(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_wait_of_past_phase_init(&barrier, 1);
    __syncthreads();
    unsigned sum = 0;
    for (unsigned n = 0; n < 2; n++) {
        if (threadIdx.x == 0) {
            bulk_wait_of_past_phase_expect(&barrier, 256);
            bulk_wait_of_past_phase_load(tile, in + n * 64, 256, &barrier);
        }
        bulk_wait_of_past_phase_wait(&barrier, 0);
        sum = sum * 3 + tile[63 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// === tensor_coordinate_of_no_16_bytes
// Mistake: the box begins at an innermost coordinate that is no multiple of 16 bytes: a GPU stops with an illegal instruction.
// launch: grid=1 block=32
// arguments: tensor:f32,64,64,16,8 out
// finds: misaligned
// line: 15 16
struct __align__(64) tensor_coordinate_of_no_16_bytes_map { unsigned long long words[16]; };
extern "C" __global__ void tensor_coordinate_of_no_16_bytes(const __grid_constant__ tensor_coordinate_of_no_16_bytes_map map, unsigned *out) {
    __shared__ __align__(128) unsigned tile[128];
    __shared__ unsigned long long barrier;
    const unsigned place = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(place) : "memory");
        const int x = 19;
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"((unsigned)__cvta_generic_to_shared(tile)), "l"(&map), "r"(x), "r"(8), "r"(place) : "memory");
    }
    __syncthreads();
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}

// === tensor_read_before_wait
// Mistake: a tile that a tensor copy brings is read after a barrier of the block, not after its own barrier.
// launch: grid=1 block=64
// arguments: tensor:f32,64,64,16,8 out
// finds: async-race unwritten
// line: 26 27 30
static __device__ void tensor_read_before_wait_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void tensor_read_before_wait_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void tensor_read_before_wait_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
struct __align__(64) tensor_read_before_wait_map {
    unsigned long long words[16];
};
extern "C" __global__ void tensor_read_before_wait(const __grid_constant__ tensor_read_before_wait_map map, unsigned *out) {
    __shared__ __align__(128) unsigned tile[128];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        tensor_read_before_wait_init(&barrier, 1);
        tensor_read_before_wait_expect(&barrier, 512);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];"
                     ::"r"((unsigned)__cvta_generic_to_shared(tile)), "l"(&map), "r"(0), "r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    }
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
    tensor_read_before_wait_wait(&barrier, 0);
}
