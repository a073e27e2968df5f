// A ring of two stages in which one lane arrives for its warp, after a __syncwarp that follows the reads.
// launch: grid=1 block=96
static __device__ void ring_lane_arrives_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring_lane_arrives_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring_lane_arrives_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring_lane_arrives_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring_lane_arrives_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring_lane_arrives(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[2][64];
    __shared__ unsigned long long full[2], empty[2];
    if (threadIdx.x < 2) ring_lane_arrives_init(&full[threadIdx.x], 1), ring_lane_arrives_init(&empty[threadIdx.x], 2);
    __syncthreads();
    unsigned sum = 0;
    for (int n = 0; n < 20; n++)
        if (threadIdx.x == 64) {
            if (n >= 2) ring_lane_arrives_wait(&empty[n & 1], (n / 2 - 1) & 1);
            ring_lane_arrives_expect(&full[n & 1], 256);
            ring_lane_arrives_load(stages[n & 1], in + n * 64, 256, &full[n & 1]);
        } else if (threadIdx.x < 64) {
            ring_lane_arrives_wait(&full[n & 1], (n / 2) & 1);
            sum = sum * 3 + stages[n & 1][63 - threadIdx.x];
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncwarp();
            if (threadIdx.x % 32 == 0) ring_lane_arrives_arrive(&empty[n & 1]);
        }
    if (threadIdx.x < 64) out[threadIdx.x] = sum;
}
