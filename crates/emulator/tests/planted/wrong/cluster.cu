// === cluster_barrier_arrived_twice
// Mistake: a thread arrives at the cluster's barrier twice without waiting in between.
// launch: grid=2 block=32 cluster=2
// finds: barrier-misuse divergent-barrier stuck
// line: 7 8 9
extern "C" __global__ void cluster_barrier_arrived_twice(const unsigned *in, unsigned *out) {
    out[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x];
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

// === cluster_barrier_of_some
// Mistake: one warp of the second block never arrives at the cluster's barrier.
// launch: grid=2 block=64 cluster=2
// finds: divergent-barrier stuck
// line: 6 11 12
static __device__ void cluster_barrier_of_some_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void cluster_barrier_of_some(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    if (blockIdx.x == 0 || threadIdx.x < 32) cluster_barrier_of_some_cluster_sync();
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x];
}

// === cluster_exit_before_reads
// Mistake: a block may end while its neighbour still reads its shared memory.
// launch: grid=2 block=64 cluster=2
// finds: out-of-bounds race-between-blocks async-race
// line: 20 27 28
static __device__ unsigned cluster_exit_before_reads_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_exit_before_reads_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_exit_before_reads_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_exit_before_reads_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_exit_before_reads(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    cluster_exit_before_reads_cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = cluster_exit_before_reads_read(cluster_exit_before_reads_map(&values[63 - threadIdx.x], cluster_exit_before_reads_rank() ^ 1));
}

// === cluster_multicast_not_waited
// Mistake: the second block reads what the first one's copy brings it without waiting at its own barrier.
// launch: grid=2 block=64 cluster=2
// arch: 90a
// finds: async-race unwritten
// line: 29 30 31 34
static __device__ void cluster_multicast_not_waited_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void cluster_multicast_not_waited_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void cluster_multicast_not_waited_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
static __device__ void cluster_multicast_not_waited_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void cluster_multicast_not_waited(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        cluster_multicast_not_waited_init(&barrier, 1);
        cluster_multicast_not_waited_expect(&barrier, 256);
    }
    cluster_multicast_not_waited_cluster_sync();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;"
                     ::"r"((unsigned)__cvta_generic_to_shared(tile)), "l"(__cvta_generic_to_global(in)),
                     "r"((unsigned)__cvta_generic_to_shared(&barrier)), "h"((unsigned short)3) : "memory");
    if (blockIdx.x == 0) cluster_multicast_not_waited_wait(&barrier, 0);
    cluster_multicast_not_waited_cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
    cluster_multicast_not_waited_cluster_sync();
}

// === cluster_overwritten_early
// Mistake: one buffer and one barrier of the cluster a step: the neighbour may still read when the next value is stored.
// launch: grid=2 block=32 cluster=2
// finds: race-between-blocks
// line: 20 27 29
static __device__ unsigned cluster_overwritten_early_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_overwritten_early_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_overwritten_early_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_overwritten_early_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_overwritten_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    unsigned value = in[blockIdx.x * 32 + threadIdx.x];
    for (int step = 0; step < 4; step++) {
        values[threadIdx.x] = value;
        cluster_overwritten_early_cluster_sync();
        value = value * 3 + cluster_overwritten_early_read(cluster_overwritten_early_map(&values[threadIdx.x], cluster_overwritten_early_rank() ^ 1));
    }
    out[blockIdx.x * 32 + threadIdx.x] = value;
    cluster_overwritten_early_cluster_sync();
}

// === cluster_relaxed_arrival
// Mistake: arriving relaxed at the cluster's barrier publishes nothing.
// launch: grid=2 block=64 cluster=2
// finds: race-between-blocks
// line: 20 25 27
static __device__ unsigned cluster_relaxed_arrival_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_relaxed_arrival_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_relaxed_arrival_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_relaxed_arrival_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_relaxed_arrival(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * 64 + threadIdx.x] = cluster_relaxed_arrival_read(cluster_relaxed_arrival_map(&values[63 - threadIdx.x], cluster_relaxed_arrival_rank() ^ 1));
    cluster_relaxed_arrival_cluster_sync();
}

// === cluster_shared_outside
// Mistake: the neighbour's array is read behind its end, where its shared memory ends too.
// launch: grid=2 block=64 cluster=2
// finds: out-of-bounds
// line: 20 27
static __device__ unsigned cluster_shared_outside_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_shared_outside_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_shared_outside_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_shared_outside_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_shared_outside(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    cluster_shared_outside_cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = cluster_shared_outside_read(cluster_shared_outside_map(values, cluster_shared_outside_rank() ^ 1) + 4 * threadIdx.x + 1024);
    cluster_shared_outside_cluster_sync();
}

// === cluster_unwritten
// Mistake: only the first block of the cluster fills its array, and each reads the other's.
// launch: grid=2 block=32 cluster=2
// finds: unwritten
// line: 20 27
static __device__ unsigned cluster_unwritten_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_unwritten_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_unwritten_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_unwritten_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_unwritten(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    if (cluster_unwritten_rank() == 0) values[threadIdx.x] = in[threadIdx.x];
    cluster_unwritten_cluster_sync();
    out[blockIdx.x * 32 + threadIdx.x] = cluster_unwritten_read(cluster_unwritten_map(&values[threadIdx.x], cluster_unwritten_rank() ^ 1));
    cluster_unwritten_cluster_sync();
}

// === cluster_without_barrier
// Mistake: a neighbour's shared memory is read after a barrier of the block, which the neighbour knows nothing of.
// launch: grid=2 block=64 cluster=2
// finds: race-between-blocks unwritten
// line: 20 26 28
static __device__ unsigned cluster_without_barrier_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_without_barrier_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_without_barrier_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_without_barrier_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    cluster_without_barrier_cluster_sync();
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = cluster_without_barrier_read(cluster_without_barrier_map(&values[63 - threadIdx.x], cluster_without_barrier_rank() ^ 1));
    cluster_without_barrier_cluster_sync();
}

// === cluster_write_collides
// Mistake: all four blocks store into the first one's array at the same places.
// launch: grid=4 block=32 cluster=4
// finds: race-between-blocks
// line: 14 19
static __device__ void cluster_write_collides_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_write_collides_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ void cluster_write_collides_write(unsigned there, unsigned value) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
}
extern "C" __global__ void cluster_write_collides(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    cluster_write_collides_cluster_sync();
    cluster_write_collides_write(cluster_write_collides_map(&values[threadIdx.x], 0), in[blockIdx.x * 32 + threadIdx.x]);
    cluster_write_collides_cluster_sync();
    if (blockIdx.x == 0) out[threadIdx.x] = values[threadIdx.x];
}
