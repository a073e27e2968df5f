// === cluster_block_exits_early
// The reading block may leave at once after reading; the one that is read stays until the reader has arrived.
// launch: grid=2 block=32 cluster=2
static __device__ unsigned cluster_block_exits_early_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_block_exits_early_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_block_exits_early_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_block_exits_early_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_block_exits_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    cluster_block_exits_early_cluster_sync();
    if (cluster_block_exits_early_rank() == 1) out[threadIdx.x] = cluster_block_exits_early_read(cluster_block_exits_early_map(&values[31 - threadIdx.x], 0));
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    if (cluster_block_exits_early_rank() == 0) asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

// === cluster_exchange
// Two blocks read each other's shared memory between two barriers of the cluster.
// launch: grid=4 block=64 cluster=2
static __device__ unsigned cluster_exchange_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_exchange_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_exchange_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_exchange_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_exchange(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    cluster_exchange_cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = cluster_exchange_read(cluster_exchange_map(&values[63 - threadIdx.x], cluster_exchange_rank() ^ 1)) * 3;
    cluster_exchange_cluster_sync();
}

// === cluster_generic_pointer
// A generic pointer into another block's shared memory, made by mapa, is read like any other pointer.
// launch: grid=4 block=32 cluster=4
static __device__ unsigned cluster_generic_pointer_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_generic_pointer_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void cluster_generic_pointer(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long values[32];
    values[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x] * 9ull;
    cluster_generic_pointer_cluster_sync();
    unsigned sum = 0;
    for (unsigned rank = 0; rank < 4; rank++) {
        const unsigned long long *there;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(values), "r"(rank));
        sum = sum * 3 + unsigned(there[31 - threadIdx.x] >> 4);
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum + cluster_generic_pointer_rank();
    cluster_generic_pointer_cluster_sync();
}

// === cluster_histogram
// Bins are spread over the shared memory of the cluster's blocks, and every thread adds to any of them by atomics.
// launch: grid=2 block=64 cluster=2
static __device__ void cluster_histogram_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_histogram_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
extern "C" __global__ void cluster_histogram(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[32];
    if (threadIdx.x < 32) bins[threadIdx.x] = 0;
    cluster_histogram_cluster_sync();
    for (unsigned i = blockIdx.x * 64 + threadIdx.x; i < 1024; i += 128) {
        const unsigned bin = in[i] >> 26;
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(cluster_histogram_map(&bins[bin % 32], bin / 32)) : "memory");
    }
    cluster_histogram_cluster_sync();
    if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = bins[threadIdx.x];
}

// === cluster_multicast
// One bulk copy fills the shared memory of both blocks; each waits at its own barrier for its own bytes.
// launch: grid=4 block=64 cluster=2
// arch: 90a
static __device__ void cluster_multicast_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void cluster_multicast_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void cluster_multicast_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
static __device__ unsigned cluster_multicast_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_multicast_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void cluster_multicast(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        cluster_multicast_init(&barrier, 1);
        cluster_multicast_expect(&barrier, 256);
    }
    cluster_multicast_cluster_sync();
    if (threadIdx.x == 0 && cluster_multicast_rank() == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;"
                     ::"r"((unsigned)__cvta_generic_to_shared(tile)), "l"(__cvta_generic_to_global(in + blockIdx.x * 64)),
                     "r"((unsigned)__cvta_generic_to_shared(&barrier)), "h"((unsigned short)3) : "memory");
    cluster_multicast_wait(&barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x] + cluster_multicast_rank();
    cluster_multicast_cluster_sync();
}

// === cluster_pass_around
// Values go round the cluster, between two buffers, with one barrier of the cluster a step.
// launch: grid=4 block=32 cluster=4
static __device__ unsigned cluster_pass_around_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_pass_around_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_pass_around_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_pass_around_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_pass_around(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[2][32];
    unsigned value = in[blockIdx.x * 32 + threadIdx.x];
    for (int step = 0; step < 6; step++) {
        values[step & 1][threadIdx.x] = value;
        cluster_pass_around_cluster_sync();
        value = value * 3 + cluster_pass_around_read(cluster_pass_around_map(&values[step & 1][31 - threadIdx.x], (cluster_pass_around_rank() + 1) % 4));
    }
    out[blockIdx.x * 32 + threadIdx.x] = value;
    cluster_pass_around_cluster_sync();
}

// === cluster_remote_arrival
// A block writes into the other's shared memory and arrives at a barrier there, with release and acquire of the cluster.
// launch: grid=2 block=64 cluster=2
static __device__ void cluster_remote_arrival_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ unsigned cluster_remote_arrival_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_remote_arrival_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_remote_arrival_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ void cluster_remote_arrival_write(unsigned there, unsigned value) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
}
extern "C" __global__ void cluster_remote_arrival(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    const unsigned other = cluster_remote_arrival_rank() ^ 1;
    if (threadIdx.x == 0) cluster_remote_arrival_init(&barrier, 64);
    cluster_remote_arrival_cluster_sync();
    cluster_remote_arrival_write(cluster_remote_arrival_map(&values[threadIdx.x], other), in[blockIdx.x * 64 + threadIdx.x]);
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(cluster_remote_arrival_map(&barrier, other)) : "memory");
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x] * 3;
    cluster_remote_arrival_cluster_sync();
}

// === cluster_remote_write
// Each block writes into its neighbour's shared memory; the neighbour reads after the barrier of the cluster.
// launch: grid=4 block=64 cluster=4
static __device__ unsigned cluster_remote_write_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_remote_write_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_remote_write_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ void cluster_remote_write_write(unsigned there, unsigned value) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
}
extern "C" __global__ void cluster_remote_write(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    cluster_remote_write_cluster_sync();
    cluster_remote_write_write(cluster_remote_write_map(&values[threadIdx.x], (cluster_remote_write_rank() + 1) % 4), in[blockIdx.x * 64 + threadIdx.x]);
    cluster_remote_write_cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x] + 1;
}

// === cluster_split_barrier
// Work that needs nothing of the others lies between arriving at the cluster's barrier and waiting for it.
// launch: grid=4 block=64 cluster=2
static __device__ unsigned cluster_split_barrier_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ unsigned cluster_split_barrier_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_split_barrier_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
static __device__ void cluster_split_barrier_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void cluster_split_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    unsigned sum = 0;
    for (int k = 0; k < 10; k++) sum = sum * 3 + in[threadIdx.x * 10 + k];
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    sum += cluster_split_barrier_read(cluster_split_barrier_map(&values[threadIdx.x ^ 9], cluster_split_barrier_rank() ^ 1));
    out[blockIdx.x * 64 + threadIdx.x] = sum;
    cluster_split_barrier_cluster_sync();
}

// === cooperative_cluster
// The group of the cluster is its barrier and gives pointers into the other blocks' shared memory.
// launch: grid=4 block=32 cluster=2
// needs: cooperative_groups.h
#include <cooperative_groups.h>
extern "C" __global__ void cooperative_cluster(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    values[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    cluster.sync();
    const unsigned *there = cluster.map_shared_rank(values, cluster.block_rank() ^ 1);
    out[blockIdx.x * 32 + threadIdx.x] = there[31 - threadIdx.x] * 3;
    cluster.sync();
}
