// === more_griddepcontrol
// A kernel that lets the next one start, and waits for the one before.
// launch: grid=2 block=64 repeat=2

extern "C" __global__ void more_griddepcontrol(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("griddepcontrol.launch_dependents;");
    unsigned value = in[i] * 3;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[i] = out[i] * 5 + value;
}

// === more_mbarrier_bytes
// A phase waits for bytes beside its arrivals; bytes can be told before and after the copy.
// launch: grid=2 block=64

extern "C" __global__ void more_mbarrier_bytes(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[128];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), target = (unsigned)__cvta_generic_to_shared(values), done = 0, early;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 65;\n fence.proxy.async.shared::cta;" ::"r"(place) : "memory");
    __syncthreads();
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place) : "memory");
    // One arrival is still missing: no test can succeed.
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(early) : "r"(place) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 256;" ::"r"(place) : "memory");
        for (unsigned half = 0; half < 2; ++half)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(target + 256 * half),
                         "l"(in + 128 * blockIdx.x + 64 * half), "r"(place)
                         : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
    }
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 1000; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = values[threadIdx.x] * 2 + values[127 - threadIdx.x] + early;
}

// === more_mbarrier_drop
// A thread that leaves a barrier is not waited for in later phases; a state tells how many are still to come.
// launch: grid=2 block=32

extern "C" __global__ void more_mbarrier_drop(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), phases = 0, pending = 0;
    unsigned long long state;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 5;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 3;" : "=l"(state) : "r"(place) : "memory");
        asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
        for (unsigned round = 1; round < 4; ++round) {
            unsigned done;
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(place), "l"(state) : "memory");
            phases += done;
            for (unsigned k = 0; k < 4; ++k) asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
        }
    }
    out[i] = in[i] + phases * 100 + pending;
}

// === more_mbarrier_parity
// Phases told apart by their parity, with a wait that loops in PTX.
// launch: grid=2 block=64

__device__ __forceinline__ void more_mbarrier_parity_wait(unsigned place, unsigned parity) {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra ready;\n"
                 "bra again;\n"
                 "ready:\n"
                 "}\n" ::"r"(place), "r"(parity) : "memory");
}

extern "C" __global__ void more_mbarrier_parity(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    __shared__ unsigned long long barriers[2];
    unsigned first = (unsigned)__cvta_generic_to_shared(&barriers[0]), second = first + 8, sum = 0;
    if (threadIdx.x < 2) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(first + 8 * threadIdx.x) : "memory");
    __syncthreads();
    for (unsigned round = 0; round < 5; ++round) {
        values[threadIdx.x] = in[i] + round;
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(first) : "memory");
        more_mbarrier_parity_wait(first, round & 1);
        sum = sum * 3 + values[63 - threadIdx.x];
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], 1;" ::"r"(second) : "memory");
        more_mbarrier_parity_wait(second, round & 1);
    }
    out[i] = sum;
}

// === more_mbarrier_states
// A thread arrives, works, and then asks by the state that it got.
// launch: grid=2 block=64

extern "C" __global__ void more_mbarrier_states(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), sum = 0;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place), "r"(64) : "memory");
    __syncthreads();
    for (unsigned round = 0; round < 4; ++round) {
        values[threadIdx.x] = in[i] * (round + 1);
        unsigned long long state;
        unsigned done = 0;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
        unsigned own = in[i + round] & 0xff;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(place), "l"(state) : "memory");
        sum += values[(threadIdx.x + 11) % 64] + own;
        __syncthreads();
    }
    out[i] = sum;
    if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(place) : "memory");
}

// === more_producer_consumer
// One warp fills a ring of stages by bulk copies, the others empty it.
// launch: grid=2 block=96

__device__ __forceinline__ void more_producer_consumer_wait(unsigned place, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place), "r"(parity) : "memory");
}

extern "C" __global__ void more_producer_consumer(const unsigned *in, unsigned *out) {
    constexpr unsigned stages = 3, rounds = 8;
    __shared__ alignas(128) unsigned values[stages][64];
    __shared__ unsigned long long full[stages], empty[stages];
    unsigned first_full = (unsigned)__cvta_generic_to_shared(full), first_empty = (unsigned)__cvta_generic_to_shared(empty);
    if (threadIdx.x < stages) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(first_full + 8 * threadIdx.x) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(first_empty + 8 * threadIdx.x) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 64) {
        for (unsigned round = 0; threadIdx.x == 64 && round < rounds; ++round) {
            unsigned stage = round % stages, barrier = first_full + 8 * stage;
            // The first round through the ring waits for the phase before the first: it has ended.
            more_producer_consumer_wait(first_empty + 8 * stage, (round / stages & 1) ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                             (unsigned)__cvta_generic_to_shared(values[stage])), "l"(in + 64 * (round * 2 + blockIdx.x)), "r"(barrier) : "memory");
        }
        return;
    }
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned stage = round % stages;
        more_producer_consumer_wait(first_full + 8 * stage, round / stages & 1);
        sum = sum * 3 + values[stage][threadIdx.x] - values[stage][63 - threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(first_empty + 8 * stage) : "memory");
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// === more_remote_arrive
// Threads of one block arrive at the barrier of another.
// launch: grid=4 block=32 cluster=2

extern "C" __global__ void more_remote_arrive(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned got[32];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), target = (unsigned)__cvta_generic_to_shared(&got[threadIdx.x]), rank, done = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;\n fence.mbarrier_init.release.cluster;" ::"r"(place) : "memory");
    asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
    unsigned there, barrier_there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(target), "r"(rank ^ 1));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier_there) : "r"(place), "r"(rank ^ 1));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(in[i] * 3) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier_there) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = got[31 - threadIdx.x];
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}

// === more_setmaxnreg
// Warps that give registers back, for others to take.
// launch: grid=1 block=384
// arch: 90a

extern "C" __global__ void __launch_bounds__(384, 1) more_setmaxnreg(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        values[threadIdx.x] = in[threadIdx.x];
        asm volatile("bar.sync 1, 384;" ::: "memory");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        asm volatile("bar.sync 1, 384;" ::: "memory");
        out[threadIdx.x] = values[threadIdx.x % 128] * (threadIdx.x / 128);
    }
}

// === more_store_async
// Stores to another block's shared memory that its barrier counts.
// launch: grid=4 block=64 cluster=2

extern "C" __global__ void more_store_async(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned got[64];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), target = (unsigned)__cvta_generic_to_shared(&got[threadIdx.x]), rank, done = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
    }
    asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
    asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(target) : "r"(rank ^ 1));
    unsigned barrier_there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier_there) : "r"(place), "r"(rank ^ 1));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(target), "r"(in[i] + rank), "r"(barrier_there) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = got[threadIdx.x ^ 9];
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}
