// A tile written to a matrix by a tensor map; what is outside the matrix is left out.
// launch: grid=1 block=64
// arguments: tensor:f32,64,64,16,4 in out

struct alignas(64) more_tensor_store_map { unsigned long long words[16]; };

extern "C" __global__ void more_tensor_store(const __grid_constant__ more_tensor_store_map map, unsigned *in, unsigned *out) {
    __shared__ alignas(128) unsigned tile[4][16];
    tile[threadIdx.x / 16][threadIdx.x % 16] = 1000 + threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(56), "r"(1),
                     "r"((unsigned)__cvta_generic_to_shared(tile))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
        for (unsigned k = 0; k < 320; ++k) out[k] = in[k];
    }
}
