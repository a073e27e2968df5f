// Mistake: a tile that a tensor copy brings is read after a barrier of the block, not after its own barrier.
// launch: grid=1 block=64
// arguments: tensor:f32,64,64,16,8 out
// finds: async-race unwritten
// line: 26 27 30
static __device__ void tensor_read_before_wait_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void tensor_read_before_wait_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void tensor_read_before_wait_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
struct __align__(64) tensor_read_before_wait_map {
    unsigned long long words[16];
};
extern "C" __global__ void tensor_read_before_wait(const __grid_constant__ tensor_read_before_wait_map map, unsigned *out) {
    __shared__ __align__(128) unsigned tile[128];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        tensor_read_before_wait_init(&barrier, 1);
        tensor_read_before_wait_expect(&barrier, 512);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];"
                     ::"r"((unsigned)__cvta_generic_to_shared(tile)), "l"(&map), "r"(0), "r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    }
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
    tensor_read_before_wait_wait(&barrier, 0);
}
