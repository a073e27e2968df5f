// A thread reads only what it copied itself: its own wait is enough, no barrier is needed.
// launch: grid=2 block=64
static __device__ void async_copy_own_words_copy(void *to, const void *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_own_words(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[4][64];
    for (unsigned k = 0; k < 4; k++) async_copy_own_words_copy(&tile[k][threadIdx.x], in + k * 64 + threadIdx.x);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    unsigned sum = blockIdx.x;
    for (unsigned k = 0; k < 4; k++) sum = sum * 3 + tile[k][threadIdx.x];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
