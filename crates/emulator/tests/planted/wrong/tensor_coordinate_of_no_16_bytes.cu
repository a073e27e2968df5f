// Mistake: the box begins at an innermost coordinate that is no multiple of 16 bytes: a GPU stops with an illegal instruction.
// launch: grid=1 block=32
// arguments: tensor:f32,64,64,16,8 out
// finds: misaligned
// line: 15 16
struct __align__(64) tensor_coordinate_of_no_16_bytes_map { unsigned long long words[16]; };
extern "C" __global__ void tensor_coordinate_of_no_16_bytes(const __grid_constant__ tensor_coordinate_of_no_16_bytes_map map, unsigned *out) {
    __shared__ __align__(128) unsigned tile[128];
    __shared__ unsigned long long barrier;
    const unsigned place = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(place) : "memory");
        const int x = 19;
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"((unsigned)__cvta_generic_to_shared(tile)), "l"(&map), "r"(x), "r"(8), "r"(place) : "memory");
    }
    __syncthreads();
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}
