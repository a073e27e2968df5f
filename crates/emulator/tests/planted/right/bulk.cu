// === bulk_copy_filled_ahead
// All four stages are asked for at once; every stage has its own barrier and is used once.
// launch: grid=2 block=64
static __device__ void bulk_copy_filled_ahead_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_copy_filled_ahead_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_copy_filled_ahead_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_copy_filled_ahead_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_copy_filled_ahead(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned stages[4][64];
    __shared__ unsigned long long full[4];
    if (threadIdx.x < 4) bulk_copy_filled_ahead_init(&full[threadIdx.x], 1);
    __syncthreads();
    if (threadIdx.x < 4) {
        bulk_copy_filled_ahead_expect(&full[threadIdx.x], 256);
        bulk_copy_filled_ahead_load(stages[threadIdx.x], in + blockIdx.x * 256 + threadIdx.x * 64, 256, &full[threadIdx.x]);
    }
    unsigned sum = 0;
    for (unsigned n = 0; n < 4; n++) {
        bulk_copy_filled_ahead_wait(&full[n], 0);
        sum = sum * 5 + stages[n][threadIdx.x ^ 33];
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// === bulk_copy_once
// One thread asks for a bulk copy, all threads wait for its bytes at the barrier.
// launch: grid=4 block=64
static __device__ void bulk_copy_once_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_copy_once_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_copy_once_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_copy_once_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_copy_once(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[256];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_copy_once_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_copy_once_expect(&barrier, 1024);
        bulk_copy_once_load(tile, in + blockIdx.x * 256, 1024, &barrier);
    }
    bulk_copy_once_wait(&barrier, 0);
    for (unsigned k = 0; k < 256; k += 64) out[blockIdx.x * 256 + k + threadIdx.x] = tile[255 - k - threadIdx.x];
}

// === bulk_copy_one_waits
// One thread alone waits for the copy; __syncthreads tells the others.
// launch: grid=2 block=64
static __device__ void bulk_copy_one_waits_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_copy_one_waits_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_copy_one_waits_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_copy_one_waits_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_copy_one_waits(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[128];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        bulk_copy_one_waits_init(&barrier, 1);
        bulk_copy_one_waits_expect(&barrier, 512);
        bulk_copy_one_waits_load(tile, in + blockIdx.x * 128, 256, &barrier);
        bulk_copy_one_waits_load(tile + 64, in + 1024 + blockIdx.x * 128, 256, &barrier);
        bulk_copy_one_waits_wait(&barrier, 0);
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x] * 3 + tile[127 - threadIdx.x];
}

// === bulk_copy_phases
// One stage used again and again: all have read it, and passed a proxy fence, before the barrier that precedes the next copy.
// launch: grid=2 block=64
static __device__ void bulk_copy_phases_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_copy_phases_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_copy_phases_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_copy_phases_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_copy_phases(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_copy_phases_init(&barrier, 1);
    unsigned sum = 0;
    for (unsigned n = 0; n < 9; n++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_copy_phases_expect(&barrier, 256);
            bulk_copy_phases_load(tile, in + blockIdx.x * 1024 + n * 64, 256, &barrier);
        }
        bulk_copy_phases_wait(&barrier, n & 1);
        sum = sum * 3 + tile[63 - threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// === bulk_copy_there_and_back
// A bulk copy in, changes in place, a proxy fence, a bulk copy out.
// launch: grid=2 block=64
static __device__ void bulk_copy_there_and_back_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_copy_there_and_back_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_copy_there_and_back_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_copy_there_and_back_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
static __device__ void bulk_copy_there_and_back_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_copy_there_and_back(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_copy_there_and_back_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_copy_there_and_back_expect(&barrier, 256);
        bulk_copy_there_and_back_load(tile, in + blockIdx.x * 64, 256, &barrier);
    }
    bulk_copy_there_and_back_wait(&barrier, 0);
    tile[threadIdx.x] = tile[threadIdx.x] * 5 + threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_copy_there_and_back_store(out + blockIdx.x * 64, tile, 256);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

// === bulk_load_behind_readers_fence
// Plain stores to global memory, a barrier, the proxy fence of the thread that loads them, its bulk load.
// launch: grid=1 block=64
static __device__ void bulk_load_behind_readers_fence_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
extern "C" __global__ void bulk_load_behind_readers_fence(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(at) : "memory");
    out[threadIdx.x] = in[threadIdx.x] * 3;
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.async.global;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
        bulk_load_behind_readers_fence_load(tile, out, 256, &barrier);
    }
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x] + 1;
}

// === bulk_load_behind_writers_fence
// Plain stores to global memory, the proxy fence of each thread, a barrier, then one thread's bulk load.
// launch: grid=1 block=64
static __device__ void bulk_load_behind_writers_fence_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
extern "C" __global__ void bulk_load_behind_writers_fence(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(at) : "memory");
    out[threadIdx.x] = in[threadIdx.x] * 3;
    asm volatile("fence.proxy.async.global;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
        bulk_load_behind_writers_fence_load(tile, out, 256, &barrier);
    }
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x] + 1;
}

// === bulk_reduction
// Bulk copies that add to global memory: many blocks add to the same words.
// launch: grid=4 block=64
extern "C" __global__ void bulk_reduction(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 256;" ::"l"(__cvta_generic_to_global(out)),
                     "r"((unsigned)__cvta_generic_to_shared(tile)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// === bulk_store
// Generic stores, the proxy fence of each thread, a barrier, then one thread's bulk store, waited for before the block ends.
// launch: grid=4 block=64
static __device__ void bulk_store_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    tile[63 - threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] * 3;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store_store(out + blockIdx.x * 64, tile, 256);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// === bulk_store_two_buffers
// A buffer is written again only after its bulk store has read it: one group may still be reading the other buffer.
// launch: grid=2 block=64
static __device__ void bulk_store_two_buffers_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_two_buffers(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tiles[2][64];
    for (unsigned n = 0; n < 9; n++) {
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncthreads();
        tiles[n & 1][threadIdx.x ^ 5] = in[n * 128 + blockIdx.x * 64 + threadIdx.x] + n;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_store_two_buffers_store(out + n * 128 + blockIdx.x * 64, tiles[n & 1], 256);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// === cluster_bulk_copy
// A bulk copy from one block's shared memory to the other's, which counts the bytes at the receiver's barrier.
// launch: grid=2 block=64 cluster=2
static __device__ void cluster_bulk_copy_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void cluster_bulk_copy_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void cluster_bulk_copy_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
static __device__ void cluster_bulk_copy_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_bulk_copy_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
extern "C" __global__ void cluster_bulk_copy(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned mine[64], received[64];
    __shared__ unsigned long long barrier;
    const unsigned other = blockIdx.x ^ 1;
    mine[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] * 7;
    asm volatile("fence.proxy.async;" ::: "memory");
    if (threadIdx.x == 0) {
        cluster_bulk_copy_init(&barrier, 1);
        cluster_bulk_copy_expect(&barrier, 256);
    }
    cluster_bulk_copy_cluster_sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(cluster_bulk_copy_map(received, other)),
                     "r"((unsigned)__cvta_generic_to_shared(mine)), "r"(cluster_bulk_copy_map(&barrier, other)) : "memory");
    cluster_bulk_copy_wait(&barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = received[63 - threadIdx.x];
    cluster_bulk_copy_cluster_sync();
}

// === tensor_tile
// A tile of a matrix by a tensor map; its corner lies outside and becomes zero.
// launch: grid=2 block=64
// arguments: tensor:f32,64,64,16,8 out
static __device__ void tensor_tile_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void tensor_tile_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void tensor_tile_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
struct __align__(64) tensor_tile_map {
    unsigned long long words[16];
};
extern "C" __global__ void tensor_tile(const __grid_constant__ tensor_tile_map map, unsigned *out) {
    __shared__ __align__(128) unsigned tile[128];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) tensor_tile_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_tile_expect(&barrier, 512);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"((unsigned)__cvta_generic_to_shared(tile)), "l"(&map), "r"(blockIdx.x * 52), "r"(blockIdx.x * 60),
                     "r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    }
    tensor_tile_wait(&barrier, 0);
    for (unsigned k = 0; k < 128; k += 64) out[blockIdx.x * 128 + k + threadIdx.x] = tile[k + threadIdx.x];
}
