// Blocks add in turns; the whole block votes on whether its turn has come, as the semaphore of CUTLASS does.
// launch: grid=5 block=64
static __device__ int wait_by_block_vote_load(int *p) { int s; asm volatile("ld.global.acquire.gpu.b32 %0, [%1];\n" : "=r"(s) : "l"(p)); return s; }
extern "C" __global__ void wait_by_block_vote(const unsigned *in, unsigned *out) {
    int *lock = (int *)out + 4000;
    int state = blockIdx.x + 1;
    if (threadIdx.x == 0) state = wait_by_block_vote_load(lock);
    while (__syncthreads_and(state != (int)blockIdx.x)) { if (threadIdx.x == 0) state = wait_by_block_vote_load(lock); else state = blockIdx.x + 1; }
    __syncthreads();
    out[threadIdx.x] = out[threadIdx.x] * 3 + in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("st.global.release.gpu.b32 [%0], %1;\n" :: "l"(lock), "r"((int)blockIdx.x + 1));
}
