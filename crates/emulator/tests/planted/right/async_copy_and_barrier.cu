// All wait for their own copies, then for each other, then read what others copied.
// launch: grid=4 block=64
static __device__ void async_copy_and_barrier_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_and_barrier(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[256];
    async_copy_and_barrier_copy(tile + threadIdx.x * 4, in + blockIdx.x * 256 + threadIdx.x * 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (unsigned k = 0; k < 256; k += 64) out[blockIdx.x * 256 + k + threadIdx.x] = tile[255 - k - threadIdx.x];
}
