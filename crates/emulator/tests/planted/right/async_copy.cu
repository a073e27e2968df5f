// === async_copy_and_barrier
// All wait for their own copies, then for each other, then read what others copied.
// launch: grid=4 block=64
static __device__ void async_copy_and_barrier_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_and_barrier(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[256];
    async_copy_and_barrier_copy(tile + threadIdx.x * 4, in + blockIdx.x * 256 + threadIdx.x * 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (unsigned k = 0; k < 256; k += 64) out[blockIdx.x * 256 + k + threadIdx.x] = tile[255 - k - threadIdx.x];
}

// === async_copy_four_stages
// Three groups ahead and one barrier a step: a stage is filled again only after the barrier that follows its use.
// launch: grid=1 block=64
static __device__ void async_copy_four_stages_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_four_stages(const unsigned *in, unsigned *out) {
    __shared__ uint4 stages[4][64];
    const uint4 *from = reinterpret_cast<const uint4 *>(in) + threadIdx.x;
    unsigned sum = 0;
    for (unsigned n = 0; n < 3; n++) {
        async_copy_four_stages_copy(&stages[n][threadIdx.x], from + n * 64);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (unsigned n = 0; n < 16; n++) {
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        if (n + 3 < 16) async_copy_four_stages_copy(&stages[(n + 3) % 4][threadIdx.x], from + (n + 3) * 64);
        asm volatile("cp.async.commit_group;" ::: "memory");
        const uint4 v = stages[n % 4][threadIdx.x ^ 37];
        sum = sum * 3 + (v.x ^ v.y) + (v.z ^ v.w);
    }
    out[threadIdx.x] = sum;
}

// === async_copy_own_words
// A thread reads only what it copied itself: its own wait is enough, no barrier is needed.
// launch: grid=2 block=64
static __device__ void async_copy_own_words_copy(void *to, const void *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_own_words(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[4][64];
    for (unsigned k = 0; k < 4; k++) async_copy_own_words_copy(&tile[k][threadIdx.x], in + k * 64 + threadIdx.x);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    unsigned sum = blockIdx.x;
    for (unsigned k = 0; k < 4; k++) sum = sum * 3 + tile[k][threadIdx.x];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// === async_copy_to_mbarrier
// The copies of each thread arrive at an mbarrier when they are complete; all wait there instead of for groups.
// launch: grid=2 block=64
static __device__ void async_copy_to_mbarrier_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void async_copy_to_mbarrier_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ void async_copy_to_mbarrier_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void async_copy_to_mbarrier(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) async_copy_to_mbarrier_init(&barrier, 64);
    __syncthreads();
    for (unsigned n = 0; n < 4; n++) {
        async_copy_to_mbarrier_copy(&tile[threadIdx.x], in + blockIdx.x * 1024 + n * 256 + threadIdx.x * 4);
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
        async_copy_to_mbarrier_wait(&barrier, n & 1);
        const uint4 v = tile[63 - threadIdx.x];
        out[blockIdx.x * 256 + n * 64 + threadIdx.x] = v.x ^ v.y * 3 ^ v.z ^ v.w * 5;
        __syncthreads();
    }
}

// === async_copy_two_stages
// The next stage is on its way while this one is used: one group may be pending.
// launch: grid=2 block=64
static __device__ void async_copy_two_stages_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_two_stages(const unsigned *in, unsigned *out) {
    __shared__ uint4 stages[2][64];
    const uint4 *from = reinterpret_cast<const uint4 *>(in) + blockIdx.x * 512 + threadIdx.x;
    unsigned sum = 0;
    async_copy_two_stages_copy(&stages[0][threadIdx.x], from);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (unsigned n = 0; n < 8; n++) {
        if (n < 7) async_copy_two_stages_copy(&stages[~n & 1][threadIdx.x], from + (n + 1) * 64);
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        const uint4 v = stages[n & 1][63 - threadIdx.x];
        sum = sum * 3 + v.x + v.y * 5 + v.z * 7 + v.w;
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// === async_copy_warp_private
// Every warp has a tile of its own: __syncwarp after the wait is enough.
// launch: grid=1 block=128
static __device__ void async_copy_warp_private_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_warp_private(const unsigned *in, unsigned *out) {
    __shared__ uint4 tiles[4][32];
    uint4 *tile = tiles[threadIdx.x / 32];
    const unsigned lane = threadIdx.x % 32;
    for (unsigned n = 0; n < 5; n++) {
        async_copy_warp_private_copy(&tile[lane], in + n * 512 + threadIdx.x * 4);
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
        __syncwarp();
        const uint4 v = tile[(lane + 5) % 32];
        out[n * 128 + threadIdx.x] = v.x + v.y + v.z + v.w;
        __syncwarp();
    }
}

// === async_copy_zero_fill
// The last copy takes only 8 of its 16 bytes from memory, and one takes none: the rest becomes zero.
// launch: grid=1 block=32
extern "C" __global__ void async_copy_zero_fill(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[32];
    const unsigned bytes = threadIdx.x == 31 ? 8 : threadIdx.x == 7 ? 0 : 16;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(&tile[threadIdx.x])),
                 "l"(in + 3968 + 4 * threadIdx.x), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    const uint4 v = tile[31 - threadIdx.x];
    out[threadIdx.x] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

// === pipeline_primitives
// Two stages by CUDA's pipeline functions: one batch may be pending while the other is used.
// launch: grid=1 block=64
// needs: cuda_pipeline.h
#include <cuda_pipeline.h>
extern "C" __global__ void pipeline_primitives(const unsigned *in, unsigned *out) {
    __shared__ uint4 stages[2][64];
    unsigned sum = 0;
    __pipeline_memcpy_async(&stages[0][threadIdx.x], in + threadIdx.x * 4, 16);
    __pipeline_commit();
    for (unsigned n = 0; n < 8; n++) {
        if (n < 7) __pipeline_memcpy_async(&stages[~n & 1][threadIdx.x], in + (n + 1) * 256 + threadIdx.x * 4, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const uint4 v = stages[n & 1][63 - threadIdx.x];
        sum = sum * 3 + (v.x ^ v.y ^ v.z ^ v.w);
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
