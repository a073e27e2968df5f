// What a tile has outside the matrix is zero.
// launch: grid=2 block=64
// arguments: tensor:f32,60,50,16,8 out

struct alignas(64) more_tensor_outside_map { unsigned long long words[16]; };

extern "C" __global__ void more_tensor_outside(const __grid_constant__ more_tensor_outside_map map, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned tile[8 * 16];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), done = 0;
    tile[threadIdx.x] = tile[threadIdx.x + 64] = ~0u;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        int x = blockIdx.x ? 52 : -8, y = blockIdx.x ? 46 : -3;
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                         (unsigned)__cvta_generic_to_shared(tile)),
                     "l"(&map), "r"(x), "r"(y), "r"(place)
                     : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(place) : "memory");
    }
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = tile[threadIdx.x];
    out[i + 1024] = tile[threadIdx.x + 64];
}
