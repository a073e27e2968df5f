// Tiles of one row that end at one barrier, and a prefetch that moves nothing.
// launch: grid=2 block=64
// arguments: tensor:f32,128,32,64,1 out

struct alignas(64) more_tensor_rows_map { char bytes[128]; };

extern "C" __global__ void more_tensor_rows(const __grid_constant__ more_tensor_rows_map map, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned rows[2][64];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), done = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.proxy.async.shared::cta;" ::"r"(place) : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(0), "r"(7) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(place) : "memory");
        for (int row = 0; row < 2; ++row)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                             (unsigned)__cvta_generic_to_shared(rows[row])),
                         "l"(&map), "r"(64 * (int)blockIdx.x), "r"(7 + 3 * row), "r"(place)
                         : "memory");
    }
    __syncthreads();
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = rows[0][threadIdx.x] * 2 + rows[1][63 - threadIdx.x];
}
