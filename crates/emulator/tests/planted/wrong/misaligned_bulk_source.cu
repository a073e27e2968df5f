// Mistake: the source of a bulk copy is a multiple of 8, not of 16.
// launch: grid=1 block=64
// finds: misaligned
// line: 12 13 27
static __device__ void misaligned_bulk_source_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void misaligned_bulk_source_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void misaligned_bulk_source_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void misaligned_bulk_source_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void misaligned_bulk_source(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) misaligned_bulk_source_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        misaligned_bulk_source_expect(&barrier, 256);
        misaligned_bulk_source_load(tile, in + 2, 256, &barrier);
    }
    misaligned_bulk_source_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}
