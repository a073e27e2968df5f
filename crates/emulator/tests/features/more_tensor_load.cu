// A tile of a matrix, by a tensor map.
// launch: grid=2 block=64
// arguments: tensor:f32,64,64,16,8 out

struct alignas(64) more_tensor_load_map { unsigned long long words[16]; };

extern "C" __global__ void more_tensor_load(const __grid_constant__ more_tensor_load_map map, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned tile[8][16];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), done = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.proxy.async.shared::cta;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place), "r"((unsigned)sizeof(tile)) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                         (unsigned)__cvta_generic_to_shared(tile)),
                     "l"(&map), "r"(16 + 4 * blockIdx.x), "r"(40), "r"(place)
                     : "memory");
    }
    __syncthreads();
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = tile[threadIdx.x / 8][threadIdx.x % 8] * 3 + tile[threadIdx.x % 8][8 + threadIdx.x / 8];
}
