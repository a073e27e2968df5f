// === assert_failed
// Mistake: what the kernel asserts does not hold for the last thread.
// launch: grid=1 block=64
// finds: trap
// line: 6
extern "C" __global__ void assert_failed(const unsigned *in, unsigned *out) {
    assert(threadIdx.x < 63 + in[0]);
    out[threadIdx.x] = in[threadIdx.x];
}

// === stuck_both_wait
// Mistake: each of two blocks waits for the other's flag before it sets its own.
// launch: grid=2 block=32
// finds: stuck
// line: 8
extern "C" __global__ void stuck_both_wait(const unsigned *in, unsigned *out) {
    volatile unsigned *flags = out + 512;
    if (threadIdx.x) return;
    while (flags[blockIdx.x ^ 1] == 0) {}
    flags[blockIdx.x] = 1;
}

// === stuck_bulk_copy_never_started
// Mistake: the bytes are announced, and the copy is started only by a thread that does not exist.
// launch: grid=1 block=64
// finds: stuck
// line: 16 17 18 27
static __device__ void stuck_bulk_copy_never_started_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void stuck_bulk_copy_never_started_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void stuck_bulk_copy_never_started_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void stuck_bulk_copy_never_started_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void stuck_bulk_copy_never_started(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) stuck_bulk_copy_never_started_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) stuck_bulk_copy_never_started_expect(&barrier, 256);
    if (threadIdx.x == 64) stuck_bulk_copy_never_started_load(tile, in, 256, &barrier);
    stuck_bulk_copy_never_started_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// === stuck_cluster_arrival
// Mistake: both blocks arrive at the first block's barrier, and the second one waits at its own.
// launch: grid=2 block=32 cluster=2
// finds: stuck
// line: 17 18 19 26
static __device__ void stuck_cluster_arrival_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void stuck_cluster_arrival_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned stuck_cluster_arrival_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ void stuck_cluster_arrival_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void stuck_cluster_arrival(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) stuck_cluster_arrival_init(&barrier, 64);
    stuck_cluster_arrival_cluster_sync();
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(stuck_cluster_arrival_map(&barrier, 0)) : "memory");
    stuck_cluster_arrival_wait(&barrier, 0);
    out[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x];
    stuck_cluster_arrival_cluster_sync();
}

// === stuck_counter_one_short
// Mistake: the last thread of a warp waits until five have counted, and there are four blocks.
// launch: grid=4 block=32
// finds: stuck
// line: 8
extern "C" __global__ void stuck_counter_one_short(const unsigned *in, unsigned *out) {
    if (threadIdx.x != 31) return;
    atomicAdd(out, 1u);
    while (*(volatile unsigned *)out < 5) __nanosleep(50);
    out[64 + blockIdx.x] = in[blockIdx.x];
}

// === stuck_flag_never_set
// Mistake: the last block waits for a flag that nobody sets.
// launch: grid=2 block=32
// finds: stuck
// line: 10
extern "C" __global__ void stuck_flag_never_set(const unsigned *in, unsigned *out) {
    volatile unsigned *flags = out + 512;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) flags[0] = 1;
    else
        while (flags[1] == 0) {}
    out[blockIdx.x] = in[0];
}

// === stuck_grid_barrier_too_large
// Mistake: a barrier of the grid with more blocks than can be resident at once.
// launch: grid=6000 block=32
// finds: stuck
// line: 9 12
extern "C" __global__ void stuck_grid_barrier_too_large(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(out, 1u);
        while (atomicAdd(out, 0u) < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
}

// === stuck_in_warp_exchange
// Mistake: a warp waits for a word that the other warp writes only after a barrier with the first one.
// launch: grid=1 block=64
// finds: stuck
// line: 10 11
extern "C" __global__ void stuck_in_warp_exchange(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        while (ready == 0) {}
    __syncthreads();
    if (threadIdx.x == 32) ready = 1;
    out[threadIdx.x] = in[threadIdx.x];
}

// === stuck_lock_not_given_back
// Mistake: an early return leaves the lock taken.
// launch: grid=4 block=32
// finds: stuck
// line: 7
extern "C" __global__ void stuck_lock_not_given_back(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    while (atomicCAS(out, 0u, 1u)) {}
    __threadfence();
    out[1] += in[blockIdx.x];
    if (out[1] < 4294967295u) return;
    __threadfence();
    atomicExch(out, 0u);
}

// === stuck_lock_of_16_bits
// A lock of 16 bits that is never given back; the half beside it holds something.
// launch: grid=1 block=32
// finds: stuck
extern "C" __global__ void stuck_lock_of_16_bits(const unsigned *in, unsigned *out) {
    unsigned short *lock = (unsigned short *)(out + 4000);
    if (threadIdx.x == 0) { lock[0] = 1; lock[1] = 7; }
    __syncthreads();
    if (threadIdx.x == 1) while (atomicCAS(lock, (unsigned short)0, (unsigned short)1) != 0) {}
    out[threadIdx.x] = 1;
}

// === stuck_lock_taken_twice
// Mistake: a thread takes a lock that it already holds.
// launch: grid=2 block=32
// finds: stuck
// line: 7 10
extern "C" __global__ void stuck_lock_taken_twice(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    while (atomicCAS(out, 0u, 1u)) {}
    __threadfence();
    out[1] += in[blockIdx.x];
    while (atomicCAS(out, 0u, 1u)) {}
    out[2]++;
    __threadfence();
    atomicExch(out, 0u);
}

// === stuck_lookback_at_first
// Mistake: the first block of the chain waits for a block before it, too.
// launch: grid=4 block=32
// finds: stuck
// line: 8
extern "C" __global__ void stuck_lookback_at_first(const unsigned *in, unsigned *out) {
    volatile unsigned *ready = out + 1024;
    if (threadIdx.x) return;
    while (!ready[blockIdx.x]) {}
    __threadfence();
    out[blockIdx.x + 1] = out[blockIdx.x] + in[blockIdx.x];
    __threadfence();
    ready[blockIdx.x + 1] = 1;
}

// === stuck_mbarrier_never_arrived
// Mistake: the consumers wait for a barrier at which the producers arrive one round less.
// launch: grid=1 block=64
// finds: stuck
// line: 12 13 14 23
static __device__ void stuck_mbarrier_never_arrived_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void stuck_mbarrier_never_arrived_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void stuck_mbarrier_never_arrived_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void stuck_mbarrier_never_arrived(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) stuck_mbarrier_never_arrived_init(&barrier, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        stuck_mbarrier_never_arrived_arrive(&barrier);
    } else {
        for (unsigned n = 0; n < 2; n++) stuck_mbarrier_never_arrived_wait(&barrier, n);
    }
    out[threadIdx.x] = in[threadIdx.x];
}

// === stuck_named_barrier
// Mistake: the producer leaves its loop one round early and never arrives for the last buffer.
// launch: grid=1 block=64
// finds: stuck
// line: 14
extern "C" __global__ void stuck_named_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[4][32];
    unsigned sum = 0;
    for (unsigned k = 0; k < 4; k++)
        if (threadIdx.x < 32) {
            if (k == 3) break;
            values[k][threadIdx.x] = in[k * 32 + threadIdx.x];
            asm volatile("barrier.arrive %0, 64;" ::"r"(k + 1) : "memory");
        } else {
            asm volatile("barrier.sync %0, 64;" ::"r"(k + 1) : "memory");
            sum = sum * 3 + values[k][63 - threadIdx.x];
        }
    out[threadIdx.x] = sum;
}

// === stuck_waits_for_later_block
// Mistake: block 0 waits for block 5000, which cannot start before others have ended.
// launch: grid=5001 block=32
// finds: stuck
// line: 9
extern "C" __global__ void stuck_waits_for_later_block(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 5000) atomicExch(out, 1u);
    else
        while (atomicAdd(out, 0u) == 0) {}
}

// === stuck_warp_vote
// A whole warp votes on a flag that nobody sets.
// launch: grid=2 block=32
// finds: stuck
// line: 7
extern "C" __global__ void stuck_warp_vote(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 4000;
    while (__any_sync(~0u, *flag == 0)) {}
    out[0] = 1;
}

// === trap_instruction
// Mistake: the trap instruction of PTX is reached by one thread.
// launch: grid=1 block=64
// finds: trap
// line: 6
extern "C" __global__ void trap_instruction(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 33) asm volatile("trap;");
    out[threadIdx.x] = in[threadIdx.x];
}

// === trap_reached
// Mistake: a thread gets to the trap that was meant for impossible values.
// launch: grid=2 block=64
// finds: trap
// line: 6
extern "C" __global__ void trap_reached(const unsigned *in, unsigned *out) {
    if (in[blockIdx.x * 64 + threadIdx.x] % 101 == 7) __trap();
    out[blockIdx.x * 64 + threadIdx.x] = 1;
}
