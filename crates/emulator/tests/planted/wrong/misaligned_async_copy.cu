// Mistake: 16 bytes are copied asynchronously from an address that is a multiple of 4 only.
// launch: grid=1 block=32
// finds: misaligned
// line: 6 10
static __device__ void misaligned_async_copy_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void misaligned_async_copy(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[32];
    misaligned_async_copy_copy(&tile[threadIdx.x], in + threadIdx.x * 4 + 3);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x].x;
}
