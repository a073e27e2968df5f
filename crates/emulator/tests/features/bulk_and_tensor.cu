// === more_bulk_groups
// Two stages of shared memory on their way to global memory: a wait that leaves one group under way.
// launch: grid=2 block=64

extern "C" __global__ void more_bulk_groups(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) uint2 stages[2][64];
    for (unsigned round = 0; round < 4; ++round) {
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(1) : "memory");
        __syncthreads();
        stages[round % 2][threadIdx.x] = make_uint2(in[i] + round, in[i + 1] * round);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            for (unsigned half = 0; half < 2; ++half)
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out + 512 * round + 128 * blockIdx.x + 64 * half),
                             "r"((unsigned)__cvta_generic_to_shared(&stages[round % 2][32 * half]))
                             : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// === more_bulk_load
// One thread has a block of memory copied, all wait at the barrier in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void more_bulk_load(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned values[256];
    __shared__ unsigned long long barrier;
    unsigned target = (unsigned)__cvta_generic_to_shared(values), place = (unsigned)__cvta_generic_to_shared(&barrier), done = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    for (unsigned phase = 0; phase < 2; ++phase) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place), "r"(1024) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(target),
                         "l"(in + 256 * (2 * blockIdx.x + phase)), "r"(1024), "r"(place)
                         : "memory");
        }
        for (done = 0; !done;)
            asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.b32 %0, 1, 0, p;\n}"
                         : "=r"(done)
                         : "r"(place), "r"(phase)
                         : "memory");
        out[i + 1024 * phase] = values[3 * threadIdx.x] - values[255 - threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
    }
}

// === more_bulk_multicast
// One copy that fills the shared memory of both blocks of a cluster.
// launch: grid=4 block=64 cluster=2
// arch: 90a

extern "C" __global__ void __cluster_dims__(2) more_bulk_multicast(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[64];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned target = (unsigned)__cvta_generic_to_shared(values), place = (unsigned)__cvta_generic_to_shared(&barrier), rank, done = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
    }
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
    // Each block sends its half to both.
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                         target + 128 * rank),
                     "l"(in + 32 * blockIdx.x), "r"(128), "r"(place), "h"((unsigned short)3)
                     : "memory");
    while (!done)
        asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n selp.b32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(place)
                     : "memory");
    out[i] = values[threadIdx.x] * 3 + values[63 - threadIdx.x];
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}

// === more_bulk_prefetch
// A block of memory brought to the second-level cache: nothing else happens.
// launch: grid=2 block=64

extern "C" __global__ void more_bulk_prefetch(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in + 64 * blockIdx.x), "r"(256) : "memory");
    out[i] = in[i] + 5;
}

// === more_bulk_reduce
// Copies to global memory that add, and that keep the least, the greatest or some of the bits.
// launch: grid=2 block=64

extern "C" __global__ void more_bulk_reduce(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[64];
    values[threadIdx.x] = in[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned from = (unsigned)__cvta_generic_to_shared(values);
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%0], [%1], 256;" ::"l"(out + 64), "r"(from) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], 256;" ::"l"(out + 128), "r"(from) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%0], [%1], 256;" ::"l"(out + 192), "r"(from) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%0], [%1], 128;" ::"l"(out + 256), "r"(from) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%0], [%1], 256;" ::"l"(out + 320), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// === more_bulk_reduce_float
// Copies to global memory that add floats and doubles that are whole numbers.
// launch: grid=3 block=64

extern "C" __global__ void more_bulk_reduce_float(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) float values[64];
    __shared__ alignas(16) double wide[64];
    values[threadIdx.x] = (float)(in[i] & 0xffff) - 1000.0f;
    wide[threadIdx.x] = (double)(int)in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" ::"l"(out), "r"((unsigned)__cvta_generic_to_shared(values)) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%0], [%1], 512;" ::"l"(out + 64), "r"((unsigned)__cvta_generic_to_shared(wide)) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// === more_bulk_store
// A copy from shared to global memory, and when its source may be written again.
// launch: grid=2 block=64

extern "C" __global__ void more_bulk_store(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[64];
    for (unsigned round = 0; round < 3; ++round) {
        values[threadIdx.x] = in[i + 128 * round] ^ round;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + 64 * blockIdx.x + 1024 * round),
                         "r"((unsigned)__cvta_generic_to_shared(values)), "r"(256)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// === more_bulk_to_cluster
// A copy from the shared memory of one block to that of the other.
// launch: grid=4 block=64 cluster=2

extern "C" __global__ void more_bulk_to_cluster(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned own[64];
    __shared__ alignas(16) unsigned got[64];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), target = (unsigned)__cvta_generic_to_shared(got), rank, done = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    own[threadIdx.x] = in[i] + rank;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
    if (threadIdx.x == 0) {
        unsigned there, barrier_there;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(target), "r"(rank ^ 1));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier_there) : "r"(place), "r"(rank ^ 1));
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(there),
                     "r"((unsigned)__cvta_generic_to_shared(own)), "r"(barrier_there)
                     : "memory");
    }
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = got[threadIdx.x] * 2 + got[threadIdx.x ^ 1];
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}

// === more_cache_policy
// Hints for the second-level cache, given to loads, stores and copies.
// launch: grid=2 block=64

extern "C" __global__ void more_cache_policy(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[64];
    __shared__ unsigned long long barrier;
    unsigned long long keep, drop;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), value, done = 0;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm volatile("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(drop));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(value) : "l"(in + i), "l"(keep) : "memory");
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(out + 1024 + i), "r"(value + 1), "l"(drop) : "memory");
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.proxy.async.shared::cta;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], 256, [%2], %3;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(values)), "l"(in + 64 * blockIdx.x), "r"(place), "l"(drop) : "memory");
    }
    __syncthreads();
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = values[63 - threadIdx.x] ^ value;
}

// === more_prefetch
// Words on their way to the caches: nothing but the time changes.
// launch: grid=2 block=64

extern "C" __global__ void more_prefetch(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("prefetch.global.L1 [%0];" ::"l"(in + i));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i + 64));
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(in + i));
    asm volatile("prefetchu.L1 [%0];" ::"l"(in + i));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in + i / 32 * 32) : "memory");
    out[i] = in[i] + in[i + 64];
}

// === more_tensor_load
// A tile of a matrix, by a tensor map.
// launch: grid=2 block=64
// arguments: tensor:f32,64,64,16,8 out

struct alignas(64) more_tensor_load_map { unsigned long long words[16]; };

extern "C" __global__ void more_tensor_load(const __grid_constant__ more_tensor_load_map map, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned tile[8][16];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), done = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.proxy.async.shared::cta;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place), "r"((unsigned)sizeof(tile)) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                         (unsigned)__cvta_generic_to_shared(tile)),
                     "l"(&map), "r"(16 + 4 * blockIdx.x), "r"(40), "r"(place)
                     : "memory");
    }
    __syncthreads();
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = tile[threadIdx.x / 8][threadIdx.x % 8] * 3 + tile[threadIdx.x % 8][8 + threadIdx.x / 8];
}

// === more_tensor_multicast
// One tile for both blocks of a cluster.
// launch: grid=2 block=64 cluster=2
// arguments: tensor:f32,64,64,8,8 out
// arch: 90a

struct alignas(64) more_tensor_multicast_map { unsigned long long words[16]; };

extern "C" __global__ void more_tensor_multicast(const __grid_constant__ more_tensor_multicast_map map, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned tile[64];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), rank, done = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (rank == 1 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(tile)),
                     "l"(&map), "r"(12), "r"(5), "r"(place), "h"((unsigned short)0b11)
                     : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = tile[63 - threadIdx.x] + rank;
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}

// === more_tensor_outside
// What a tile has outside the matrix is zero.
// launch: grid=2 block=64
// arguments: tensor:f32,60,50,16,8 out

struct alignas(64) more_tensor_outside_map { unsigned long long words[16]; };

extern "C" __global__ void more_tensor_outside(const __grid_constant__ more_tensor_outside_map map, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned tile[8 * 16];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), done = 0;
    tile[threadIdx.x] = tile[threadIdx.x + 64] = ~0u;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        int x = blockIdx.x ? 52 : -8, y = blockIdx.x ? 46 : -3;
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                         (unsigned)__cvta_generic_to_shared(tile)),
                     "l"(&map), "r"(x), "r"(y), "r"(place)
                     : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(place) : "memory");
    }
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = tile[threadIdx.x];
    out[i + 1024] = tile[threadIdx.x + 64];
}

// === more_tensor_rows
// Tiles of one row that end at one barrier, and a prefetch that moves nothing.
// launch: grid=2 block=64
// arguments: tensor:f32,128,32,64,1 out

struct alignas(64) more_tensor_rows_map { char bytes[128]; };

extern "C" __global__ void more_tensor_rows(const __grid_constant__ more_tensor_rows_map map, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned rows[2][64];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), done = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.proxy.async.shared::cta;" ::"r"(place) : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(0), "r"(7) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(place) : "memory");
        for (int row = 0; row < 2; ++row)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                             (unsigned)__cvta_generic_to_shared(rows[row])),
                         "l"(&map), "r"(64 * (int)blockIdx.x), "r"(7 + 3 * row), "r"(place)
                         : "memory");
    }
    __syncthreads();
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = rows[0][threadIdx.x] * 2 + rows[1][63 - threadIdx.x];
}

// === more_tensor_store
// A tile written to a matrix by a tensor map; what is outside the matrix is left out.
// launch: grid=1 block=64
// arguments: tensor:f32,64,64,16,4 in out

struct alignas(64) more_tensor_store_map { unsigned long long words[16]; };

extern "C" __global__ void more_tensor_store(const __grid_constant__ more_tensor_store_map map, unsigned *in, unsigned *out) {
    __shared__ alignas(128) unsigned tile[4][16];
    tile[threadIdx.x / 16][threadIdx.x % 16] = 1000 + threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(56), "r"(1),
                     "r"((unsigned)__cvta_generic_to_shared(tile))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
        for (unsigned k = 0; k < 320; ++k) out[k] = in[k];
    }
}
