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
