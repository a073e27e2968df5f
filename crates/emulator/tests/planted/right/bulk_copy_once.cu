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
