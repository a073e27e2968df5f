// Every warp has a tile of its own: __syncwarp after the wait is enough.
// launch: grid=1 block=128
static __device__ void async_copy_warp_private_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_warp_private(const unsigned *in, unsigned *out) {
    __shared__ uint4 tiles[4][32];
    uint4 *tile = tiles[threadIdx.x / 32];
    const unsigned lane = threadIdx.x % 32;
    for (unsigned n = 0; n < 5; n++) {
        async_copy_warp_private_copy(&tile[lane], in + n * 512 + threadIdx.x * 4);
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
        __syncwarp();
        const uint4 v = tile[(lane + 5) % 32];
        out[n * 128 + threadIdx.x] = v.x + v.y + v.z + v.w;
        __syncwarp();
    }
}
