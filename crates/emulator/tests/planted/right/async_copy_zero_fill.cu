// The last copy takes only 8 of its 16 bytes from memory, and one takes none: the rest becomes zero.
// launch: grid=1 block=32
extern "C" __global__ void async_copy_zero_fill(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[32];
    const unsigned bytes = threadIdx.x == 31 ? 8 : threadIdx.x == 7 ? 0 : 16;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(&tile[threadIdx.x])),
                 "l"(in + 3968 + 4 * threadIdx.x), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    const uint4 v = tile[31 - threadIdx.x];
    out[threadIdx.x] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}
