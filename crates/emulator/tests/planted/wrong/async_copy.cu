// === async_copies_collide
// Mistake: two threads' copies go to the same 16 bytes.
// launch: grid=1 block=64
// finds: async-race race-in-block
// line: 6 10
static __device__ void async_copies_collide_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copies_collide(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[32];
    async_copies_collide_copy(&tile[threadIdx.x % 32], in + threadIdx.x * 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x % 32].x;
}

// === async_copy_barrier_before_wait
// Mistake: the barrier comes before the wait, and so says nothing of the other threads' copies.
// launch: grid=1 block=64
// finds: async-race race-in-block unwritten
// line: 6 10 13
static __device__ void async_copy_barrier_before_wait_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_barrier_before_wait(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_barrier_before_wait_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    __syncthreads();
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x].x;
}

// === async_copy_last_stage_pending
// Mistake: in the last round no new group is committed, so that wait_group 1 lets the group that is read be pending.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 6 13 18
static __device__ void async_copy_last_stage_pending_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_last_stage_pending(const unsigned *in, unsigned *out) {
    __shared__ uint4 stages[2][64];
    unsigned sum = 0;
    for (unsigned n = 0; n < 5; n++) {
        if (n < 4) {
            async_copy_last_stage_pending_copy(&stages[n & 1][threadIdx.x], in + n * 256 + threadIdx.x * 4);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        if (n) sum = sum * 3 + stages[~n & 1][threadIdx.x ^ 32].x;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// === async_copy_mbarrier_not_waited
// Mistake: the copies arrive at an mbarrier, and nobody waits there.
// launch: grid=1 block=64
// finds: async-race race-in-block unwritten
// line: 9 16 19
static __device__ void async_copy_mbarrier_not_waited_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void async_copy_mbarrier_not_waited_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_mbarrier_not_waited(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) async_copy_mbarrier_not_waited_init(&barrier, 64);
    __syncthreads();
    async_copy_mbarrier_not_waited_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x].x;
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// === async_copy_not_committed
// Mistake: wait_group waits for committed groups, and the copy was never committed.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 6 10 12
static __device__ void async_copy_not_committed_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_not_committed(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_not_committed_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x].x;
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// === async_copy_of_others
// Mistake: every thread waits for its own copies and then reads another's: a barrier is missing.
// launch: grid=1 block=64
// finds: async-race race-in-block unwritten
// line: 6 10 12
static __device__ void async_copy_of_others_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_of_others(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_of_others_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x].x;
}

// === async_copy_one_too_many_pending
// Mistake: wait_group 1 where the newest group is the one that is read.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 6 10 12 15
static __device__ void async_copy_one_too_many_pending_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_one_too_many_pending(const unsigned *in, unsigned *out) {
    __shared__ uint4 stages[2][64];
    async_copy_one_too_many_pending_copy(&stages[0][threadIdx.x], in + threadIdx.x * 4);
    asm volatile("cp.async.commit_group;" ::: "memory");
    async_copy_one_too_many_pending_copy(&stages[1][threadIdx.x], in + 256 + threadIdx.x * 4);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = stages[0][threadIdx.x].x + stages[1][threadIdx.x].y;
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// === async_copy_past_end
// Mistake: the last thread's asynchronous copy reads 16 bytes behind the end of the input.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 6 10
static __device__ void async_copy_past_end_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_past_end(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_past_end_copy(&tile[threadIdx.x], in + 4096 - 252 + threadIdx.x * 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x].x;
}

// === async_copy_read_before_wait
// Mistake: what an asynchronous copy brings is read without waiting for it.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 6 10 12
static __device__ void async_copy_read_before_wait_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_read_before_wait(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_read_before_wait_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    asm volatile("cp.async.commit_group;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x].x;
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

// === async_copy_source_changed
// Mistake: the source of the copy is written before the copy has been waited for.
// launch: grid=1 block=32
// finds: async-race
// line: 6 10 11
static __device__ void async_copy_source_changed_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_source_changed(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[32];
    async_copy_source_changed_copy(&tile[threadIdx.x], out + threadIdx.x * 4);
    out[threadIdx.x * 4] = in[threadIdx.x];
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    out[1024 + threadIdx.x] = tile[31 - threadIdx.x].x;
}

// === async_copy_stage_overwritten
// Mistake: a plain store goes into the stage while its copy is under way.
// launch: grid=1 block=64
// finds: async-race
// line: 6 10 11
static __device__ void async_copy_stage_overwritten_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_stage_overwritten(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_stage_overwritten_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    if (threadIdx.x == 0) tile[0].x = 5;
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x].x;
}

// === async_copy_stage_reused
// Mistake: the next copy into a stage starts before the other warps have read the stage.
// launch: grid=1 block=64
// finds: async-race race-in-block
// line: 6 12 15
static __device__ void async_copy_stage_reused_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_stage_reused(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    unsigned sum = 0;
    for (unsigned n = 0; n < 4; n++) {
        async_copy_stage_reused_copy(&tile[threadIdx.x], in + n * 256 + threadIdx.x * 4);
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        sum = sum * 3 + tile[63 - threadIdx.x].x;
    }
    out[threadIdx.x] = sum;
}

// === misaligned_async_copy
// Mistake: 16 bytes are copied asynchronously from an address that is a multiple of 4 only.
// launch: grid=1 block=32
// finds: misaligned
// line: 6 10
static __device__ void misaligned_async_copy_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void misaligned_async_copy(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[32];
    misaligned_async_copy_copy(&tile[threadIdx.x], in + threadIdx.x * 4 + 3);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x].x;
}

// === pipeline_one_batch_too_many
// Mistake: the batch that is read is the one that the wait lets be pending.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 9 13
// needs: cuda_pipeline.h
#include <cuda_pipeline.h>
extern "C" __global__ void pipeline_one_batch_too_many(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x * 4, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x].x;
    __pipeline_wait_prior(0);
}
