// A tile of a matrix by a tensor map; its corner lies outside and becomes zero.
// launch: grid=2 block=64
// arguments: tensor:f32,64,64,16,8 out
static __device__ void tensor_tile_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void tensor_tile_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void tensor_tile_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
struct __align__(64) tensor_tile_map {
    unsigned long long words[16];
};
extern "C" __global__ void tensor_tile(const __grid_constant__ tensor_tile_map map, unsigned *out) {
    __shared__ __align__(128) unsigned tile[128];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) tensor_tile_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_tile_expect(&barrier, 512);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"((unsigned)__cvta_generic_to_shared(tile)), "l"(&map), "r"(blockIdx.x * 52), "r"(blockIdx.x * 60),
                     "r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    }
    tensor_tile_wait(&barrier, 0);
    for (unsigned k = 0; k < 128; k += 64) out[blockIdx.x * 128 + k + threadIdx.x] = tile[k + threadIdx.x];
}
